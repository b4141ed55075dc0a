"""The scenarios: each plays the same requests to whichever side it is given."""
import time

from .side import DIRECTORIES, create, heartbeat, register, running, topic


def registration(side):
    epoch = register(side, 1)
    register(side, 1)                                             # the same incarnation again: the same epoch
    register(side, 1, logDirs=DIRECTORIES[1])                     # amended by a second directory
    register(side, 2, clusterId="another")
    register(side, 2, logDirs=[])
    register(side, 2, logDirs=["AAAAAAAAAAAAAAAAAAAAAQ"])
    register(side, 2, logDirs=[DIRECTORIES[1][0]])
    register(side, 2, logDirs=[DIRECTORIES[2][0], DIRECTORIES[2][0]])
    register(side, 2, features=[])
    register(side, 2, features=[{"name": "metadata.version", "minSupportedVersion": 7, "maxSupportedVersion": 20}])
    register(side, 2, isMigratingZkBroker=True)
    heartbeat(side, 1, epoch)
    register(side, 1, incarnation="anotherOneAnotherOneAA")       # the lease lives: refused
    for version in (2, 3):
        register(side, 3 + version, version=version)


def heartbeats(side):
    epoch = register(side, 1)
    heartbeat(side, 1, epoch, offset=-1, want_fence=True)
    heartbeat(side, 1, epoch, offset=0)                           # not caught up
    heartbeat(side, 1, epoch, want_fence=True)
    heartbeat(side, 1, epoch)                                     # unfenced
    heartbeat(side, 1, epoch + 1)
    heartbeat(side, 9, 5)
    heartbeat(side, 1, epoch, version=0)
    heartbeat(side, 1, epoch, want_fence=True)                    # fenced by wish
    heartbeat(side, 1, epoch)
    heartbeat(side, 1, epoch, cordonedLogDirs=[])
    heartbeat(side, 1, epoch, cordonedLogDirs=[DIRECTORIES[1][0]])
    heartbeat(side, 1, epoch, want_shut_down=True)
    heartbeat(side, 1, epoch, want_shut_down=True)


def controlled_shutdown(side):
    epochs = running(side, 1, 2)
    create(side, topic("t", {0: [1, 2], 1: [2, 1]}), topic("u", {0: [1]}))
    heartbeat(side, 1, epochs[1], want_shut_down=True, offset=side.last_offset())
    heartbeat(side, 1, epochs[1], offset=side.last_offset())
    heartbeat(side, 2, epochs[2], offset=side.last_offset())
    heartbeat(side, 1, epochs[1], want_shut_down=True, offset=side.last_offset())
    heartbeat(side, 1, epochs[1], want_shut_down=True, offset=side.last_offset())


def unregistration(side):
    epochs = running(side, 1, 2)
    create(side, topic("t", {0: [1, 2]}), topic("u", {0: [1]}))
    side.rpc("unregister", 64, 0, {"brokerId": 1})
    side.rpc("unregister again", 64, 0, {"brokerId": 1})
    heartbeat(side, 1, epochs[1])


def failed_directory(side):
    epoch = register(side, 1, logDirs=DIRECTORIES[1])
    heartbeat(side, 1, epoch)
    other = running(side, 2)
    ids = create(side, topic("t", {0: [1, 2], 1: [1, 2]}))
    for index, directory in enumerate(DIRECTORIES[1]):
        assign(side, 1, epoch, directory, ids["t"], [index])
    heartbeat(side, 1, epoch, offlineLogDirs=[DIRECTORIES[1][0]])
    heartbeat(side, 2, other[2])


def assign(side, broker, epoch, directory, topic_id, partitions):
    return side.rpc("assign", 73, 0, {"brokerId": broker, "brokerEpoch": epoch, "directories": [
        {"id": directory, "topics": [{"topicId": topic_id, "partitions": [{"partitionIndex": p} for p in partitions]}]}]})


