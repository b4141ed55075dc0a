#!/usr/bin/env python3
"""The test command: builds what each stage needs, runs the stages, adds up what passed, failed and was skipped.

Stages: tidy, unit (g++ release), interop (real Kafka), sanitize (clang, address + undefined, with short
fuzzing), threads (clang, thread sanitizer). A stage that cannot be built counts as failed. The sanitizers' builds are made
while the interop stage, which mostly waits for real time, has the first call on the cores.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
FUZZ_SECONDS = 10
THREADED = ("test_ring", "test_net", "test_log", "test_driver", "test_shards")
# What is run once more with each number of shards.
SHARDS = (1, 2, 4)
SHARDED = ("tests/interop/test_leases.py", "tests/interop/test_restart.py")


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.notes = []

    def add(self, passed=0, failed=0, skipped=0):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped

    def fail(self, note):
        self.failed += 1
        self.notes.append(note)


def run(command, timeout, **options):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run([str(c) for c in command], cwd=ROOT, timeout=timeout, **options)


class Builds:
    """The build folders by preset, each made once."""

    OPTIONS = {"release": ((), ()), "asan": ((), ("-DHAYWARD_FUZZ=ON",)), "tsan": (THREADED, ())}  # targets, cmake's own

    def __init__(self):
        self.one_by_one = concurrent.futures.ThreadPoolExecutor(1)
        self.begun = {}

    def begin(self, preset):
        """Behind all else; its output is kept in the folder."""
        self.begun[preset] = self.one_by_one.submit(self.make, preset, True)

    def folder(self, preset, tally):
        """None when it does not build."""
        begun = self.begun.pop(preset, None)
        try:
            made = begun.result() if begun else self.make(preset, False)
        except subprocess.TimeoutExpired:
            made = None
        if made is None:
            tally.fail(f"{preset}: does not build")
        return made

    def make(self, preset, behind):
        folder = ROOT / ("build" if preset == "release" else f"build-{preset}")
        targets, extra = self.OPTIONS[preset]
        configured = run(["cmake", "--preset", preset, "-DHAYWARD_TESTS=ON", *extra], 300, stdout=subprocess.DEVNULL)
        if configured.returncode:
            return None
        command = ["cmake", "--build", folder, *(("--target", *targets) if targets else ())]
        if not behind:
            return None if run(command, 3600).returncode else folder
        with open(folder / "build.log", "w+") as log:
            failed = run(["nice", "-n", "19", *command], 3600, stdout=log, stderr=subprocess.STDOUT).returncode
            log.seek(0)
            if failed:
                print(log.read()[-20000:], flush=True)
        return None if failed else folder


def programs(folder):
    """The GoogleTest programs of a build."""
    return sorted(p for p in (folder / "tests").glob("**/test_*") if p.is_file() and os.access(p, os.X_OK))


def run_gtest(program, tally, label, timeout):
    report = program.with_suffix(".json")
    report.unlink(missing_ok=True)
    try:
        code = run([program, "--gtest_brief=1", f"--gtest_output=json:{report}"], timeout).returncode
    except subprocess.TimeoutExpired:
        tally.fail(f"{label}: {program.name} did not end within {timeout} s")
        return
    if not report.exists():
        tally.fail(f"{label}: {program.name} ended with {code} and no report")
        return
    tests = [t for suite in json.loads(report.read_text())["testsuites"] for t in suite["testsuite"]]
    failed = [t for t in tests if "failures" in t]
    skipped = [t for t in tests if t.get("result") == "SKIPPED"]
    tally.add(len(tests) - len(failed) - len(skipped), len(failed), len(skipped))
    tally.notes += [f"{label}: {t['classname']}.{t['name']} failed" for t in failed]
    if code and not failed:
        tally.fail(f"{label}: {program.name} ended with {code} though no test failed")


def run_pytest(folders, tally, label, build_folder, timeout, long, **variables):
    report = build_folder / f"pytest-{label.replace(chr(32), chr(45))}.xml"
    report.unlink(missing_ok=True)
    environment = {**os.environ, "HAYWARD_BUILD": str(build_folder), "HAYWARD_LONG": "1" if long else "", **variables}
    try:
        lib = subprocess.run([sys.executable, "-m", "tests.harness.kafka_jars"], cwd=ROOT, capture_output=True, text=True)
        if lib.returncode == 0:
            environment["HAYWARD_KAFKA_LIB"] = lib.stdout.strip().splitlines()[-1]
        run([sys.executable, "-m", "pytest", "-q", "-ra", "--durations=15", "-p", "no:cacheprovider", f"--junitxml={report}",
             "-o", "junit_family=xunit1", *folders],
            timeout, env=environment)
    except subprocess.TimeoutExpired:
        tally.fail(f"{label}: pytest did not end within {timeout} s")
        return
    if not report.exists():
        tally.fail(f"{label}: pytest gave no report")
        return
    suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
    failed = int(suite.get("failures")) + int(suite.get("errors"))
    skipped = int(suite.get("skipped"))
    tally.add(int(suite.get("tests")) - failed - skipped, failed, skipped)
    for case in suite.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            tally.notes.append(f"{label}: {case.get('classname')}.{case.get('name')} failed")


def stage_tidy(tally, *_):
    ok = run([sys.executable, "tests/tidy/tidy.py"], 60).returncode == 0
    tally.add(passed=1) if ok else tally.fail("tidy: the tree breaks a house rule (see above)")


def stage_unit(tally, _, builds):
    folder = builds.folder("release", tally)
    for program in programs(folder) if folder else []:
        run_gtest(program, tally, "unit", 600)


def stage_interop(tally, arguments, builds):
    folder = builds.folder("release", tally)
    for preset, stage in (("asan", "sanitize"), ("tsan", "threads")):
        if stage in (arguments.only or STAGES):
            builds.begin(preset)
    for name in ("conformance", "interop", "differential"):
        if folder and (ROOT / "tests" / name).exists():
            run_pytest([f"tests/{name}"], tally, name, folder, 14400 if arguments.long else 2700, arguments.long)
    reports = [report for name in ("interop", "network") if folder and (report := folder / f"pytest-{name}.xml").exists()]
    if arguments.long and reports:
        run([sys.executable, "tests/long_forms.py", *reports], 60)
    for shards in SHARDS if folder else ():
        run_pytest(SHARDED, tally, f"interop on {shards} shards", folder, 900, arguments.long, HAYWARD_TEST_SHARDS=str(shards))


def stage_sanitize(tally, arguments, builds):
    folder = builds.folder("asan", tally)
    if not folder:
        return
    for program in programs(folder):
        run_gtest(program, tally, "sanitize", 900)
    seconds = 600 if arguments.long else FUZZ_SECONDS
    for fuzzer in sorted(p for p in (folder / "tests" / "fuzz").glob("fuzz_*") if p.is_file()):
        corpus = ROOT / "tests" / "fuzz" / "corpus" / fuzzer.name.removeprefix("fuzz_")
        scratch = folder / "corpus" / fuzzer.name
        scratch.mkdir(parents=True, exist_ok=True)
        seeds = [corpus] if corpus.exists() else []
        done = run([fuzzer, scratch, *seeds, f"-max_total_time={seconds}", "-print_final_stats=0", "-verbosity=0",
                    f"-artifact_prefix={scratch}/", "-rss_limit_mb=2048", "-timeout=10"], seconds + 120)
        tally.add(passed=1) if done.returncode == 0 else tally.fail(f"fuzz: {fuzzer.name} found a fault (input in {scratch})")


def stage_threads(tally, _, builds):
    folder = builds.folder("tsan", tally)
    for program in programs(folder) if folder else []:
        run_gtest(program, tally, "threads", 900)


STAGES = {"tidy": stage_tidy, "unit": stage_unit, "interop": stage_interop, "sanitize": stage_sanitize,
          "threads": stage_threads}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=STAGES, action="append", help="run this stage only (may be repeated)")
    parser.add_argument("--long", action="store_true", help="the long forms: more seeds, longer loads and fuzzing")
    arguments = parser.parse_args()
    os.environ["HAYWARD_LONG"] = "1" if arguments.long else ""
    tally, builds = Tally(), Builds()
    if shutil.which("java") is None or shutil.which("mvn") is None:
        print("LEFT OUT: java or mvn is missing, so nothing is shown with real Kafka")
    for name in arguments.only or STAGES:
        started = time.monotonic()
        before = tally.failed
        STAGES[name](tally, arguments, builds)
        print(f"== {name}: {tally.failed - before} failed, {time.monotonic() - started:.0f} s", flush=True)
    for note in tally.notes:
        print("FAILED", re.sub(r"\s+", " ", note))
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
