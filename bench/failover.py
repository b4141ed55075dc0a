#!/usr/bin/env python3
"""How long a quorum of three goes without a committed write when its leader is lost, Hayward's and Java's in the same run.

    bench/failover.py             50 kills, 20 freezes, 20 graceful stops each, about 25 minutes
    bench/failover.py --quick     5, 3 and 3
    bench/failover.py --faults unplug --count 8     every node in a network namespace of its own

Default timeouts, static voters on loopback, three model brokers that heartbeat, and one raw client that creates topics at a
steady rate through whichever of the three ports takes them. Each fault strikes the leader at a random moment; measured is
the time from then until another node acknowledges a CreateTopics. The node is then brought back, and the next fault waits
until all three have the whole log. Faults: kill (SIGKILL), freeze (SIGSTOP), stop (SIGTERM); unplug (all its packets are
dropped, to and from the client too), for which the run moves into a network namespace of its own. Kinds take turns, fault by
fault. A kind is "hayward", "java", or three of them: "hayward+hayward+java".
Writes docs/results/failover.{json,md} (--out: elsewhere). Needs what the interop tests need, and a release build.
"""
import argparse
import contextlib
import datetime
import json
import math
import os
import pathlib
import platform
import random
import statistics
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import controllers  # noqa: E402
from tests.conftest import Cluster  # noqa: E402
from tests.harness import jvm as jvm_module  # noqa: E402
from tests.harness import islands, kafka_jars, model_brokers, processes, quorum  # noqa: E402

FAULTS = {"kill": "killed (SIGKILL)", "freeze": "frozen (SIGSTOP)", "stop": "stopped in order (SIGTERM)",
          "unplug": "unplugged (packets dropped)"}
LONG, QUICK = {"kill": 50, "freeze": 20, "stop": 20, "unplug": 20}, {"kill": 5, "freeze": 3, "stop": 3, "unplug": 3}
ALONE = ["unshare", "--map-root-user", "--net"]
SETTLED_S = 3.0  # after the third has caught up: connections and pre-vote rules are as in a quiet quorum
LOST_S = 60.0


def make(kind, folder, **options):
    """Java with the heap and collector of its own start script."""
    return controllers.BenchJava(folder, **options) if kind == "java" else quorum.make(kind, folder, **options)


class Load(threading.Thread):
    """Creates topics one after the other, at most `rate` a second, while it is on; knows when each was acknowledged and by which port."""

    def __init__(self, creator, rate):
        super().__init__(daemon=True)
        self.creator, self.rate, self.on, self.ended = creator, rate, threading.Event(), False
        self.changed, self.last = threading.Condition(), (0.0, None)
        self.acknowledged = 0

    def run(self):
        while not self.ended:
            self.on.wait(0.2)
            if not self.on.is_set():
                continue
            with contextlib.suppress(TimeoutError):
                _, port = self.creator.create(1.0)
                with self.changed:
                    self.last, self.acknowledged = (time.monotonic(), port), self.acknowledged + 1
                    self.changed.notify_all()
                time.sleep(1 / self.rate)

    def acknowledged_elsewhere(self, port, since_s):
        """Seconds from `since_s` until a port other than `port` acknowledged; None when that takes too long."""
        with self.changed:
            done = self.changed.wait_for(lambda: self.last[1] not in (port, None) and self.last[0] > since_s, LOST_S)
            return self.last[0] - since_s if done else None


