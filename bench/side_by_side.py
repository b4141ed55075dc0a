#!/usr/bin/env python3
"""Hayward and Java's controller in one run on one machine: what a heartbeat, a CreateTopics and a start cost.

    bench/side_by_side.py [--repeats 3] [--out docs/results/side-by-side]

Writes OUT.md and OUT.json. Repeats are interleaved and the table has medians, so that a noisy minute hits both.
Everything is on loopback and ends with the script; it takes about two minutes a repeat. Java runs with the options of
kafka-server-start.sh. Needs what tests/test.sh's interop tests need, and a release build of `hayward`.
"""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import side_by_side_report, watch  # noqa: E402
from tests.harness import jvm as jvm_module  # noqa: E402
from tests.harness import kafka_jars, processes  # noqa: E402

BROKERS, RATE = 300, 10_000
WARM_UP_S, SAMPLE_S = 8, 8  # of the heartbeats at RATE
IDLE_AFTER_S, IDLE_SAMPLE_S = 5, 5
TOPICS = {"hayward": 1500, "java": 300, "java_linger_0": 1500}
JAVA_OPTIONS = ["-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
                "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"]


class BenchJava(processes.JavaController):
    """With the heap and collector that Kafka's own start script gives it; log at INFO into a file."""

    def command(self):
        log4j = self.folder / "log4j2.properties"
        log4j.write_text(processes.LOG4J)
        return ["java", *JAVA_OPTIONS, f"-Dlog4j2.configurationFile={log4j}", "-cp",
                f"{kafka_jars.lib(self.version)}/*", "kafka.Kafka", str(self.config)]


class Bench:
    def __init__(self, folder, jvm):
        self.folder, self.jvm, self.count = folder, jvm, 0

    @contextlib.contextmanager
    def controller(self, kind):
        """A fresh one, formatted and not yet started; ended and wiped afterwards."""
        self.count += 1
        folder = self.folder / f"{kind}-{self.count}"
        if kind == "hayward":
            controller = processes.Hayward(folder)
            controller.format()
        else:
            settings = {"controller.quorum.append.linger.ms": 0} if kind == "java_linger_0" else {}
            controller = BenchJava(folder, settings=settings)
            controller.format(jvm=self.jvm)
        try:
            yield controller
        finally:
            controller.kill()
            shutil.rmtree(folder, ignore_errors=True)

    def start(self, controller):
        controller.start()
        watch.wait_active(controller.port, lambda: controller.alive())
        return controller

    def load_command(self, controller, *args):
        return [str(processes.HAYWARD), "load", "--controller", controller.bootstrap, "--quiet", "--json", "-", *map(str, args)]

    def start_and_idle(self, kind):
        with self.controller(kind) as controller:
            begun = time.monotonic()
            controller.start()
            watch.wait_listening(controller.port, lambda: controller.alive())
            listening_ms = (time.monotonic() - begun) * 1000
            watch.wait_active(controller.port, lambda: controller.alive())
            ready_ms = (time.monotonic() - begun) * 1000
            time.sleep(IDLE_AFTER_S)
            pid = controller.process.pid
            memory_mb = watch.resident_mb(pid)
            cpu_s = watch.CpuClock(pid)
            time.sleep(IDLE_SAMPLE_S)
            return {"listening_ms": listening_ms, "ready_ms": ready_ms, "idle_memory_mb": memory_mb,
                    "idle_cpu_percent": 100 * cpu_s.share()}

    def heartbeats(self, kind):
        with self.controller(kind) as controller:
            self.start(controller)
            duration_s = WARM_UP_S + SAMPLE_S + 2
            command = self.load_command(controller, "--brokers", BROKERS, "--rate", RATE, "--duration", duration_s)
            load = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                time.sleep(WARM_UP_S)
                cpu = watch.CpuClock(controller.process.pid)
                time.sleep(SAMPLE_S)
                cpu_s, seconds = cpu.used()
                out, err = load.communicate(timeout=60)
            finally:
                load.kill()
                load.wait()
            report = json.loads(out) if out else {"problem": err, "failures": -1}
            assert report["problem"] is None, report
            phase = next(p for p in report["phases"] if p["name"] == "steady")
            latency = phase["latency_us"]
            return {"cpu_us_per_heartbeat": 1e6 * cpu_s / (phase["rate_per_s"] * seconds),
                    "failures": report["failures"], "heartbeats_per_s": phase["rate_per_s"],
                    "heartbeat_p50_us": latency["p50"], "heartbeat_p99_us": latency["p99"], "heartbeat_p99_9_us": latency["p99_9"]}

    def create_topics(self, kind, replication_factor):
        with self.controller(kind) as controller:
            self.start(controller)
            command = self.load_command(controller, "--phases", "register,unfence,create", "--brokers", 3,
                                        "--topics", TOPICS[kind], "--replication-factor", replication_factor, "--clients", 1)
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
            phase = next(p for p in json.loads(done.stdout)["phases"] if p["name"] == "create")
            name = f"create_topic_rf{replication_factor}"
            return {f"{name}_p50_us": phase["latency_us"]["p50"], f"{name}_p99_us": phase["latency_us"]["p99"]}

    def repeat(self, samples):
        for kind in ("hayward", "java"):
            samples[kind].append({**self.start_and_idle(kind), **self.heartbeats(kind)})
        for replication_factor in (1, 3):
            samples["sync"].append(watch.sync_floor(self.folder))
            for kind in ("hayward", "java", "java_linger_0"):
                samples[kind].append(self.create_topics(kind, replication_factor))


def medians(samples):
    """Of each figure of each kind, over whatever repeats have it."""
    figures = {}
    for sample in samples:
        for name, value in sample.items():
            figures.setdefault(name, []).append(value)
    return {name: statistics.median(values) for name, values in figures.items()}


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()[0]


def conditions(repeats, load_before):
    with open("/proc/cpuinfo") as f:
        models = {line.split(":", 1)[1].strip() for line in f if line.startswith("model name")}
    return {"date": datetime.date.today().isoformat(), "cpu": ", ".join(sorted(models)), "cores": os.cpu_count(),
            "kernel": platform.release(), "jdk": first_line("java", "-version"), "java_options": " ".join(JAVA_OPTIONS),
            "kafka": kafka_jars.DEFAULT_VERSION, "hayward": "Hayward " + first_line(str(processes.HAYWARD), "--version"),
            "build": "RelWithDebInfo", "repeats": repeats, "load_average_before": round(load_before, 2),
            "load_average_after": round(os.getloadavg()[0], 2)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/results/side-by-side")
    arguments.add_argument("--folder", help="where the controllers' directories go; default: the temporary directory")
    options = arguments.parse_args()
    samples = {"hayward": [], "java": [], "java_linger_0": [], "sync": []}
    load_before = os.getloadavg()[0]
    jvm = jvm_module.Jvm()
    try:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            bench = Bench(pathlib.Path(folder), jvm)
            for number in range(options.repeats):
                print(f"repeat {number + 1} of {options.repeats}", file=sys.stderr, flush=True)
                bench.repeat(samples)
    finally:
        jvm.stop()
    result = {"conditions": conditions(options.repeats, load_before),
              "medians": {kind: medians(s) for kind, s in samples.items()}, "samples": samples}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    table = side_by_side_report.markdown(result)
    options.out.with_suffix(".md").write_text(table)
    print(table)


if __name__ == "__main__":
    main()
