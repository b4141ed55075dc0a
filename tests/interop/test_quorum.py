"""Quorums of three voters with real processes: Hayward alone, and mixed with Java's controllers; the leader is killed again
and again, and nothing that was acknowledged is lost."""
import os
import statistics
import subprocess
import time

import pytest

from tests.harness import processes
from tests.harness.processes import CLUSTER_ID, HAYWARD, free_port, wait_until

LONG = bool(os.environ.get("HAYWARD_LONG"))
KILLS = 50 if LONG else 6


class Quorum:
    """Three controllers with configured voters (kraft.version 0), ids 3001 to 3003; `kinds` names each one's program."""

    def __init__(self, cluster, jvm, kinds):
        self.jvm = jvm
        ports = [free_port() for _ in kinds]
        self.voters = ",".join(f"{3001 + i}@127.0.0.1:{port}" for i, port in enumerate(ports))
        self.settings = {"controller.quorum.voters": self.voters, "controller.quorum.bootstrap.servers": ""}
        self.nodes = []
        for i, (kind, port) in enumerate(zip(kinds, ports)):
            program = processes.Hayward if kind == "hayward" else processes.JavaController
            node = program(cluster.folder / f"controller-{3001 + i}", port=port, node_id=3001 + i, settings=self.settings)
            cluster.started.append(node)
            if kind == "hayward":
                subprocess.run([str(HAYWARD), "format", "-t", CLUSTER_ID, "-c", str(node.config)], check=True)
            else:
                jvm.tool("storage", "format", "-t", CLUSTER_ID, "-c", node.config)
            node.start()
            self.nodes.append(node)
        for node in self.nodes:
            node.wait_ready(60)

    def create(self, name):
        """The node that has created the topic: the leader; None: nobody has."""
        body = {"topics": [{"name": name, "numPartitions": 1, "replicationFactor": 1, "assignments": [], "configs": []}],
                "timeoutMs": 2000, "validateOnly": False}
        for node in self.nodes:
            if not node.alive():
                continue
            try:
                answer = self.jvm.rpc(node.port, 19, 7, body, connection=f"c{node.port}", timeout_ms=2000)
            except AssertionError:
                continue
            topics = answer.get("response", {}).get("topics", [])
            if topics and topics[0]["errorCode"] in (0, 36):  # 36: an answer was lost, it exists
                return node
        return None

    def leader(self, name, timeout=60):
        """Who leads, shown by a topic of this name."""
        return wait_until(lambda: "somebody leads; logs:\n" + "\n".join(n.log()[-800:] for n in self.nodes),
                          lambda: self.create(name), timeout)

    def check_logs(self, acknowledged):
        """All logs are one, and hold everything that was acknowledged."""
        def ends():
            return [max((r["offset"] for r in node.records(self.jvm)), default=0) for node in self.nodes]
        wait_until("all have what is committed", lambda: max(ends()) - min(ends()) < 20, 30)
        for node in self.nodes:
            node.stop()
        logs = [{r["offset"]: (r["epoch"], r["type"], str(r.get("data"))) for r in node.records(self.jvm)}
                for node in self.nodes]
        shared = set(logs[0]) & set(logs[1]) & set(logs[2])
        committed = sorted(shared)[:-20]
        assert committed, "there is a log"
        for offset in committed:
            assert logs[0][offset] == logs[1][offset] == logs[2][offset], f"offset {offset} differs"
        for log in logs:
            names = {data for _, type, data in log.values() if type == "TopicRecord"}
            lost = [name for name in acknowledged if not any(f"'{name}'" in data for data in names)]
            assert not lost, f"acknowledged topics are not in a log: {lost}"


def run_kills(cluster, jvm, kinds, kills):
    quorum = Quorum(cluster, jvm, kinds)
    broker = processes.Broker(cluster.folder / "broker-1", "", 1, settings=quorum.settings)
    broker.format(jvm)
    cluster.started.append(broker)
    broker.start().wait_running(90)
    quorum.leader("first")
    acknowledged, took_ms = ["first"], []
    for i in range(kills):
        leader = quorum.leader(f"before-{i}")
        acknowledged.append(f"before-{i}")
        began = time.monotonic()
        leader.kill()
        quorum.leader(f"after-{i}")
        took_ms.append((time.monotonic() - began) * 1000)
        acknowledged.append(f"after-{i}")
        leader.start().wait_ready(60)
        time.sleep(1.0)  # long enough to fetch again: two of three must be there
    print(f"{kinds}: next committed CreateTopics after kill -9: median {statistics.median(took_ms):.0f} ms, "
          f"most {max(took_ms):.0f} ms of {kills}")
    assert broker.alive()
    wait_until("the broker knows the last topic", lambda: acknowledged[-1] in jvm.tool(
        "topics", "--bootstrap-server", broker.bootstrap, "--list").out.split(), 30)
    broker.kill()
    quorum.check_logs(acknowledged)
    return took_ms


def test_three_haywards_lose_their_leader_again_and_again(cluster, jvm):
    took_ms = run_kills(cluster, jvm, ["hayward"] * 3, KILLS)
    assert statistics.median(took_ms) < 1500


@pytest.mark.parametrize("kinds", [["hayward", "hayward", "java"], ["hayward", "java", "java"]], ids=["2+1", "1+2"])
def test_mixed_with_java(cluster, jvm, kinds):
    run_kills(cluster, jvm, kinds, KILLS if LONG else 3)
