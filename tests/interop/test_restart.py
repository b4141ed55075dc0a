"""The controller dies under load and comes back: nothing acknowledged is lost, no epoch goes back."""
import os
import pathlib
import re
import threading
import time

from tests.harness.processes import wait_until

KILLS = 30 if os.environ.get("HAYWARD_LONG") else 10


class Creator(threading.Thread):
    """Creates topics through the controller's listener as fast as it answers; remembers what was acknowledged."""

    def __init__(self, jvm_factory, port):
        super().__init__(daemon=True)
        self.jvm, self.port = jvm_factory(), port
        self.acknowledged, self.stopping, self.count = {}, False, 0

    def run(self):
        while not self.stopping:
            name = f"load-{self.count}"
            self.count += 1
            body = {"topics": [{"name": name, "numPartitions": 2, "replicationFactor": 1, "assignments": [], "configs": []}],
                    "timeoutMs": 5000, "validateOnly": False}
            try:
                answer = self.jvm.rpc(self.port, 19, 7, body, connection="load", timeout_ms=5000)
            except AssertionError:
                time.sleep(0.005)  # refused while the controller is down
                continue
            for topic in answer.get("response", {}).get("topics", []):
                if topic["errorCode"] == 0:
                    self.acknowledged[topic["name"]] = topic["topicId"]

    def end(self):
        self.stopping = True
        self.join(20)
        self.jvm.stop()


def epochs_never_fall(records):
    epochs = [r["epoch"] for r in records]
    return epochs == sorted(epochs) and [r["offset"] for r in records] == list(range(records[0]["offset"], records[-1]["offset"] + 1))


def test_killed_under_load_again_and_again(cluster, jvm, tell):
    from tests.harness.jvm import Jvm
    controller = cluster.hayward()
    broker = cluster.broker(controller)
    creator = Creator(Jvm, controller.port)
    creator.start()
    for _ in range(KILLS):
        before = len(creator.acknowledged)
        wait_until("topics are acknowledged", lambda: len(creator.acknowledged) > before + 5, 30)
        controller.kill()
        controller.start().wait_ready()
    before = len(creator.acknowledged)
    wait_until("topics are acknowledged after the last restart", lambda: len(creator.acknowledged) > before + 5, 30)
    creator.end()
    assert broker.alive()
    records = controller.records(jvm)
    assert epochs_never_fall(records)
    epochs = [r["epoch"] for r in records if r["type"] == "LEADER_CHANGE"]
    assert len(epochs) == len(set(epochs)) == KILLS + 1, "every start leads in an epoch of its own"
    created = {r["data"]["name"]: r["data"]["topicId"] for r in records if r["type"] == "TopicRecord"}
    lost = {n: i for n, i in creator.acknowledged.items() if created.get(n) != i}
    assert not lost, f"{len(lost)} of {len(creator.acknowledged)} acknowledged topics are not in the log: {list(lost)[:5]}"
    # The broker has gone on: same registration, and it serves what was created last.
    assert len([r for r in records if r["type"] == "RegisterBrokerRecord"]) == 1
    fences = [r for r in records if r["type"] == "BrokerRegistrationChangeRecord" and r["data"].get("fenced") == 1]
    assert not fences
    tell(kills=KILLS, acknowledged_topics=len(creator.acknowledged), lost=len(lost), fences_expected=0, fences_seen=len(fences))
    last = list(creator.acknowledged)[-1]
    wait_until("the broker knows the last topic", lambda: last in jvm.tool(
        "topics", "--bootstrap-server", broker.bootstrap, "--list").out.split(), 20)


def test_orderly_stop_and_start(cluster, jvm):
    controller = cluster.hayward()
    broker = cluster.broker(controller)
    jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "kept", "--partitions", 3)
    assert controller.stop() in (0, 143)
    controller.start().wait_ready()
    jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "after", "--partitions", 1)
    wait_until("the broker shows both topics", lambda: {"kept", "after"} <= set(
        jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--list").out.split()), 20)


def test_takes_as_many_descriptors_as_it_may(cluster):
    """A service manager's soft limit is fewer than the connections of a large cluster; the JVM raises it too."""
    controller = cluster.hayward(inside=["prlimit", "--nofile=256:4096"])
    limits = pathlib.Path(f"/proc/{controller.process.pid}/limits").read_text()
    assert re.search(r"Max open files\s+4096\s+4096", limits), limits
