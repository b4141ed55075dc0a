#!/usr/bin/env python3
"""How long a controller with very many partitions takes from start to active, and what memory it then has.

    bench/recovery.py [--partitions 200000] [--starts 5] [--snapshot] [--keep FOLDER]

Fills a log by CreateTopics (40 brokers, replication factor 3, 100 partitions a topic), stops the controller in order
and starts it again, several times; with --snapshot once a snapshot covers the log. Prints one JSON object: medians
of wall time to active, CPU time by then, resident memory a second later; log and snapshot sizes. The page cache is
warm. Needs a release build of `hayward` (HAYWARD_BUILD names another folder than build).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import watch  # noqa: E402
from tests.harness import processes  # noqa: E402

BROKERS, PARTITIONS_PER_TOPIC, CLIENTS = 40, 100, 16


def fill(controller, partitions):
    subprocess.run([processes.HAYWARD, "load", "--controller", f"127.0.0.1:{controller.port}", "--brokers", str(BROKERS),
                    "--phases", "register,unfence,create", "--topics", str(partitions // PARTITIONS_PER_TOPIC), "--partitions",
                    str(PARTITIONS_PER_TOPIC), "--replication-factor", "3", "--clients", str(CLIENTS)],
                   check=True, stdout=subprocess.DEVNULL)


def set_bytes_between_snapshots(controller, count):
    controller.settings["metadata.log.max.record.bytes.between.snapshots"] = count
    processes.write_properties(controller.config, controller.settings)


def sizes(folder, suffix):
    return sum(path.stat().st_size for path in folder.glob(f"data/__cluster_metadata-0/*{suffix}"))


def timed_start(controller):
    begun = time.monotonic()
    controller.start()
    watch.wait_active(controller.port, controller.alive)
    wall_ms, cpu_ms = (time.monotonic() - begun) * 1000, watch.cpu_s(controller.process.pid) * 1000
    time.sleep(1)
    sample = {"active_ms": wall_ms, "cpu_ms": cpu_ms, "resident_mb": watch.resident_mb(controller.process.pid)}
    controller.stop()
    return sample


def measure(controller, arguments):
    folder = controller.folder
    set_bytes_between_snapshots(controller, 1 << 30)
    controller.format()
    controller.start()
    watch.wait_active(controller.port, controller.alive)
    fill(controller, arguments.partitions)
    live_mb = watch.resident_mb(controller.process.pid)
    controller.stop()
    if arguments.snapshot:
        set_bytes_between_snapshots(controller, 1000)
        controller.start()
        deadline = time.monotonic() + 60
        while sizes(folder, "[1-9]-0*.checkpoint") == 0:  # not the one that format wrote
            assert time.monotonic() < deadline, "no snapshot"
            time.sleep(0.1)
        controller.stop()
        set_bytes_between_snapshots(controller, 1 << 30)
    samples = [timed_start(controller) for _ in range(arguments.starts)]
    medians = {key: round(statistics.median(sample[key] for sample in samples), 1) for key in samples[0]}
    return {"partitions": arguments.partitions, "snapshot": arguments.snapshot, "starts": arguments.starts, **medians,
            "resident_after_filling_mb": round(live_mb, 1), "log_bytes": sizes(folder, ".log"),
            "snapshot_bytes": sizes(folder, ".checkpoint")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--snapshot", action="store_true", help="restart from a snapshot")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the directory there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hayward-recovery-") as temporary:
        controller = processes.Hayward(arguments.keep or pathlib.Path(temporary))
        try:
            print(json.dumps(measure(controller, arguments), indent=1))
        finally:
            controller.kill()


if __name__ == "__main__":
    main()