def assignments(side):
    epochs = running(side, 1, 2)
    ids = create(side, topic("t", {0: [1, 2]}), topic("u", {0: [2]}))
    assign(side, 1, epochs[1], DIRECTORIES[1][0], ids["t"], [0, 7])
    assign(side, 1, epochs[1], DIRECTORIES[1][0], ids["u"], [0])
    assign(side, 1, epochs[1], DIRECTORIES[1][0], ids["t"], [0])
    assign(side, 1, epochs[1] + 5, DIRECTORIES[1][0], ids["t"], [0])
    assign(side, 1, epochs[1], DIRECTORIES[1][0], "unknownTopicIdAAAAAAAA", [0])
    assign(side, 2, epochs[2], "AAAAAAAAAAAAAAAAAAAAAg", ids["u"], [0])


def topics(side):
    running(side, 1, 2, 3)
    create(side, topic("a", {0: [1, 2, 3], 1: [2, 3, 1]}, configs=[("retention.ms", "1000")]))
    create(side, topic("a", {0: [1]}))
    create(side, topic("a.b", {0: [1]}), topic("a_b", {0: [1]}))
    create(side, topic("a_b", {0: [1]}))
    for name in ("", ".", "..", "x" * 250, "bad name", "__cluster_metadata"):
        create(side, topic(name, {0: [1]}))
    create(side, topic("b", {0: [1, 1]}), topic("c", {0: [1], 1: [1, 2]}), topic("d", {0: [9]}), topic("e", {0: []}),
           topic("f", {0: [1], 2: [1]}), topic("g", {0: [1]}, partitions=1), topic("h", {0: [1]}, factor=1))
    create(side, topic("i", partitions=0, factor=1), topic("j", partitions=-2, factor=1), topic("k", partitions=1, factor=0),
           topic("l", partitions=1, factor=4), topic("m", partitions=1, factor=-2))
    create(side, topic("n", {0: [1]}, configs=[("nonsense", "1")]), topic("o", {0: [1]}, configs=[("retention.ms", "x")]),
           topic("p", {0: [1]}, configs=[("retention.ms", None)]), topic("q", {0: [1]}, configs=[("cleanup.policy", "")]))
    create(side, topic("twice", {0: [1]}), topic("twice", {0: [2]}), topic("once", {0: [1]}))
    create(side, topic("dry", {0: [1]}), validate_only=True)
    create(side, topic("big", partitions=10001, factor=1))
    for version in range(2, 7):
        create(side, topic(f"v{version}", {0: [1]}), version=version)
    create(side, topic("late", {0: [1]}), forward=True)


def delete_topics(side):
    running(side, 1)
    ids = create(side, topic("a", {0: [1]}, configs=[("retention.ms", "5")]), topic("b", {0: [1]}), topic("c", {0: [1]}))
    side.rpc("by name", 20, 5, {"topicNames": ["a", "nope"], "timeoutMs": 5000})
    side.rpc("by id", 20, 6, {"topics": [{"name": None, "topicId": ids["b"]}, {"name": None, "topicId": "unknownTopicIdAAAAAAAA"}],
                              "timeoutMs": 5000})
    side.rpc("neither, both", 20, 6, {"topics": [{"name": None, "topicId": "AAAAAAAAAAAAAAAAAAAAAA"},
                                                 {"name": "c", "topicId": ids["c"]}], "timeoutMs": 5000})
    side.rpc("due already", 20, 6, {"topics": [{"name": "c", "topicId": "AAAAAAAAAAAAAAAAAAAAAA"}], "timeoutMs": 0})
    create(side, topic("a", {0: [1]}))