class Subject:
    """One quorum of three with its load; on `net`, if given, each node in a network namespace of its own."""

    def __init__(self, kind, folder, jvm, rate, net=None):
        self.kind, self.cluster = kind, Cluster(folder, jvm)
        kinds = kind.split("+") if "+" in kind else [kind] * 3
        self.islands = islands.Islands([quorum.FIRST_ID + i for i in range(3)], net) if net else None
        try:
            self.quorum = quorum.Quorum(self.cluster, jvm, kinds, make=self.make, hosts=self.islands and self.islands.hosts)
            self.brokers = model_brokers.ModelBrokers(self.quorum.addresses, [1, 2, 3], processes.CLUSTER_ID).start_and_wait()
        except BaseException:
            self.end_processes()
            raise
        self.load = Load(self.quorum.creator("failover"), rate)
        self.load.start()

    def make(self, kind, folder, **options):
        if self.islands:
            node = options["node_id"]
            options.update(host=self.islands.hosts[node], inside=self.islands.inside[node])
        return make(kind, folder, **options)

    def end_processes(self):
        self.cluster.end()
        if self.islands:
            self.islands.end()

    def lose(self, fault, leader):
        if fault == "freeze":
            self.quorum.freeze(leader.node_id)
        elif fault == "unplug":
            leader.frozen = True  # nobody is to wait for its answers
            self.islands.unplug(leader.node_id)
        else:
            leader.kill() if fault == "kill" else leader.signal(15)

    def bring_back(self, fault, lost):
        if fault == "freeze":
            self.quorum.thaw(lost.node_id)
        elif fault == "unplug":
            self.islands.heal()
            lost.frozen = False
        else:
            if fault == "stop":
                lost.process.wait(60)
            self.quorum.start(lost.node_id)

    def strike(self, fault):
        """{"ms": until the next committed write, "from": the lost leader, "to": its follower}"""
        self.load.on.set()
        self.quorum.wait_caught_up(timeout=120)
        time.sleep(SETTLED_S + random.uniform(0, 0.5))
        lost = self.quorum.leader()
        struck = time.monotonic()
        self.lose(fault, lost)
        took_s = self.load.acknowledged_elsewhere(lost.port, struck)
        assert took_s is not None, f"{self.kind}: nothing was committed within {LOST_S} s of {fault}: {self.quorum.logs()}"
        self.bring_back(fault, lost)
        follower = self.quorum.leader()
        self.load.on.clear()
        return {"ms": round(took_s * 1000, 1), "from": lost.kind, "to": follower.kind}

    def end(self):
        self.load.ended = True
        self.load.join()
        self.brokers.stop()
        acknowledged = list(self.load.creator.acknowledged)
        try:
            return {"acknowledged": len(acknowledged), "offsets_compared": self.quorum.check_logs(acknowledged)}
        finally:
            self.end_processes()


def summary(samples):
    ms = sorted(s["ms"] for s in samples)
    return {"count": len(ms), "median_ms": statistics.median(ms), "p95_ms": ms[math.ceil(0.95 * len(ms)) - 1], "least_ms": ms[0],
            "most_ms": ms[-1]}


def markdown(result):
    """A table of the JSON's figures, with what they were taken on."""
    c = result["conditions"]
    lines = ["# A leader is lost", "",
             f"Three voters on one machine, default timeouts: milliseconds from the fault until another node acknowledges a CreateTopics. "
             f"`bench/failover.py`, {c['date']}, {c['cores']} cores ({c['cpu']}), kernel {c['kernel']}, {c['hayward']}, Kafka {c['kafka']}, "
             f"{c['jdk']}. Kinds took turns in one run; {c['rate']} CreateTopics a second meanwhile, three model brokers."
             + (" Each node was in a network namespace of its own, the client beside them on their bridge." if c["namespaces"] else "")
             + f" Load average {c['load_average_before']} before and {c['load_average_after']} after." + (f" {c['note']}" if c["note"] else ""), "",
             "| the leader is | quorum | times | median | p95 | least | most |", "|---|---|--:|--:|--:|--:|--:|"]
    for fault in FAULTS:
        for kind, by_fault in result["summary"].items():
            if fault in by_fault:
                s = by_fault[fault]
                lines.append(f"| {FAULTS[fault]} | {kind} | {s['count']} | {s['median_ms']:.0f} | {s['p95_ms']:.0f} | {s['least_ms']:.0f} | "
                             f"{s['most_ms']:.0f} |")
    lines += ["", "Afterwards the three logs were one, offset by offset, and held every acknowledged topic: " + "; ".join(
        f"{kind}: {e['acknowledged']} topics, {e['offsets_compared']} offsets compared" for kind, e in result["ends"].items()) + "."]
    lines += [f"\nFault: {f}" for f in result["faults"]]
    return "\n".join(lines) + "\n"


