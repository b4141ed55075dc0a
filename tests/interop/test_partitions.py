"""Elections, reassignments and more partitions by the stock tools, on three brokers."""
import json
import os
import re

from tests.harness.processes import wait_until
from tests.interop.trio import Load, consume

MANY = 1000 if os.environ.get("HAYWARD_LONG") else 100


def elect(trio, kind, *args, **options):
    return trio.tool("leader-election", "--election-type", kind, *args, **options)


def test_preferred_election(trio):
    topic = trio.create([(1, 2, 3), (2, 3, 1), (1, 3, 2)])
    refused = elect(trio, "preferred", "--topic", "nope", "--partition", 0, check=False)
    assert refused.exit != 0, refused
    trio.brokers[1].stop()
    trio.wait_for(topic, lambda parts: [parts[i]["leader"] for i in range(3)] == [2, 2, 3])
    unavailable = elect(trio, "preferred", "--topic", topic, "--partition", 0, check=False)
    assert "PreferredLeaderNotAvailable" in unavailable.out + unavailable.err, unavailable
    trio.start(1)
    trio.wait_in_sync(topic)
    done = elect(trio, "preferred", "--topic", topic, "--partition", 0)
    assert "Successfully completed leader election (PREFERRED)" in done.out, done
    trio.wait_for(topic, lambda parts: [parts[i]["leader"] for i in range(3)] == [1, 2, 3])
    elect(trio, "preferred", "--all-topic-partitions")
    trio.wait_for(topic, lambda parts: all(p["leader"] == p["replicas"][0] for p in parts.values()))


def test_clean_election_from_the_elr(trio):
    """Broker 2 stopped in good order while min.insync.replicas still held: it may lead though the ISR is empty."""
    topic = trio.create([(1, 2)], "min.insync.replicas=2")
    since = trio.end_offset()
    trio.brokers[2].stop()
    trio.wait_for(topic, lambda parts: parts[0]["isr"] == [1])
    trio.kill(1)
    trio.wait_for(topic, lambda parts: parts[0]["leader"] is None)
    trio.start(2)
    trio.wait_for(topic, lambda parts: parts[0]["leader"] == 2)
    changes = [r["data"] for r in trio.records("PartitionChangeRecord", topic, since)]
    assert [c["eligibleLeaderReplicas"] for c in changes if "eligibleLeaderReplicas" in c][:2] == [[2], [1, 2]], changes
    assert not [c for c in changes if c.get("leaderRecoveryState") == 1], "a clean election"
    trio.start(1)
    trio.wait_in_sync(topic)


def test_unclean_elections(trio):
    """By the tool, and by a config that is set when the partition has lost its leader already (KAFKA-12670)."""
    by_tool, by_config = (trio.create([(1, 3)]) for _ in range(2))
    since = trio.end_offset()
    trio.brokers[1].stop()
    trio.kill(3)
    for topic in (by_tool, by_config):
        trio.wait_for(topic, lambda parts: parts[0]["leader"] is None and parts[0]["isr"] != [1])
    trio.start(1)
    assert trio.partitions(by_tool)[0]["leader"] is None, "1 lacks what 3 may have"
    elect(trio, "unclean", "--topic", by_tool, "--partition", 0)
    trio.wait_for(by_tool, lambda parts: parts[0]["leader"] == 1)
    assert trio.partitions(by_config)[0]["leader"] is None
    trio.tool("configs", "--alter", "--entity-type", "topics", "--entity-name", by_config, "--add-config",
              "unclean.leader.election.enable=true")
    trio.wait_for(by_config, lambda parts: parts[0]["leader"] == 1, 20)
    trio.start(3)
    for topic in (by_tool, by_config):
        trio.wait_in_sync(topic)
        states = [r["data"]["leaderRecoveryState"] for r in trio.records("PartitionChangeRecord", topic, since)
                  if "leaderRecoveryState" in r["data"]]
        assert states == [1, 0], "recovering, and recovered when the next one joins"


def reassign(trio, plan, *args):
    file = trio.controller.folder / "plan.json"
    file.write_text(json.dumps({"version": 1, "partitions": plan}))
    return trio.tool("reassign-partitions", "--reassignment-json-file", file, *args)