def create_partitions(side):
    running(side, 1, 2)
    create(side, topic("t", {0: [1, 2]}))

    def add(name, count, assignments=None, version=3, validate_only=False):
        entry = {"name": name, "count": count,
                 "assignments": None if assignments is None else [{"brokerIds": a} for a in assignments]}
        side.rpc(f"add {name} {count}", 37, version, {"topics": [entry], "timeoutMs": 5000, "validateOnly": validate_only})

    add("t", 3, [[1, 2], [2, 1]], validate_only=True)
    add("t", 3, [[1, 2], [2, 1]])
    add("t", 3, [])
    add("t", 2)
    add("t", 0)
    add("t", -1)
    add("t", 4, [[1, 2], [2, 1]])
    add("t", 4, [[1]])
    add("t", 4, [[1, 9]])
    add("t", 4, [[2, 1]], version=0)
    add("nope", 4)
    entry = {"name": "t", "count": 5, "assignments": [{"brokerIds": [1, 2]}]}
    side.rpc("twice", 37, 3, {"topics": [entry, entry], "timeoutMs": 5000, "validateOnly": False})


def alter(side, broker, epoch, topic_id, partition=0, leader_epoch=0, partition_epoch=0, isr=(), state=0, version=3):
    data = {"partitionIndex": partition, "leaderEpoch": leader_epoch, "partitionEpoch": partition_epoch, "leaderRecoveryState": state}
    if version >= 3:
        data["newIsrWithEpochs"] = [{"brokerId": b, "brokerEpoch": e} for b, e in isr]
    else:
        data["newIsr"] = [b for b, _ in isr]
    return side.rpc("alter partition", 56, version, {"brokerId": broker, "brokerEpoch": epoch,
                                                     "topics": [{"topicId": topic_id, "partitions": [data]}]})


def alter_partition(side):
    epochs = running(side, 1, 2, 3)
    ids = create(side, topic("t", {0: [1, 2, 3]}))
    t, everyone = ids["t"], [(b, epochs[b]) for b in (1, 2, 3)]
    alter(side, 1, epochs[1], t, isr=everyone[:2])
    alter(side, 1, epochs[1], t, isr=everyone, partition_epoch=0)               # behind
    alter(side, 1, epochs[1], t, isr=everyone, partition_epoch=9)               # ahead
    alter(side, 1, epochs[1], t, isr=everyone, partition_epoch=1, leader_epoch=4)
    alter(side, 1, epochs[1], t, isr=[(1, epochs[1]), (2, epochs[2] + 7)], partition_epoch=1)
    alter(side, 1, epochs[1], t, isr=[(2, epochs[2])], partition_epoch=1)       # without the leader
    alter(side, 1, epochs[1], t, isr=[(1, epochs[1]), (1, epochs[1])], partition_epoch=1)
    alter(side, 1, epochs[1], t, isr=[(1, epochs[1]), (9, -1)], partition_epoch=1)
    alter(side, 1, epochs[1], t, isr=[], partition_epoch=1)
    alter(side, 2, epochs[2], t, isr=everyone, partition_epoch=1)               # not the leader
    alter(side, 1, epochs[1] + 1, t, isr=everyone, partition_epoch=1)           # stale broker epoch
    alter(side, 1, epochs[1], "unknownTopicIdAAAAAAAA", isr=everyone)
    alter(side, 1, epochs[1], t, partition=5, isr=everyone)
    alter(side, 1, epochs[1], t, isr=everyone[:2], partition_epoch=1)           # nothing new
    heartbeat(side, 3, epochs[3], want_fence=True)
    alter(side, 1, epochs[1], t, isr=everyone, partition_epoch=1)               # a fenced replica
    heartbeat(side, 3, epochs[3])
    alter(side, 1, epochs[1], t, isr=everyone, partition_epoch=1, version=2)
    alter(side, 1, epochs[1], t, isr=everyone[:1], partition_epoch=2, state=1)


def elections(side):
    """Fencing, ELR and the last replica, with min.insync.replicas=2."""
    epochs = running(side, 1, 2, 3)
    create(side, *(topic(name, {0: replicas}, configs=[("min.insync.replicas", "2")])
                   for name, replicas in (("t", [1, 2, 3]), ("u", [2, 3]), ("v", [3]))))
    for broker in (1, 2, 3):
        heartbeat(side, broker, epochs[broker], want_fence=True)
    for broker in (2, 1, 3):
        heartbeat(side, broker, epochs[broker])


