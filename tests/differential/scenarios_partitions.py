"""Scenarios about leaders, replicas on the move and configs replaced as a whole (played as scenarios.py says)."""
from .scenarios import alter
from .side import DIRECTORIES, create, heartbeat, register, running, topic


def elect(side, kind, partitions, version=2, timeout_ms=5000):
    body = {"topicPartitions": None if partitions is None else [{"topic": t, "partitions": p} for t, p in partitions.items()],
            "timeoutMs": timeout_ms}
    if version >= 1:
        body["electionType"] = kind
    return side.rpc(f"elect {kind} {partitions}", 43, version, body)


def elect_leaders(side):
    epochs = running(side, 1, 2, 3)
    ids = create(side, topic("a", {0: [1, 2, 3], 1: [2, 1, 3]}), topic("b", {0: [2, 3]}), topic("c", {0: [3]}))
    heartbeat(side, 1, epochs[1], want_fence=True)
    heartbeat(side, 1, epochs[1])
    elect(side, 0, {"a": [0]})                                    # 1 is not in sync
    alter(side, 2, epochs[2], ids["a"], leader_epoch=1, partition_epoch=1, isr=[(b, epochs[b]) for b in (2, 3, 1)])
    elect(side, 0, {"a": [1, 0, 9], "nope": [0], "b": [0]})
    elect(side, 0, {"a": [0]})
    elect(side, 1, {"a": [0]})
    for broker in (3, 2):
        heartbeat(side, broker, epochs[broker], want_fence=True)
    elect(side, 1, {"c": [0], "b": [0, 1]})                       # nobody is alive
    elect(side, 0, {"c": [0]})
    heartbeat(side, 2, epochs[2])
    elect(side, 0, None)
    elect(side, 1, None)
    heartbeat(side, 3, epochs[3])
    for version in (0, 1, 2):
        elect(side, 0, {"b": [0]}, version)
    elect(side, 7, {"a": [0]})
    elect(side, 7, {})
    elect(side, 0, {"a": [0]}, timeout_ms=0)


def unclean_election(side):
    """A replica that lacks records leads by an operator's wish, and tells when it has recovered."""
    epochs = running(side, 1, 2)
    ids = create(side, topic("t", {0: [1, 2]}))
    alter(side, 1, epochs[1], ids["t"], isr=[(1, epochs[1])])
    heartbeat(side, 1, epochs[1], want_fence=True)
    elect(side, 0, {"t": [0]})
    elect(side, 1, {"t": [0]})
    alter(side, 2, epochs[2], ids["t"], leader_epoch=2, partition_epoch=3, isr=[(2, epochs[2])], state=1)
    alter(side, 2, epochs[2], ids["t"], leader_epoch=2, partition_epoch=3, isr=[(2, epochs[2]), (1, epochs[1])], state=1)
    alter(side, 2, epochs[2], ids["t"], leader_epoch=2, partition_epoch=3, isr=[(2, epochs[2])], state=0)
    heartbeat(side, 1, epochs[1])
    alter(side, 2, epochs[2], ids["t"], leader_epoch=2, partition_epoch=4, isr=[(2, epochs[2]), (1, epochs[1])], state=0)
    elect(side, 0, {"t": [0]})


def reassign(side, moves, version=1, timeout_ms=5000, **options):
    """moves: {topic: {partition: replicas, or None to cancel}}"""
    topics = [{"name": t, "partitions": [{"partitionIndex": p, "replicas": r} for p, r in parts.items()]} for t, parts in moves.items()]
    body = {"timeoutMs": timeout_ms, "topics": topics, **({"allowReplicationFactorChange": True} if version >= 1 else {}), **options}
    return side.rpc(f"reassign {moves}", 45, version, body)


def moving(side, topics=None):
    asked = None if topics is None else [{"name": t, "partitionIndexes": p} for t, p in topics.items()]
    return side.rpc(f"list {topics}", 46, 0, {"timeoutMs": 5000, "topics": asked})


def joined(side, epochs, topic_id, leader, isr, partition, leader_epoch, partition_epoch):
    return alter(side, leader, epochs[leader], topic_id, partition, leader_epoch, partition_epoch, [(b, epochs[b]) for b in isr])


def reassignment(side):
    epochs = running(side, 1, 2, 3, 4)
    ids = create(side, topic("t", {p: [1, 2] for p in range(4)}), topic("one", {0: [1]}), topic("u", {0: [2]}))
    t = ids["t"]
    moving(side)
    reassign(side, {"t": {0: [3, 4], 1: [2, 1], 2: [2], 3: [1, 2, 3]}, "one": {0: [1]}})
    moving(side)
    moving(side, {"t": [0, 1, 9], "u": [0], "nope": [0]})
    moving(side, {})
    joined(side, epochs, t, 1, (1, 2, 3), 0, 0, 1)
    moving(side)
    joined(side, epochs, t, 1, (1, 2, 3, 4), 0, 0, 2)             # complete, and led by another
    joined(side, epochs, t, 1, (1, 2, 3), 3, 0, 1)                # complete, and led as before
    moving(side)
    reassign(side, {"one": {0: [3]}})
    reassign(side, {"one": {0: None}})
    reassign(side, {"one": {0: None}, "u": {0: None}})
    reassign(side, {"one": {0: []}})
    reassign(side, {"one": {0: [1, 1]}, "u": {0: [9]}, "nope": {0: [1]}})
    reassign(side, {"one": {7: [1]}, "u": {0: [-1]}})
    reassign(side, {"one": {0: [2]}}, version=0)
    reassign(side, {"one": {0: [2, 3]}}, allowReplicationFactorChange=False)
    reassign(side, {"one": {0: [3]}, "u": {0: [3, 1]}}, allowReplicationFactorChange=False)
    reassign(side, {"one": {0: None}}, allowReplicationFactorChange=False)
    reassign(side, {})
    reassign(side, {"t": {0: [1]}}, timeout_ms=0)


