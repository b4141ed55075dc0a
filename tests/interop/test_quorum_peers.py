"""Hayward among controllers of other Kafka releases, snapshots across the two kinds, and what the stock quorum tool tells of Hayward."""
import os
import re
import shutil

import pytest

from tests.harness import kafka_jars, wire
from tests.harness.processes import CLUSTER_ID, wait_until

LONG = bool(os.environ.get("HAYWARD_LONG"))
PAIRS = [("java-4.0.2", "java-4.4.0"), ("java-4.1.2", "java-4.2.2")]
TOPICS_PER_SNAPSHOT = 40


@pytest.mark.parametrize("others", PAIRS, ids=["4.0 and 4.4", "4.1 and 4.2"])
def test_other_releases(with_brokers, tell, others):
    """Each of the three leads in turn, at the metadata.version that all know; all logs are one."""
    for kind in others:
        try:
            kafka_jars.lib(kind.partition("-")[2])
        except kafka_jars.Unavailable as reason:
            pytest.skip(f"LEFT OUT: {reason}")
    quorum = with_brokers(["hayward", *others], format_flags=("--release-version", "4.0"))
    creator = quorum.creator("made")
    for node in quorum.voters:
        quorum.make_lead(node, creator)
        creator.create()
    creator.settle()
    compared = quorum.check_logs(creator.acknowledged)
    assert compared > 0
    tell(made_to_lead=len(quorum.voters), acknowledged_topics=len(creator.acknowledged), lost=0, offsets_compared=compared)


def snapshots(process):
    """{name: bytes} of the snapshots that the process or its leader made, the newest last."""
    return {p.name: p.read_bytes() for p in sorted(process.metadata_log.glob("*.checkpoint")) if not p.name.startswith("00000000000000000000-")}


def exists(process, topic):
    answer = wire.ask(process.port, wire.create_topics(topic, validate_only=True))
    return answer is not None and wire.created(answer) == wire.TOPIC_EXISTS


@pytest.mark.parametrize("maker, taker", [("hayward", "java"), ("java", "hayward")])
def test_a_snapshot_of_the_other_kind_is_installed(with_brokers, jvm, tell, maker, taker):
    """A voter that lost its disk gets the leader's newest snapshot and what comes after; then it leads with all of it."""
    quorum = with_brokers([maker, taker, maker], settings={"metadata.log.max.record.bytes.between.snapshots": 3000})
    creator = quorum.creator("made")
    leader = quorum.make_lead(quorum.voters[0], creator)
    lost = quorum.nodes[quorum.voters[1]]
    lost.stop() if lost.alive() else None
    shutil.rmtree(lost.data)
    for _ in range(TOPICS_PER_SNAPSHOT):
        creator.create()
    made = wait_until("the leader has a snapshot", lambda: snapshots(leader), 30, 0.1)
    quorum.format(lost)
    quorum.start(lost.node_id)
    quorum.wait_caught_up(lost.node_id)
    taken = snapshots(lost)
    assert set(taken) & set(snapshots(leader)), f"it began with a snapshot of the leader's: {list(taken)}, {list(made)}"
    for name in set(taken) & set(made):
        assert taken[name] == made[name]
    first = lost.segments()[0]
    assert int(first.name.split(".")[0]) > 0, "what the snapshot holds was not fetched record by record"
    creator.create()
    creator.settle()
    quorum.wait_caught_up()
    compared = quorum.check_logs(creator.acknowledged)
    quorum.make_lead(lost.node_id, creator)
    creator.settle()
    missing = [topic for topic in creator.acknowledged if not exists(lost, topic)]
    assert not missing, f"{lost.name} leads and does not know {missing}"
    tell(snapshots_installed=len(taken), log_then_begins_at=int(first.name.split(".")[0]), acknowledged_topics=len(creator.acknowledged),
         known_to_the_new_leader=len(creator.acknowledged) - len(missing), offsets_compared=compared)


def test_the_stock_tool_describes(with_brokers, jvm):
    """kafka-metadata-quorum describe --status and --replication, as 4.3.1 prints them."""
    quorum = with_brokers(["hayward"] * 3, dynamic=True)
    told = quorum.wait_caught_up()
    status = jvm.tool("metadata-quorum", "--bootstrap-controller", quorum.bootstrap, "describe", "--status").out
    fields = dict(re.split(r":\s+", line, maxsplit=1) for line in status.splitlines() if re.search(r":\s+\S", line))
    assert fields["ClusterId"] == CLUSTER_ID and int(fields["LeaderId"]) == told["leader"] and int(fields["LeaderEpoch"]) == told["epoch"]
    assert int(fields["HighWatermark"]) >= told["high_watermark"] and int(fields["MaxFollowerLag"]) <= 2
    for node in quorum.voters:
        assert f'"id": {node}' in fields["CurrentVoters"] and quorum.directories[node] in fields["CurrentVoters"], fields
        assert str(quorum.ports[node]) in fields["CurrentVoters"], fields
    rows = jvm.tool("metadata-quorum", "--bootstrap-controller", quorum.bootstrap, "describe", "--replication").out.splitlines()[1:]
    by_id = {int(row.split()[0]): row.split() for row in rows if row.strip()}
    assert sorted(by_id) == quorum.voters
    assert [by_id[n][-1] for n in quorum.voters].count("Leader") == 1 and by_id[told["leader"]][-1] == "Leader"
    assert all(by_id[n][1] == quorum.directories[n] for n in quorum.voters)
