"""What the controller does by the clock, with brokers played over the wire: leaders go back to the preferred replica, and a
partition that has lost its leader gets one when its topic, this node or the whole cluster allows it (KAFKA-12670)."""
import pytest

from tests.differential.scenarios import alter
from tests.differential.side import Side, create, heartbeat, running, topic
from tests.differential.test_differential import active
from tests.harness.processes import wait_until

SETTINGS = {"leader.imbalance.check.interval.seconds": 1, "unclean.leader.election.interval.ms": 500, "broker.session.timeout.ms": 600000}


@pytest.fixture
def side(cluster, jvm):
    controller = cluster.hayward(settings=SETTINGS)
    wait_until("the controller is active", lambda: active(controller, jvm))
    return Side("controller", controller, jvm)


def changes(side, topic_id):
    return [r["data"] for r in side.controller.records(side.jvm, "PartitionChangeRecord") if r["data"]["topicId"] == topic_id]


def test_leaders_go_back_to_the_preferred_replica(side):
    epochs = running(side, 1, 2)
    ids = create(side, topic("t", {0: [1, 2]}))
    heartbeat(side, 1, epochs[1], want_fence=True)
    heartbeat(side, 1, epochs[1])
    assert changes(side, ids["t"])[-1]["leader"] == 2
    alter(side, 2, epochs[2], ids["t"], leader_epoch=1, partition_epoch=1, isr=[(2, epochs[2]), (1, epochs[1])])
    wait_until("1 leads again", lambda: changes(side, ids["t"])[-1].get("leader") == 1, 10)


def test_unclean_elections_follow_the_config(side):
    """cases.md row 28."""
    epochs = running(side, 1, 2)
    ids = create(side, *(topic(name, {0: [1, 2]}) for name in ("by-topic", "by-node", "by-cluster")))
    for topic_id in ids.values():
        alter(side, 1, epochs[1], topic_id, isr=[(1, epochs[1])])
    heartbeat(side, 1, epochs[1], want_fence=True)

    def allow(kind, name, value="true"):
        side.rpc("allow", 44, 1, {"resources": [{"resourceType": kind, "resourceName": name, "configs": [
            {"name": "unclean.leader.election.enable", "configOperation": 0, "value": value}]}], "validateOnly": False})

    def led_by_2():
        return {name for name, topic_id in ids.items() if changes(side, topic_id)[-1].get("leader") == 2}
    assert led_by_2() == set()
    allow(2, "by-topic")
    wait_until("the one topic is led", lambda: led_by_2() == {"by-topic"}, 10)
    allow(2, "by-cluster", "false")
    allow(4, str(side.controller.node_id))
    wait_until("what this node allows is led", lambda: led_by_2() == {"by-topic", "by-node"}, 10)
    side.rpc("no more", 44, 1, {"resources": [{"resourceType": 4, "resourceName": str(side.controller.node_id), "configs": [
        {"name": "unclean.leader.election.enable", "configOperation": 1, "value": None}]}], "validateOnly": False})
    side.rpc("no more", 44, 1, {"resources": [{"resourceType": 2, "resourceName": "by-cluster", "configs": [
        {"name": "unclean.leader.election.enable", "configOperation": 1, "value": None}]}], "validateOnly": False})
    assert led_by_2() == {"by-topic", "by-node"}
    allow(4, "")
    wait_until("what the cluster allows is led", lambda: led_by_2() == set(ids), 10)