def reassignment_changed(side):
    """A move is given another target while it goes on, and cancelled when only new replicas are in sync."""
    epochs = running(side, 1, 2, 3, 4)
    ids = create(side, topic("t", {0: [1, 2]}), topic("one", {0: [1]}), topic("two", {0: [1, 2]}),
                 topic("unclean", {0: [1]}, configs=[("unclean.leader.election.enable", "true")]))
    reassign(side, {"t": {0: [1, 3]}})
    reassign(side, {"t": {0: [1, 3]}})                            # the same again
    reassign(side, {"t": {0: [1, 4]}})
    joined(side, epochs, ids["t"], 1, (1, 4), 0, 0, 2)
    reassign(side, {"one": {0: [2, 3]}, "unclean": {0: [2, 3]}})
    joined(side, epochs, ids["one"], 1, (1, 2), 0, 0, 1)
    joined(side, epochs, ids["unclean"], 1, (1, 2), 0, 0, 1)
    heartbeat(side, 1, epochs[1], want_fence=True)
    reassign(side, {"one": {0: None}, "unclean": {0: None}})
    moving(side)
    heartbeat(side, 1, epochs[1])
    heartbeat(side, 3, epochs[3], want_fence=True)
    reassign(side, {"two": {0: [3, 1, 2]}})                       # a fenced target is accepted
    moving(side)


def reassignment_taken_back(side):
    """The old replicas as another target: ends the move here; Java waits for a replica that it removes."""
    running(side, 1, 2, 3)
    create(side, topic("t", {0: [1, 2]}))
    reassign(side, {"t": {0: [1, 3]}})
    reassign(side, {"t": {0: [1, 2]}})
    moving(side)


def reassignment_with_directories(side):
    epochs = {1: register(side, 1, logDirs=DIRECTORIES[1]), 2: register(side, 2)}
    for broker in (1, 2):
        heartbeat(side, broker, epochs[broker])
    ids = create(side, topic("t", {0: [2]}))
    reassign(side, {"t": {0: [1, 2]}})                            # unassigned: two directories
    joined(side, epochs, ids["t"], 2, (2, 1), 0, 0, 1)
    side.rpc("assign", 73, 0, {"brokerId": 1, "brokerEpoch": epochs[1], "directories": [
        {"id": DIRECTORIES[1][1], "topics": [{"topicId": ids["t"], "partitions": [{"partitionIndex": 0}]}]}]})
    reassign(side, {"t": {0: [1]}})
    reassign(side, {"t": {0: [2, 1]}})
    heartbeat(side, 1, epochs[1], offlineLogDirs=[DIRECTORIES[1][1]])
    reassign(side, {"t": {0: None}})


def replaced_configs(side):
    """Several keys go in the order of a hash in Java: one at a time where both are written."""
    running(side, 1)
    create(side, topic("t", {0: [1]}, configs=[("retention.ms", "5")]))

    def replace(*resources, validate_only=False, version=2):
        side.rpc(f"replace {resources}"[:90], 33, version, {"resources": [{"resourceType": kind, "resourceName": name, "configs": [
            {"name": k, "value": v} for k, v in configs]} for kind, name, configs in resources], "validateOnly": validate_only})

    replace((2, "t", [("retention.ms", "5")]))                    # as it is
    replace((2, "t", [("retention.ms", "6")]), validate_only=True)
    replace((2, "t", [("cleanup.policy", "compact")]))            # one set, one removed
    replace((2, "t", [("cleanup.policy", None)]))
    replace((2, "t", [("cleanup.policy", None)]))
    replace((2, "t", [("cleanup.policy", "compact"), ("cleanup.policy", "delete")]))
    replace((2, "t", [("nonsense", "1")]))
    replace((2, "t", [("retention.ms", "soon")]))
    replace((2, "nope", [("retention.ms", "1")]))
    replace((2, "bad name", [("retention.ms", "1")]))
    replace((2, "t", []))
    replace((4, "1", [("log.cleaner.threads", "2")]), version=0)
    replace((4, "1", [("log.cleaner.threads", "2")]), version=1)  # brokers' are always recorded
    replace((4, "1", [("min.insync.replicas", "2")]))
    replace((4, "", [("log.retention.ms", "8")]))                 # would remove the cluster's min.insync.replicas
    replace((4, "", [("min.insync.replicas", "2")]))
    replace((4, "77", [("log.cleaner.threads", "2")]))
    replace((4, "x", [("log.cleaner.threads", "2")]))
    replace((8, "3000", [("kafka", "INFO")]))
    replace((16, "m", [("interval.ms", "1000")]))
    replace((32, "g", [("consumer.session.timeout.ms", "50000")]))
    replace((16, "", [("interval.ms", "1000")]))
    replace((99, "t", [("a", "1")]))
    replace((2, "t", [("retention.ms", "9")]), (2, "t", [("retention.ms", "8")]))
    replace((2, "t", [("min.insync.replicas", "2")]))
    replace()


SCENARIOS = [elect_leaders, unclean_election, reassignment, reassignment_changed, reassignment_taken_back, reassignment_with_directories, replaced_configs]