def configs(side):
    running(side, 1)
    create(side, topic("t", {0: [1]}))

    def change(kind, name, *ops, validate_only=False, version=1):
        side.rpc(f"{kind} {name} {ops}", 44, version, {"resources": [{"resourceType": kind, "resourceName": name, "configs": [
            {"name": k, "configOperation": op, "value": v} for k, op, v in ops]}], "validateOnly": validate_only})

    change(2, "t", ("retention.ms", 0, "1000"), ("cleanup.policy", 0, "compact"))
    change(2, "t", ("cleanup.policy", 2, "delete"))
    change(2, "t", ("cleanup.policy", 3, "compact"))
    change(2, "t", ("retention.ms", 0, "1000"))                     # unchanged
    change(2, "t", ("retention.ms", 1, None))
    change(2, "t", ("retention.ms", 2, "5"))                        # append to no list
    change(2, "t", ("retention.ms", 0, "soon"))
    change(2, "t", ("nonsense", 0, "1"))
    change(2, "t", ("retention.ms", 0, None))
    change(2, "nope", ("retention.ms", 0, "1"))
    change(2, "bad name", ("retention.ms", 0, "1"))
    change(2, "t", ("segment.bytes", 0, "2097152"), validate_only=True)
    change(4, "1", ("log.cleaner.threads", 0, "2"))
    change(4, "1", ("log.cleaner.threads", 0, "2"))                 # brokers' are always recorded
    change(4, "", ("min.insync.replicas", 0, "2"))
    change(4, "", ("min.insync.replicas", 1, None))
    change(4, "1", ("min.insync.replicas", 0, "2"))
    change(4, "x", ("log.cleaner.threads", 0, "2"))
    change(4, "77", ("log.cleaner.threads", 0, "2"))
    change(2, "t", ("min.insync.replicas", 0, "2"))
    change(16, "m", ("interval.ms", 0, "1000"))
    change(16, "m", ("interval.ms", 0, "1"))
    change(16, "", ("interval.ms", 0, "1000"))
    change(32, "g", ("consumer.session.timeout.ms", 0, "50000"))
    change(32, "g", ("consumer.session.timeout.ms", 0, "1"))
    change(99, "t", ("a", 0, "1"))
    twice = {"resourceType": 2, "resourceName": "t", "configs": [{"name": "retention.ms", "configOperation": 0, "value": "9"}]}
    side.rpc("twice", 44, 1, {"resources": [twice, twice], "validateOnly": False})
    for kind, name in ((2, "t"), (2, "nope"), (4, ""), (4, "1"), (16, "m"), (32, "g"), (99, "x")):
        side.rpc(f"describe {kind} {name}", 32, 4, {"resources": [{"resourceType": kind, "resourceName": name,
                 "configurationKeys": ["retention.ms", "min.insync.replicas", "interval.ms", "consumer.session.timeout.ms"]}],
                 "includeSynonyms": True, "includeDocumentation": False})


