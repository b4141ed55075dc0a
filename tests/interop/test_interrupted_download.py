"""A follower that loads its Java leader's snapshot piece by piece, when the leader dies half way. (A snapshot that the leader has no
longer cannot be had cheaply from Java, which looks once a minute what it may delete: tests/unit/node/snapshot_download_test.cc.)"""
import shutil

from tests.harness.processes import wait_until

TOPICS = 60
SETTINGS = {"metadata.log.max.record.bytes.between.snapshots": 6000, "controller.quorum.fetch.snapshot.max.bytes": 20}


def size_of_part(node):
    """Bytes of a leader's snapshot that the node has so far; 0: no such file."""
    try:
        return max((part.stat().st_size for part in node.metadata_log.glob("*-leader.*")), default=0)
    except FileNotFoundError:  # it has just been given its name
        return 0


def test_the_leader_dies_half_way(with_brokers, tell):
    quorum = with_brokers(["java", "hayward", "java"], settings=SETTINGS)
    lost = quorum.nodes[quorum.voters[1]]
    lost.stop()
    shutil.rmtree(lost.data)
    creator = quorum.creator("made")
    for _ in range(TOPICS):
        creator.create()
    leader = quorum.leader()

    def newest():
        return max(leader.metadata_log.glob("*.checkpoint"), key=lambda snapshot: snapshot.name)
    wait_until("the leader has a snapshot", lambda: int(newest().name.split("-")[0]) > TOPICS, 30)
    quorum.format(lost)
    lost.start()
    wait_until("the download has begun", lambda: size_of_part(lost) > 200, 30, 0.001)
    leader.pause()
    had, of = size_of_part(lost), newest().stat().st_size
    assert 200 < had < of, "it is under way"
    assert not [s for s in lost.metadata_log.glob("*.checkpoint") if not s.name.startswith("0" * 20)]
    leader.kill()
    creator.create()  # by the other Java controller, which needs the vote of the one without a log
    assert quorum.leader() not in (leader, lost)
    quorum.wait_caught_up(lost.node_id)
    assert int(lost.segments()[0].name.split(".")[0]) > 0, "it began with a snapshot"
    quorum.start(leader.node_id)
    creator.create()
    creator.settle()
    quorum.wait_caught_up()
    tell(bytes_loaded_when_the_leader_died=had, of=of, acknowledged_topics=len(creator.acknowledged), lost=0,
         offsets_compared=quorum.check_logs(creator.acknowledged))
