#!/usr/bin/env python3
"""Hayward, Java's controller (as it comes, and with controller.quorum.append.linger.ms=0) and the floor server on one
machine, under the same load.

    bench/side_by_side.py              five repeats, about 20 minutes
    bench/side_by_side.py --quick      one repeat with shorter phases, under 6 minutes
    bench/side_by_side.py --long       and the two big rows: 200,000 partitions (about 5 minutes more a repeat of them)

Writes docs/results/side-by-side.{md,json}, the percentile plots beside them and the README's table (--out: elsewhere, not the README's). Repeats are
interleaved (each row is taken of every kind before the next), the table has medians. Everything is on loopback and ends
with the script. Needs what the interop tests need, and a release build: `cmake --build build --target hayward floor`.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import controllers, rows, side_by_side_report, svg  # noqa: E402
from tests.harness import jvm as jvm_module  # noqa: E402
from tests.harness import kafka_jars, processes  # noqa: E402

RESULTS = ROOT / "docs/results/side-by-side"
MARKS = ("<!-- side by side -->", "<!-- end -->")  # between them in README.md: the summary
PLOTS = (("heartbeats_10k_curve", "Heartbeats of 300 brokers at 10,000 a second", "heartbeats-10k"),
         ("heartbeats_30k_curve", "Heartbeats of 300 brokers at 30,000 a second", "heartbeats-30k"),
         ("create_one_curve", "CreateTopics, one client, one partition, RF 3", "create-topics"),
         ("death_living_curve", "Heartbeats of 300 while 40 brokers with 200,000 partitions die", "death"))


def say(text):
    print(f"{datetime.datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def measure(bench, row, wanted, samples, faults, durations):
    name, kinds, function = row
    for kind in (k for k in kinds if k in wanted):
        begun = time.monotonic()
        try:
            samples[kind].append(function(bench, kind, durations))
        except Exception as fault:  # one row that fails must not cost the others
            faults.append(f"{name}, {kind}: {fault!r}"[:400])
            say(f"  {faults[-1]}")
        say(f"  {name}: {controllers.NAMES[kind]} ({time.monotonic() - begun:.0f} s)")


def medians(samples):
    """Of each figure, over whatever samples have it; of curves, point by point."""
    figures = {}
    for sample in samples:
        for name, value in sample.items():
            figures.setdefault(name, []).append(value)
    return {name: median_curve(v) if name.endswith("_curve") else statistics.median(v) for name, v in figures.items()}


def median_curve(curves):
    return [[points[0][0], statistics.median(us for _, us in points)] for points in zip(*curves)]


def conditions(options, before, begun):
    return {"date": datetime.date.today().isoformat(), "cpu": controllers.cpu_model(), "cores": os.cpu_count(),
            "kernel": platform.release(), "jdk": controllers.first_line("java", "-version"),
            "java_options": " ".join(controllers.JAVA_OPTIONS), "kafka": kafka_jars.DEFAULT_VERSION,
            "hayward": "Hayward " + controllers.first_line(str(processes.HAYWARD), "--version"),
            "settings": options.set, "threads": options.threads, "build": "RelWithDebInfo", "repeats": options.repeats,
            "quick": options.quick, "long_repeats": options.long_repeats if options.long else 0,
            "minutes": round((time.monotonic() - begun) / 60, 1), **before,
            "load_average_after": controllers.load_average()}


def write(result, out):
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    plots = []
    for figure, title, suffix in PLOTS:
        curves = {controllers.NAMES[kind]: m[figure] for kind, m in result["medians"].items() if figure in m}
        if curves:
            path = out.with_name(f"{out.name}-{suffix}.svg")
            path.write_text(svg.percentile_plot(title, curves))
            plots.append((title, path.name))
    table = side_by_side_report.markdown(result, plots)
    out.with_suffix(".md").write_text(table)
    if out == RESULTS:
        readme = ROOT / "README.md"
        before, rest = readme.read_text().split(MARKS[0])
        readme.write_text(f"{before}{MARKS[0]}\n{side_by_side_report.summary(result)}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")
    return table


def parse():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--quick", action="store_true", help="one repeat, shorter phases")
    arguments.add_argument("--long", action="store_true", help="the rows with 200,000 and 30,000 partitions too")
    arguments.add_argument("--long-repeats", type=int, default=1, help="of those rows; default 1")
    arguments.add_argument("--only", help="rows whose name has this text")
    arguments.add_argument("--kinds", default=",".join(controllers.NAMES), help="of servers; default: %(default)s")
    arguments.add_argument("--threads", type=int, default=1, help="of the load generator")
    arguments.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of Hayward's")
    arguments.add_argument("--out", type=pathlib.Path, default=RESULTS)
    arguments.add_argument("--folder", help="where the servers' directories go; default: the temporary directory")
    options = arguments.parse_args()
    if options.quick:
        options.repeats = 1
    return options


def main():
    options = parse()
    begun = time.monotonic()
    before = {"load_average_before": controllers.load_average(), "busy_cores_before": controllers.busy_cores()}
    chosen = [row for row in rows.SHORT if not options.only or options.only in row[0]]
    chosen_long = [row for row in rows.LONG if options.long and (not options.only or options.only in row[0])]
    samples, faults = {kind: [] for kind in controllers.NAMES}, []
    durations = rows.Durations(options.quick)
    jvm = jvm_module.Jvm()
    try:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            settings = dict(pair.split("=", 1) for pair in options.set)
            bench = controllers.Bench(pathlib.Path(folder), jvm, settings, options.threads)
            for number in range(options.repeats):
                say(f"repeat {number + 1} of {options.repeats}")
                for row in chosen:
                    measure(bench, row, options.kinds.split(","), samples, faults, durations)
            for row in chosen_long * options.long_repeats:
                measure(bench, row, options.kinds.split(","), samples, faults, durations)
    finally:
        jvm.stop()
    result = {"conditions": conditions(options, before, begun), "faults": faults,
              "medians": {kind: medians(s) for kind, s in samples.items()}, "samples": samples}
    print(write(result, options.out))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
