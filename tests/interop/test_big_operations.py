"""The largest operations that a user may ask for: each is one unit, whatever happens meanwhile."""
import collections
import contextlib
import random
import shutil

from tests.differential.side import Side, create, running, topic
from tests.differential.test_differential import active
from tests.harness.processes import wait_until

PARTITIONS = 9998  # with the topic's own record one less than the most
KILLS = 4


def wait_active(controller, jvm):
    def answers():
        with contextlib.suppress(AssertionError, KeyError):  # the killed one's socket outlives it by a moment
            return active(controller, jvm)
    wait_until("the controller is active", answers)


def test_killed_in_the_midst_of_it(cluster, jvm):
    """cases.md row 34 (KAFKA-14204)."""
    controller = cluster.hayward(settings={"broker.session.timeout.ms": 600000})
    wait_active(controller, jvm)
    side = Side("controller", controller, jvm)
    running(side, 1)
    epoch = side.epoch()
    assert create(side, topic("whole", partitions=PARTITIONS, factor=1)) and side.epoch() == epoch
    create(side, topic("too-many", partitions=PARTITIONS + 2, factor=1))
    random.seed(14204)
    for i in range(KILLS):
        body = {"topics": [topic(f"killed-{i}", partitions=PARTITIONS, factor=1)], "timeoutMs": 5000, "validateOnly": False}
        with contextlib.suppress(AssertionError):  # no answer within the time
            jvm.rpc(controller.port, 19, 7, body, timeout_ms=random.randrange(1, 80))
        controller.kill()
        controller.start().wait_ready()
        wait_active(controller, jvm)
    records = controller.records(jvm)
    names = {r["data"]["topicId"]: r["data"]["name"] for r in records if r["type"] == "TopicRecord"}
    written = collections.Counter(names[r["data"]["topicId"]] for r in records if r["type"] == "PartitionRecord")
    assert written["whole"] == PARTITIONS and "too-many" not in written
    assert set(written.values()) == {PARTITIONS}, written
    assert set(written) == set(names.values()), "no topic without its partitions"


def test_a_snapshot_right_behind_a_transaction(with_brokers, jvm):
    """cases.md row 55: an operation that fits no batch is a transaction of several. The snapshot that its bytes bring about ends where
    it ends, and a Java voter that lost its disk begins with that and goes on."""
    quorum = with_brokers(["hayward", "java", "hayward"], settings={"metadata.log.max.record.bytes.between.snapshots": 4_000_000})
    creator = quorum.creator("made")
    leader = quorum.make_lead(quorum.voters[0], creator)
    creator.create()
    java = quorum.nodes[quorum.voters[1]]
    java.stop()
    shutil.rmtree(java.data)
    entries = [{"entity": [{"entityType": "user", "entityName": f"{i}-{'x' * 30000}"}],
                "ops": [{"key": "producer_byte_rate", "value": 1024.0 + i, "remove": False}]} for i in range(300)]
    answer = jvm.rpc(leader.port, 49, 1, {"entries": entries, "validateOnly": False}, timeout_ms=30000)
    assert all(e["errorCode"] == 0 for e in answer["response"]["entries"])
    ends = [r for r in leader.records(jvm) if r["type"] == "EndTransactionRecord"]
    name = f"{ends[-1]['offset'] + 1:020}-{ends[-1]['epoch']:010}.checkpoint"
    made = leader.metadata_log / name
    wait_until(lambda: f"{name} among {sorted(p.name for p in leader.metadata_log.iterdir())}", made.exists, 20)
    quorum.format(java)
    quorum.start(java.node_id)
    quorum.wait_caught_up(java.node_id)
    assert (java.metadata_log / name).read_bytes() == made.read_bytes()
    assert java.records(jvm)[0]["offset"] >= ends[-1]["offset"] + 1, "what the snapshot holds was not fetched record by record"
    creator.create()
    quorum.wait_caught_up()
    quorum.make_lead(java.node_id, creator)
    creator.create()
    creator.settle()
    quorum.wait_caught_up()
    assert quorum.check_logs(creator.acknowledged) > 0
