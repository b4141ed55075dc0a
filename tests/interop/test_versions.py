"""Brokers of five Kafka versions in one cluster, at the metadata.version that all of them know."""
import subprocess

import pytest

from tests.harness import kafka_jars, processes
from tests.harness.processes import CLUSTER_ID, wait_until
from tests.interop.trio import BROKER, Load, Trio

VERSIONS = {1: "4.0.2", 2: "4.1.2", 3: "4.2.2", 4: "4.3.1", 5: "4.4.0"}


def format_broker(broker):
    """With the version's own tool, as its operator would."""
    subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{kafka_jars.lib(broker.version)}/*", "kafka.tools.StorageTool", "format",
                    "-t", CLUSTER_ID, "-c", str(broker.config)], check=True, capture_output=True, timeout=120)


class Mixed(Trio):
    """Trio's ways with a cluster of other brokers: {node: version}, on a controller of a given release."""

    def __init__(self, maker, jvm, release, versions):
        self.jvm = jvm
        self.controller = maker.hayward(start=False, format=False, settings={"broker.session.timeout.ms": 6000})
        self.controller.format("--release-version", release)
        self.controller.start().wait_ready()
        self.brokers = {}
        for node, version in versions.items():
            broker = processes.Broker(maker.folder / f"broker-{node}", self.controller.bootstrap, node, version=version, settings=BROKER)
            format_broker(broker)
            maker.started.append(broker)
            self.brokers[node] = broker.start()
        for broker in self.brokers.values():
            broker.wait_running(180)

    def registered(self):
        return {r["data"]["brokerId"] for r in self.records("RegisterBrokerRecord")}


@pytest.fixture(scope="module", autouse=True)
def fetched():
    for version in VERSIONS.values():
        try:
            kafka_jars.lib(version)
        except kafka_jars.Unavailable as reason:
            pytest.skip(f"LEFT OUT: {reason}")


def a_day(cluster):
    """Each broker leads a partition that the others follow; the controller restarts under load."""
    nodes = list(cluster.brokers)
    topic = cluster.create([nodes[i:] + nodes[:i] for i in range(len(nodes))])
    with Load(cluster, topic) as load:
        cluster.wait_in_sync(topic)
        since = cluster.end_offset()
        cluster.controller.kill()
        load.goes_on()  # brokers need no controller for that
        cluster.controller.start().wait_ready()
        last = nodes[-1]
        assert cluster.brokers[last].stop() in (0, 143), cluster.brokers[last].log()[-2000:]
        cluster.wait_for(topic, lambda parts: all(last not in p["isr"] for p in parts.values()))
        cluster.start(last)
        cluster.wait_in_sync(topic)
        load.goes_on()
    again = cluster.create([nodes])
    assert cluster.partitions(again)[0]["isr"] == nodes
    assert set(cluster.fences(since)) <= {last}, "only the one that stopped"
    assert cluster.registered() == set(nodes)


def test_a_mixed_cluster(cluster, jvm):
    a_day(Mixed(cluster, jvm, "4.0", VERSIONS))


def test_a_newer_broker_at_the_newest_level(cluster, jvm):
    """4.4 and 4.3.1 at 4.3; the level has been raised by kafka-features while the brokers ran."""
    mixed = Mixed(cluster, jvm, "4.2", {4: VERSIONS[4], 5: VERSIONS[5]})
    mixed.tool("features", "upgrade", "--release-version", "4.3")
    wait_until("the brokers know the new level",
               lambda: "FinalizedVersionLevel: 4.3-IV0" in mixed.tool("features", "describe").out, 20)
    a_day(mixed)


def test_a_broker_that_does_not_know_the_level_is_refused(cluster, jvm):
    controller = cluster.hayward()
    old = processes.Broker(cluster.folder / "old", controller.bootstrap, 1, version=VERSIONS[1], settings=BROKER)
    format_broker(old)
    cluster.started.append(old)
    old.start()
    wait_until("the broker says why", lambda: "UNSUPPORTED_VERSION" in old.log() or "UnsupportedVersion" in old.log(), 40)
    assert not controller.records(jvm, "RegisterBrokerRecord")