def config_edges(side):
    """One key a request: Java writes several in the order of a hash."""
    running(side, 1)
    create(side, topic("t", {0: [1]}))

    def change(kind, name, key, op, value):
        side.rpc(f"{kind} {name} {key} {op} {value and value[:20]}", 44, 1, {"resources": [{
            "resourceType": kind, "resourceName": name, "configs": [{"name": key, "configOperation": op, "value": value}]}],
            "validateOnly": False})

    for op, value in ((2, "delete"), (2, "compact"), (2, ""), (3, "delete"), (3, "compact"), (2, ""), (0, "compact,,delete"),
                      (0, " compact , delete "), (0, "compact,compact"), (3, "delete,nothing"), (1, "ignored")):
        change(2, "t", "cleanup.policy", op, value)
    for key, value in (("min.cleanable.dirty.ratio", "1.5"), ("min.cleanable.dirty.ratio", ".5"), ("preallocate", "TRUE"),
                       ("preallocate", "yes"), ("segment.bytes", "1"), ("segment.bytes", "99999999999"), ("compression.type", "rar"),
                       ("compression.gzip.level", "0"), ("compression.gzip.level", "-1"), ("message.timestamp.type", "createtime"),
                       ("leader.replication.throttled.replicas", "*"), ("leader.replication.throttled.replicas", "0:1,x"),
                       ("follower.replication.throttled.replicas", "0:1,1:2"), ("min.compaction.lag.ms", "9223372036854775807"),
                       ("max.compaction.lag.ms", "5"), ("remote.storage.enable", "true"), ("retention.bytes", "-7"), ("retention.ms", "-2"),
                       ("internal.segment.bytes", "5"), ("retention.ms", " 007 "), ("", "x")):
        change(2, "t", key, 0, value)
    for name, key, op, value in (("", "metric.reporters", 2, "a"), ("", "metric.reporters", 3, "org.apache.kafka.common.metrics.JmxReporter"),
                                 ("", "log.retention.ms", 2, "a"), ("", "my.own.key", 0, "x"), ("", "my.own.key", 2, "x"),
                                 ("1", "cordoned.log.dirs", 0, "/a"), ("1", "cordoned.log.dirs", 0, ""), ("1", "cordoned.log.dirs", 1, None),
                                 ("-1", "x", 0, "x"), ("+1", "x", 0, "x"), ("3000", "x", 0, "x"), ("", "x", 0, "y" * 32767)):
        change(4, name, key, op, value)
    for key, value in (("match", "client_id=a.*"), ("match", "client_id"), ("match", "who=a"), ("match", "client_id=("), ("metrics", ""),
                       ("metrics", "a,"), ("metrics", "*"), ("interval.ms", "99"), ("interval.ms", "100"), ("interval.ms", "x"), ("x", "1")):
        change(16, "m", key, 0, value)
    change(16, "m", "metrics", 2, "b")
    for key, value in (("share.auto.offset.reset", "by_duration:PT1H"), ("share.auto.offset.reset", "by_duration:1H"),
                       ("share.auto.offset.reset", "none"), ("share.isolation.level", "READ_COMMITTED"), ("share.delivery.count.limit", "11"),
                       ("share.delivery.count.limit", "10"), ("streams.num.standby.replicas", "3"), ("consumer.heartbeat.interval.ms", "15001"),
                       ("consumer.assignment.interval.ms", "15001"), ("consumer.session.timeout.ms", "60000"), ("x", "1")):
        change(32, "g", key, 0, value)
    change(32, "", "share.isolation.level", 0, "read_committed")
    change(8, "3000", "kafka", 2, "INFO")
    change(8, "1", "kafka", 0, "INFO")
    change(8, "x", "kafka", 0, "INFO")
    change(8, "3000", "no.such.logger", 0, "INFO")


def elr_switched(side):
    """Off, with what only then may be set, and on again."""
    epochs = running(side, 1, 2)

    def update(level, kind):
        side.rpc(f"elr={level}", 57, 2, {"timeoutMs": 5000, "validateOnly": False, "featureUpdates": [
            {"feature": "eligible.leader.replicas.version", "maxVersionLevel": level, "upgradeType": kind}]})

    def minimum(kind, name, op, value):
        side.rpc(f"min.insync.replicas {kind} {name} {op} {value}", 44, 1, {"resources": [{
            "resourceType": kind, "resourceName": name, "configs": [
                {"name": "min.insync.replicas", "configOperation": op, "value": value}]}], "validateOnly": False})

    create(side, topic("t", {0: [1, 2]}, configs=[("min.insync.replicas", "2")]))
    heartbeat(side, 1, epochs[1], want_fence=True)                # leaves an ELR behind
    update(0, 2)
    minimum(4, "1", 0, "2")
    minimum(4, "", 1, None)
    minimum(2, "t", 0, "1")
    heartbeat(side, 2, epochs[2], want_fence=True)
    heartbeat(side, 1, epochs[1])
    heartbeat(side, 2, epochs[2])
    update(1, 1)
    update(1, 1)
    minimum(4, "1", 0, "2")
    minimum(2, "t", 0, "2")


