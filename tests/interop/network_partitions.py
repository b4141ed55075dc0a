"""Quorums on a network that is cut. Run by test_network.py inside a network namespace of its own; pytest does not collect it."""
import os
import time

import pytest

from tests.harness import model_brokers, quorum as quorums
from tests.harness.islands import Islands
from tests.harness.processes import CLUSTER_ID, wait_until

LONG = bool(os.environ.get("HAYWARD_LONG"))
IDS = [quorums.FIRST_ID + i for i in range(3)]
ISOLATED_S = 180 if LONG else 5  # longer than any timeout of raft's
TAKES_S = 10  # a leader that is cut off is replaced after its followers' fetch timeout (2 s) and an election or two


@pytest.fixture
def net(cluster, jvm):
    """.islands, .quorum, .creator: three Hayward controllers, each in a namespace of its own, with two model brokers."""
    class Net:
        islands = Islands(IDS)
    brokers = None
    try:
        def make(kind, folder, **options):
            node = options["node_id"]
            return quorums.make(kind, folder, host=Net.islands.hosts[node], inside=Net.islands.inside[node], **options)
        Net.quorum = quorums.Quorum(cluster, jvm, ["hayward"] * 3, make=make, hosts=Net.islands.hosts)
        brokers = model_brokers.ModelBrokers(Net.quorum.addresses, [1, 2], CLUSTER_ID).start_and_wait()
        Net.creator = Net.quorum.creator("made")
        Net.creator.create()
        Net.quorum.wait_caught_up()
        yield Net
    finally:
        if brokers:
            brokers.stop()
        Net.islands.end()


def roles(quorum):
    """(leader's id, the two followers' ids)"""
    leader = quorum.leader().node_id
    return leader, [n for n in IDS if n != leader]


def create_on(net, *nodes, timeout_s=TAKES_S):
    """Seconds until one of `nodes` acknowledges a topic."""
    ports, begun = {net.quorum.ports[n] for n in nodes}, time.monotonic()
    while net.creator.create(timeout_s)[1] not in ports:
        assert time.monotonic() - begun < timeout_s
    return time.monotonic() - begun


def leads(net, node):
    told = quorums.wire.ask(net.quorum.ports[node], quorums.wire.describe_quorum(), 1, net.quorum.host(node))
    return told is not None and quorums.wire.described(told)["error"] == 0


def healed(net):
    """All is one quorum again; nothing acknowledged is lost, no broker was fenced. What it was."""
    net.islands.heal()
    told = net.quorum.wait_caught_up(timeout=60)
    net.creator.create()
    net.quorum.wait_caught_up()
    net.creator.settle()
    net.compared = net.quorum.check_logs(net.creator.acknowledged)
    net.fences = [r for r in net.quorum.records(net.quorum.jvm, "BrokerRegistrationChangeRecord") if r["data"].get("fenced") == 1]
    assert not net.fences, "the brokers heartbeat to whoever leads"
    return told


def figures(net):
    """What tell() is told of a healed quorum."""
    return {"acknowledged_topics": len(net.creator.acknowledged), "lost": 0, "offsets_compared": net.compared, "fences_expected": 0,
            "fences_seen": len(net.fences)}


def test_an_isolated_leader(net, tell):
    """cases.md row 65: The others elect; the one cut off stops leading by itself (check quorum) and acknowledges nothing."""
    old, others = roles(net.quorum)
    before = net.quorum.describe()["epoch"]
    net.islands.isolate(old)
    took_s = create_on(net, *others)
    wait_until("the old leader gives up", lambda: not leads(net, old), 10)
    net.creator.settle()
    told = healed(net)
    assert told["leader"] in others and told["epoch"] > before
    tell(isolations=1, replaced_after_s=round(took_s, 1), **figures(net))


def test_an_isolated_follower_disturbs_nobody(net, tell):
    """cases.md row 73.
    It cannot win a pre-vote, so its epoch does not grow: on its return the leader and the epoch are the same (KIP-996)."""
    leader, followers = roles(net.quorum)
    before = net.quorum.describe()["epoch"]
    net.islands.isolate(followers[0])
    until = time.monotonic() + ISOLATED_S
    slowest_s = 0
    while time.monotonic() < until:
        slowest_s = max(slowest_s, create_on(net, leader))
        assert slowest_s < 2
        time.sleep(0.2)
    told = healed(net)
    assert (told["leader"], told["epoch"]) == (leader, before)
    time.sleep(3)
    told = net.quorum.describe()
    assert (told["leader"], told["epoch"]) == (leader, before), "nor later"
    tell(isolations=1, isolated_s=ISOLATED_S, slowest_write_s=round(slowest_s, 2), epochs_more=told["epoch"] - before, **figures(net))


@pytest.mark.parametrize("to_leader", [True, False], ids=["its requests are lost", "the answers are lost"])
def test_one_way_loss_at_a_follower(net, tell, to_leader):
    """Between one follower and the leader one direction is lost; with the other follower all is well: no new leader."""
    leader, followers = roles(net.quorum)
    before = net.quorum.describe()["epoch"]
    net.islands.cut(*((followers[0], leader) if to_leader else (leader, followers[0])))
    until = time.monotonic() + ISOLATED_S
    while time.monotonic() < until:
        create_on(net, leader)
        time.sleep(0.2)
    told = healed(net)
    assert (told["leader"], told["epoch"]) == (leader, before)
    tell(ways_cut=1, cut_s=ISOLATED_S, epochs_more=told["epoch"] - before, **figures(net))


def test_a_leader_that_is_not_heard(net, tell):
    """All that it sends to the other voters is lost, all that they send arrives: it must be replaced."""
    old, others = roles(net.quorum)
    for other in others:
        net.islands.cut(old, other)
    took_s = create_on(net, *others, timeout_s=20)
    assert healed(net)["leader"] in IDS
    tell(ways_cut=2, replaced_after_s=round(took_s, 1), **figures(net))


def test_everybody_is_cut_off_from_everybody(net, tell):
    """Nothing is acknowledged; once healed one leader serves again."""
    for node in IDS:
        net.islands.isolate(node)
    wait_until("nobody leads", lambda: not any(leads(net, node) for node in IDS), 20)
    net.creator.settle()
    count = len(net.creator.acknowledged)
    with pytest.raises(TimeoutError):
        net.creator.create(3)
    assert len(net.creator.acknowledged) == count
    net.islands.heal()
    took_s = create_on(net, *IDS, timeout_s=20)
    healed(net)
    tell(isolations=3, serves_again_after_s=round(took_s, 1), **figures(net))