def test_reassignment_under_load(trio):
    topic = trio.create([(1, 2)] * MANY)
    with Load(trio, topic) as load:
        plan = [{"topic": topic, "partition": i, "replicas": [3, 1 + i % 2]} for i in range(MANY)]
        reassign(trio, plan, "--execute")
        # (The tool asks the controller what is on the move, and a broker, which learns of it a moment later, for the rest.)
        wait_until("all have moved", lambda: len(re.findall(r"is completed\.$", reassign(trio, plan, "--verify").out, re.M)) == MANY,
                   300 if MANY > 100 else 90, 0.5)
        trio.wait_for(topic, lambda parts: all(p["replicas"] == [3, 1 + i % 2] for i, p in parts.items()))
        assert "No partition reassignments found." in trio.tool("reassign-partitions", "--list").out
        load.goes_on()


def test_a_reassignment_is_listed_and_cancelled(trio):
    topic = trio.create([(1,), (1,)])
    trio.jvm.tool("producer-perf", "--topic", topic, "--num-records", 6000, "--record-size", 1000, "--throughput", -1,
                  "--producer-props", f"bootstrap.servers={trio.bootstrap}", "acks=all")
    plan = [{"topic": topic, "partition": i, "replicas": [2]} for i in range(2)]
    reassign(trio, plan, "--execute", "--throttle", 1000)
    listed = trio.tool("reassign-partitions", "--list").out
    assert f"{topic}-0: replicas: 2,1. adding: 2. removing: 1." in listed, listed
    cancelled = reassign(trio, plan, "--cancel")
    assert "Successfully cancelled partition reassignments" in cancelled.out, cancelled
    trio.wait_for(topic, lambda parts: all(p["replicas"] == [1] and p["leader"] == 1 for p in parts.values()))


def test_more_partitions_under_load(trio):
    topic = trio.create([(1, 2, 3)])
    with Load(trio, topic) as load:
        trio.tool("topics", "--alter", "--topic", topic, "--partitions", 6)
        trio.wait_for(topic, lambda parts: len(parts) == 6 and all(p["leader"] for p in parts.values()))
        load.goes_on()


def test_log_dirs_tool(trio):
    topic = trio.create([(1, 2)] * 2)
    told = trio.tool("log-dirs", "--describe", "--topic-list", topic, "--broker-list", "1,2,3").out
    brokers = {b["broker"]: b["logDirs"] for b in json.loads(told[told.index('{"'):])["brokers"]}
    held = {node: sorted(p["partition"] for d in dirs for p in d["partitions"]) for node, dirs in brokers.items()}
    assert held == {1: [f"{topic}-0", f"{topic}-1"], 2: [f"{topic}-0", f"{topic}-1"], 3: []}, told
    # One replica is taken to the other directory: AssignReplicasToDirs tells the controller.
    source = next(d["logDir"] for d in brokers[1] if d["partitions"])
    target = str(trio.brokers[1].folder / ("second" if source.endswith("data") else "data"))
    moved = next(p["partition"] for d in brokers[1] for p in d["partitions"] if d["logDir"] == source)
    index = int(moved.rsplit("-", 1)[1])
    since = trio.end_offset()
    reassign(trio, [{"topic": topic, "partition": index, "replicas": [1, 2], "log_dirs": [target, "any"]}], "--execute")
    wait_until("the controller is told of the move", lambda: [r for r in trio.records("PartitionChangeRecord", topic, since)
                                                              if r["data"]["partitionId"] == index and "directories" in r["data"]], 30)


def test_unregister(trio):
    """A broker that is gone is unregistered and leaves no trace in any ISR; started again it comes back."""
    topic = trio.create([(1, 2, 3)])
    trio.brokers[3].stop()
    trio.wait_for(topic, lambda parts: 3 not in parts[0]["isr"])
    done = trio.jvm.tool("cluster", "unregister", "--bootstrap-server", trio.bootstrap, "--id", 3)
    assert "Broker 3 is no longer registered." in done.out, done
    assert trio.records("UnregisterBrokerRecord")[-1]["data"]["brokerId"] == 3
    again = trio.jvm.tool("cluster", "unregister", "--bootstrap-server", trio.bootstrap, "--id", 3, check=False)
    assert "not currently registered" in again.out + again.err or again.exit != 0, again
    trio.start(3)
    trio.wait_in_sync(topic)
    assert consume(trio, topic) == []