def producer_ids(side):
    epochs = running(side, 1)
    for epoch in (epochs[1], epochs[1], epochs[1] + 1):
        side.rpc("allocate", 67, 0, {"brokerId": 1, "brokerEpoch": epoch})
    side.rpc("allocate, unregistered", 67, 0, {"brokerId": 5, "brokerEpoch": 1})


def features(side):
    running(side, 1)

    def update(name, level, kind=1, version=2, validate_only=False):
        side.rpc(f"{name}={level} by {kind}", 57, version, {"timeoutMs": 5000, "validateOnly": validate_only,
                 "featureUpdates": [{"feature": name, "maxVersionLevel": level, "upgradeType": kind}]})

    update("group.version", 0, 2)
    update("group.version", 1, validate_only=True)
    update("group.version", 1, version=1)
    update("group.version", 9)
    update("group.version", 0, 1)
    update("nonsense", 1)
    update("transaction.version", 2)
    update("metadata.version", 29, 2)
    update("metadata.version", 29, 3)
    update("metadata.version", 31)
    update("kraft.version", 1)
    update("kraft.version", 0, 3)
    update("share.version", -1)
    update("share.version", 1, 0)


def read_only(side):
    running(side, 1)
    for version in range(0, 5):
        body = {} if version < 3 else {"clientSoftwareName": "test", "clientSoftwareVersion": "1"}
        side.rpc("api versions", 18, version, body)
    side.rpc("bad software name", 18, 4, {"clientSoftwareName": "-", "clientSoftwareVersion": "1"})
    for version in range(0, 3):
        body = {"includeClusterAuthorizedOperations": False}
        if version >= 1:
            body["endpointType"] = 2
        if version >= 2:
            body["includeFencedBrokers"] = False
        side.rpc("describe cluster", 60, version, body)
    side.rpc("describe brokers", 60, 1, {"includeClusterAuthorizedOperations": False, "endpointType": 1})
    side.rpc("quorum of another topic", 55, 2, {"topics": [{"topicName": "x", "partitions": [{"partitionIndex": 0}]}]})


def fetch(side, what, version=18, topic_id="AAAAAAAAAAAAAAAAAAAAAQ", offset=0, epoch=None, last_epoch=0, cluster="hAywardTestsCluster000",
          wait_ms=0, replica=9, max_bytes=1, partitions=1, **changes):
    partition = {"partition": 0, "currentLeaderEpoch": side.epoch() if epoch is None else epoch, "fetchOffset": offset,
                 "lastFetchedEpoch": last_epoch, "logStartOffset": -1, "partitionMaxBytes": 0, **changes}
    body = {"clusterId": cluster, "maxWaitMs": wait_ms, "minBytes": 0, "maxBytes": max_bytes, "isolationLevel": 0, "sessionId": 0,
            "sessionEpoch": -1, "forgottenTopicsData": [], "rackId": "",
            "topics": [{"topicId": topic_id, "partitions": [partition] * partitions}]}
    if version >= 15:
        body["replicaState"] = {"replicaId": replica, "replicaEpoch": -1}
    else:
        body["replicaId"] = replica
    return side.rpc(f"fetch: {what}", 1, version, body)


def fetches(side):
    """The raft layer's checks of a Fetch; bytes of records are compared elsewhere."""
    for version in (13, 14, 15, 16, 17, 18):
        fetch(side, "from the start", version=version)
    fetch(side, "another cluster", cluster="another")
    fetch(side, "no cluster", cluster=None)
    fetch(side, "another topic", topic_id="AAAAAAAAAAAAAAAAAAAAAg")
    fetch(side, "no partition", partitions=0)
    fetch(side, "two partitions", partitions=2)
    fetch(side, "an older epoch", epoch=0)
    fetch(side, "a newer epoch", epoch=7)
    fetch(side, "negative wait", wait_ms=-1)
    fetch(side, "negative offset", offset=-1)
    fetch(side, "negative last epoch", last_epoch=-1)
    fetch(side, "last epoch above the present", last_epoch=9)
    fetch(side, "last epoch 0 at offset 5", offset=5)
    fetch(side, "beyond the end", offset=10**9, last_epoch=1)
    side.rpc("snapshot of another cluster", 59, 1, {"clusterId": "another", "replicaId": 9, "maxBytes": 100, "topics": []})


