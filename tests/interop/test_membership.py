"""Voters that come and go, as the stock tools and Java's controllers have it: added, removed, joining by themselves, and a quorum
of configured voters that becomes a dynamic one."""
import re
import shutil

import pytest

from tests.harness.processes import wait_until


@pytest.mark.parametrize("kind", ["hayward", "java"])
def test_the_stock_tool_adds_and_removes(with_brokers, jvm, kind):
    """add-controller and remove-controller of 4.3.1 on a leader of Hayward's: a fourth of either kind comes, the leader goes."""
    quorum = with_brokers(["hayward"] * 3, dynamic=True)
    creator = quorum.creator("made")
    creator.create()
    fourth = quorum.join(kind)
    quorum.wait_caught_up(fourth.node_id)
    # Not the fourth: a Java controller that has just started says for a while that the metadata.version is too low for tools.
    at = ("--bootstrap-controller", ",".join(quorum.address(node) for node in quorum.voters))
    jvm.tool("metadata-quorum", "--command-config", fourth.config, *at, "add-controller")
    told = quorum.wait_caught_up()
    assert sorted(told["voters"]) == [*quorum.voters, fourth.node_id]
    leader = quorum.leader()
    jvm.tool("metadata-quorum", *at, "remove-controller", "--controller-id", leader.node_id,
             "--controller-directory-id", quorum.directories[leader.node_id])
    told = wait_until("another leads", lambda: (d := quorum.describe()) and d["leader"] != leader.node_id and d, 30)
    assert sorted(told["voters"]) == sorted({*quorum.voters, fourth.node_id} - {leader.node_id})
    # Who has just been removed may be asked too: it answers once it knows who leads.
    again = jvm.tool("metadata-quorum", *at, "remove-controller", "--controller-id", leader.node_id,
                     "--controller-directory-id", quorum.directories[leader.node_id], check=False)
    quorum.nodes.pop(leader.node_id).stop()
    assert again.exit != 0 and "VoterNotFound" in again.out + again.err, again
    creator.create()
    creator.settle()
    quorum.wait_caught_up()
    quorum.check_logs(creator.acknowledged)


def test_auto_join(with_brokers):
    """A controller that may join by itself becomes a voter; one whose disk was lost comes back under a new directory id."""
    quorum = with_brokers(["hayward"] * 3, dynamic=True)
    creator = quorum.creator("made")
    creator.create()
    quorum.extra["controller.quorum.auto.join.enable"] = "true"
    fourth = quorum.join("hayward")
    def joined():
        voters = (quorum.describe() or {"voters": {}})["voters"]
        return voters.get(fourth.node_id)
    first = wait_until("it joins", joined, 30)["directory"]
    fourth.stop()
    shutil.rmtree(fourth.data)
    quorum.format(fourth, "--no-initial-controllers")
    quorum.start(fourth.node_id)
    wait_until("it joins anew", lambda: (voter := joined()) and voter["directory"] != first, 30)
    creator.create()
    quorum.wait_caught_up()
    creator.settle()
    quorum.check_logs(creator.acknowledged)


def haywards(quorum):
    """Who can be asked at any time: a Java controller that has just started says for a while that it is too old for tools."""
    return ",".join(quorum.address(node) for node, process in quorum.nodes.items() if process.kind == "hayward")


def kraft_version(quorum, jvm):
    """Of the quorum, as kafka-features describe has it."""
    out = jvm.tool("features", "--bootstrap-controller", haywards(quorum), "describe").out
    return int(re.search(r"Feature: kraft.version\s.*FinalizedVersionLevel: (\d+)", out).group(1))


def upgrade(quorum, jvm, check=True):
    return jvm.tool("features", "--bootstrap-controller", haywards(quorum), "upgrade", "--feature", "kraft.version=1", check=check)


@pytest.mark.parametrize("kinds", [["hayward"] * 3, ["hayward", "java", "hayward"]], ids=["hayward", "mixed"])
def test_configured_voters_become_dynamic(with_brokers, jvm, kinds):
    """cases.md 89: refused while a voter is silent; with all there it passes, and each node starts again without the configured
    voters. Then the quorum takes a fourth, which a quorum of configured voters cannot."""
    quorum = with_brokers(kinds, dynamic=False)
    creator = quorum.creator("made")
    creator.create()
    quorum.make_lead(quorum.voters[0], creator)
    assert kraft_version(quorum, jvm) == 0
    silent = quorum.nodes[quorum.voters[1]]
    silent.stop()
    # A leader has heard what a voter supports only from itself, in this epoch.
    quorum.nodes[quorum.voters[0]].stop()
    quorum.start(quorum.voters[0])
    creator.create()
    refused = upgrade(quorum, jvm, check=False)
    assert refused.exit != 0, refused
    assert kraft_version(quorum, jvm) == 0
    quorum.start(silent.node_id)
    quorum.wait_caught_up()
    wait_until(lambda: f"the upgrade passes: {upgrade(quorum, jvm, check=False)}", lambda: upgrade(quorum, jvm, check=False).exit == 0, 60, 1)
    assert kraft_version(quorum, jvm) == 1
    quorum.turn_dynamic()
    for node in quorum.voters:
        quorum.replace(node, quorum.nodes[node].kind)
        creator.create()
    assert kraft_version(quorum, jvm) == 1
    fourth = quorum.join("hayward")
    quorum.wait_caught_up(fourth.node_id)
    jvm.tool("metadata-quorum", "--command-config", fourth.config, "--bootstrap-controller", haywards(quorum), "add-controller")
    assert sorted(quorum.wait_caught_up()["voters"]) == [*quorum.voters, fourth.node_id]
    creator.settle()
    quorum.check_logs(creator.acknowledged)
