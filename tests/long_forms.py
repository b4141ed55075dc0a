#!/usr/bin/env python3
"""Makes docs/results/long-forms.md of pytest's reports (--junitxml) of the long forms: what each test did and how long it took.

    HAYWARD_LONG=1 python3 -m pytest --junitxml=build/pytest-long.xml -o junit_family=xunit1 tests/interop/test_quorum.py ...
    tests/long_forms.py build/pytest-*.xml

Only tests that tell their figures (`tell` in tests/interop/conftest.py) have a row, and those that failed. Of one that several
reports hold the newest run counts.
"""
import argparse
import pathlib
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEAD = """# Long forms

The last run of each test of the quorum that has a long form (`HAYWARD_LONG=1`), written by `tests/long_forms.py` from pytest's
reports: every figure was counted by the test itself. `lost` is what was acknowledged and is in no log; `offsets compared` is how
many were found equal to those of the log that goes back farthest, over all logs. A fence is a broker's; expected are those of an
orderly stop.
{note}
| test | run begun (UTC) | took | passed | what it did |
|---|---|--:|---|---|
"""


def cases(report):
    """(name, row) of each test of a report that is to have a row."""
    for suite in xml.etree.ElementTree.parse(report).getroot().iter("testsuite"):
        begun = suite.get("timestamp")[:16].replace("T", " ")
        for case in suite.iter("testcase"):
            failed = case.find("failure") is not None or case.find("error") is not None
            figures = [f"{p.get('name').replace('_', ' ')} {p.get('value')}" for p in case.iter("property")]
            if not figures and not failed:
                continue
            name = f"{case.get('classname').rpartition('.')[2]}::{case.get('name')}"
            took = "%d:%02d" % divmod(round(float(case.get("time"))), 60)
            yield name, (begun, took, "**no**" if failed else "yes", ", ".join(figures))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/results/long-forms.md")
    parser.add_argument("--note", default="", help="a sentence on the conditions")
    options = parser.parse_args()
    rows = {}
    for name, row in sorted((pair for report in options.reports for pair in cases(report)), key=lambda pair: pair[1][0]):
        rows[name] = row
    lines = [f"| {name} | {' | '.join(row)} |" for name, row in sorted(rows.items())]
    note = f"\n{options.note}\n" if options.note else ""
    options.out.write_text(HEAD.format(note=note) + "\n".join(lines) + "\n")
    return 1 if any("**no**" in row for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
