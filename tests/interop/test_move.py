"""A cluster is moved from Java's controllers to Hayward's and back, one node at a time, by the commands of docs/migrate.md."""
import os
import re
import subprocess

import pytest

from tests.harness import kafka_jars, model_brokers
from tests.harness.jvm import TOOLS
from tests.harness.processes import CLUSTER_ID, HAYWARD, ROOT, write_properties
from tests.harness.quorum import Quorum, fencings, make
from tests.interop.test_quorum import LONG, Writer
from tests.interop.trio import CONTROLLER, Load, Trio

STEP = re.compile(r"<!-- step: ([\w-]+) -->\s*```sh\n(.*?)```", re.S)
STEPS = {name: block for name, block in STEP.findall((ROOT / "docs/migrate.md").read_text())}
SLOWEST_S = 20  # no write waits longer than for a failover of Java's
SLOWLY_S = 0.5  # between topics, where real brokers have to start with all of them


@pytest.fixture
def path(tmp_path):
    """PATH with hayward and Kafka's scripts, as the document's reader has them."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    (scripts / "hayward").symlink_to(HAYWARD)
    java = f"exec java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '{kafka_jars.lib()}/*'"
    for name, main in (("kafka-server-start.sh", "kafka.Kafka"), ("kafka-storage.sh", TOOLS["storage"])):
        (scripts / name).write_text(f'#!/bin/sh\n{java} {main} "$@"\n')
        (scripts / name).chmod(0o755)
    return f"{scripts}:{os.environ['PATH']}"


class Reader:
    """Does what the document says to a quorum; those in `told` are told the address of each new node."""

    def __init__(self, quorum, path, told):
        self.quorum, self.path, self.told = quorum, path, told

    def variables(self, node, config):
        return {"PATH": self.path, "CONTROLLERS": self.quorum.bootstrap, "NODE": str(node), "CONFIG": str(config), "CLUSTER_ID": CLUSTER_ID}

    def run(self, step, node, config=""):
        done = subprocess.run(["bash", "-ec", STEPS[step]], env={**os.environ, **self.variables(node, config)}, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{step} for {node}: exit {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.quorum.logs()}"

    def start(self, process, kind):
        """Starts the process by the document's line."""
        variables = [f"{k}={v}" for k, v in self.variables(process.node_id, process.config).items()]
        process.command = lambda: ["env", *variables, "bash", "-c", f"exec {STEPS['start-' + kind].strip()}"]
        self.quorum.nodes[process.node_id] = process
        self.quorum.start(process.node_id)

    def move_in_place(self, node, kind):
        self.run("check", node)
        old = self.quorum.nodes[node]
        assert old.stop() in (0, 143), old.log()[-2000:]
        self.start(self.quorum.new(node, kind), kind)
        self.run("wait", node)

    def move_to_new(self, old, kind):
        process = self.quorum.prepare(kind)
        self.run(f"format-{kind}", process.node_id, process.config)
        self.start(process, kind)
        self.run("add", process.node_id, process.config)
        for tell in self.told:
            tell((process.host, process.port))
        self.run("remove", old)
        gone = self.quorum.nodes.pop(old)
        assert gone.stop() in (0, 143), gone.log()[-2000:]
        del self.quorum.ports[old]
        self.run("wait", process.node_id)


def followers_first(quorum):
    leader = quorum.leader().node_id
    return sorted(quorum.nodes, key=lambda node: node == leader)


def moved_with_model_brokers(quorum, path, way, kinds, tell):
    brokers = model_brokers.ModelBrokers(quorum.addresses, [101, 102], CLUSTER_ID).start_and_wait()
    try:
        moved(quorum, path, way, kinds, tell, [brokers.addresses.append])
    finally:
        brokers.stop()


def moved(quorum, path, way, kinds, tell, told=(), every_s=0.05):
    """All nodes to each of `kinds` in turn, with a writer; no topic acknowledged is lost."""
    quorum.wait_caught_up()
    writer = Writer(quorum, "written", every_s)
    reader = Reader(quorum, path, [writer.creator.add, *told])
    moves = 0
    for kind in kinds:
        for node in followers_first(quorum):
            way(reader, node, kind)
            moves += 1
        expected = type(make(kind, quorum.folder / "unused"))
        assert all(isinstance(process, expected) for process in quorum.nodes.values())
    acknowledged = writer.stop()
    assert writer.slowest_s < SLOWEST_S
    compared = quorum.check_logs(acknowledged)
    assert compared > 0
    tell(moves=moves, slowest_write_s=round(writer.slowest_s, 1), acknowledged_topics=len(acknowledged), lost=0, offsets_compared=compared)


def test_in_place(cluster, jvm, path, tell):
    """Java to Hayward and back, configured voters, same ids and directories."""
    moved_with_model_brokers(Quorum(cluster, jvm, ["java"] * 3), path, Reader.move_in_place, ["hayward", "java"], tell)


@pytest.mark.skipif(not LONG, reason="LEFT OUT: in the long form only")
def test_in_place_under_brokers(cluster, jvm, path, tell):
    """As above, dynamic voters, with three real brokers and a producer with acks=all."""
    quorum = Quorum(cluster, jvm, ["java"] * 3, dynamic=True, settings=CONTROLLER)
    trio = Trio(cluster, jvm, quorum)
    with Load(trio, trio.create([(1, 2, 3), (2, 3, 1)])) as load:
        since = trio.end_offset()
        moved(quorum, path, Reader.move_in_place, ["hayward", "java"], tell, every_s=SLOWLY_S)
        load.goes_on()
        fences = fencings(quorum.records(jvm), since)
        assert not fences
    tell(acknowledged_records=len(load.acknowledged()), fences_expected=0, fences_seen=len(fences))


@pytest.mark.skipif(not LONG, reason="LEFT OUT: in the long form only")
def test_by_new_nodes_under_brokers(cluster, jvm, path, tell):
    """New ids, Java to Hayward and back, with three real brokers and a producer with acks=all. Before the last of the old
    controllers goes the brokers are told of the new ones and restarted one by one, as the document's step 4 says."""
    quorum = Quorum(cluster, jvm, ["java"] * 3, dynamic=True, settings=CONTROLLER)
    trio = Trio(cluster, jvm, quorum)
    topic = trio.create([(1, 2, 3), (2, 3, 1)], "min.insync.replicas=2")
    added, restarts = [], []

    def tell_brokers(address):
        added.append("%s:%d" % address)
        for node, broker in trio.brokers.items() if len(added) % 3 == 0 else ():
            assert broker.stop() in (0, 143), broker.log()[-2000:]
            write_properties(broker.config, {**broker.settings, "controller.quorum.bootstrap.servers": ",".join(added[-3:])})
            trio.start(node)
            trio.wait_in_sync(topic)
            restarts.append(node)

    with Load(trio, topic) as load:
        since = trio.end_offset()
        moved(quorum, path, Reader.move_to_new, ["hayward", "java"], tell, [tell_brokers], SLOWLY_S)
        load.goes_on()
        fences = fencings(quorum.records(jvm), since)
        assert sorted(fences) == sorted(restarts), "each when it is stopped in order, and never else"
    tell(acknowledged_records=len(load.acknowledged()), fences_expected=len(restarts), fences_seen=len(fences))


def test_by_new_nodes(cluster, jvm, path, tell):
    """Java to Hayward (and, in the long form, back) by AddRaftVoter and RemoveRaftVoter, new ids."""
    quorum = Quorum(cluster, jvm, ["java"] * 3, dynamic=True)
    moved_with_model_brokers(quorum, path, Reader.move_to_new, ["hayward", "java"] if LONG else ["hayward"], tell)