def quorum(side):
    for version in (0, 1, 2):
        side.rpc("describe", 55, version, {"topics": [{"topicName": "__cluster_metadata", "partitions": [{"partitionIndex": 0}]}]})
    side.rpc("another partition", 55, 2, {"topics": [{"topicName": "__cluster_metadata", "partitions": [{"partitionIndex": 1}]}]})
    side.rpc("nothing", 55, 2, {"topics": []})

    def vote(what, epoch, cluster="hAywardTestsCluster000", voter=3000, candidate=3001, pre=False, last_epoch=0, last_offset=0, version=2):
        partition = {"partitionIndex": 0, "replicaEpoch": epoch, "replicaId": candidate, "lastOffsetEpoch": last_epoch, "lastOffset": last_offset}
        body = {"clusterId": cluster, "topics": [{"topicName": "__cluster_metadata", "partitions": [partition]}]}
        if version >= 1:
            body["voterId"] = voter
            partition.update({"replicaDirectoryId": "AAAAAAAAAAAAAAAAAAAAAA", "voterDirectoryId": "AAAAAAAAAAAAAAAAAAAAAA"})
        if version >= 2:
            partition["preVote"] = pre
        side.rpc(f"vote: {what}", 52, version, body)

    present = side.epoch()
    for version in (0, 1, 2):
        vote("for the present epoch", present, version=version)
    vote("an older epoch", present - 1)
    vote("another cluster", present, cluster="another")
    vote("another voter", present, voter=17)
    vote("negative offset", present, last_offset=-1)
    vote("last epoch not below", present, last_epoch=present)
    vote("pre-vote for the present epoch", present, pre=True)
    side.rpc("remove a stranger", 81, 0, {"clusterId": "hAywardTestsCluster000", "voterId": 9, "voterDirectoryId": "dirDirDirDirDirDir091Q"})
    side.rpc("remove of another cluster", 81, 0, {"clusterId": "another", "voterId": 9, "voterDirectoryId": "dirDirDirDirDirDir091Q"})
    side.rpc("remove without a directory", 81, 0, {"clusterId": None, "voterId": 9, "voterDirectoryId": "AAAAAAAAAAAAAAAAAAAAAA"})


def controller_registration(side):
    body = {"controllerId": 3005, "incarnationId": "incarnation05AAAAAAAAA", "zkMigrationReady": False,
            "listeners": [{"name": "CONTROLLER", "host": "127.0.0.1", "port": 19095, "securityProtocol": 0}],
            "features": [{"name": "metadata.version", "minSupportedVersion": 7, "maxSupportedVersion": 30}]}
    side.rpc("register", 70, 0, body)
    side.rpc("register again", 70, 0, body)
    time.sleep(0.5)  # Java answers from an image that follows the log after a moment
    side.rpc("described", 60, 1, {"includeClusterAuthorizedOperations": False, "endpointType": 2})


def envelopes(side):
    running(side, 1)
    create(side, topic("by-envelope", {0: [1]}), forward=True)
    create(side, topic("by-envelope", {0: [1]}), forward=True)
    side.rpc("not forwardable", 63, 0, {"brokerId": 1, "brokerEpoch": 1, "currentMetadataOffset": 0, "wantFence": False,
                                        "wantShutDown": False}, forward=True)
    side.rpc("described", 55, 2, {"topics": []}, forward=True)


SCENARIOS = [fetches, quorum, controller_registration, envelopes, registration, heartbeats, controlled_shutdown, unregistration, failed_directory, assignments, topics, delete_topics,
             create_partitions, alter_partition, elections, configs, config_edges, elr_switched,
             producer_ids, features, read_only]