def measure(subjects, counts, faults, java_every):
    """{kind: {fault: [sample]}}; a quorum that does not come back is named in `faults` and struck no more. One with a Java node is
    struck every `java_every`th time only: a JVM takes long to return."""
    samples = {kind: {fault: [] for fault in counts} for kind in subjects}
    living = dict(subjects)
    for fault, count in counts.items():
        for number in range(count):
            for kind, subject in list(living.items()):
                if "java" in kind and number % java_every:
                    continue
                try:
                    sample = subject.strike(fault)
                except AssertionError as problem:
                    faults.append(f"{kind}, {fault} {number + 1}: {problem}"[:2000])
                    del living[kind]
                    continue
                samples[kind][fault].append(sample)
                print(f"{datetime.datetime.now():%H:%M:%S} {fault} {number + 1} of {count}, {kind}: {sample['ms']:.0f} ms "
                      f"({sample['from']} to {sample['to']})", file=sys.stderr, flush=True)
    return samples


def run(options, jvm):
    faults, ends, subjects = [], {}, {}
    counts = {fault: (QUICK if options.quick else LONG)[fault] for fault in options.faults.split(",")}
    if options.count:
        counts = dict.fromkeys(counts, options.count)
    load_before = controllers.load_average()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        try:
            for net, kind in enumerate(options.kinds.split(","), 1):
                subjects[kind] = Subject(kind, pathlib.Path(folder) / kind, jvm, options.rate, net if "unplug" in counts else None)
            samples = measure(subjects, counts, faults, options.java_every)
        finally:
            for kind, subject in subjects.items():
                try:
                    ends[kind] = subject.end()
                except AssertionError as problem:
                    faults.append(f"{kind}, at the end: {problem}"[:2000])
    conditions = {"date": datetime.date.today().isoformat(), "cpu": controllers.cpu_model(), "cores": os.cpu_count(),
                  "kernel": platform.release(), "jdk": controllers.first_line("java", "-version"), "kafka": kafka_jars.DEFAULT_VERSION,
                  "hayward": "Hayward " + controllers.first_line(str(processes.HAYWARD), "--version"), "rate": options.rate,
                  "namespaces": "unplug" in counts, "note": options.note, "load_average_before": load_before,
                  "load_average_after": controllers.load_average()}
    figures = {kind: {fault: summary(s) for fault, s in by_fault.items() if s} for kind, by_fault in samples.items()}
    return {"conditions": conditions, "summary": figures, "ends": ends, "faults": faults, "samples": samples}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="5 kills, 3 freezes, 3 stops")
    parser.add_argument("--count", type=int, help="of each fault, instead")
    parser.add_argument("--java-every", type=int, default=1, metavar="N", help="quorums with a Java node every Nth time only")
    parser.add_argument("--kinds", default="hayward,java", help="of quorums; default: %(default)s")
    parser.add_argument("--faults", default="kill,freeze,stop", help=f"of {','.join(FAULTS)}; default: %(default)s")
    parser.add_argument("--rate", type=int, default=20, help="CreateTopics a second; default: %(default)s")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/results/failover")
    parser.add_argument("--folder", help="where the controllers' directories go; default: the temporary directory")
    parser.add_argument("--note", default="", help="a sentence on the conditions, for the report")
    options = parser.parse_args()
    if "unplug" in options.faults.split(",") and os.environ.get("HAYWARD_BENCH_ALONE") is None:
        os.environ["HAYWARD_BENCH_ALONE"] = "1"
        os.execvp(ALONE[0], [*ALONE, sys.executable, *sys.argv])
    jvm = jvm_module.Jvm()
    try:
        result = run(options, jvm)
    finally:
        jvm.stop()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    table = markdown(result)
    options.out.with_suffix(".md").write_text(table)
    print(table)
    return 1 if result["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
