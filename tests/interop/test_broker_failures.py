"""Three brokers, replication factor 3, acks=all throughout: brokers die, come back, lose a directory, restart one by one."""
import time

from tests.harness.processes import wait_until
from tests.interop.trio import SESSION_MS, Load

EVERYWHERE = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]


def test_one_is_killed(trio):
    """cases.md row 17: Fenced after its session and not before; the others lead what it led; it returns and is in sync again."""
    topic = trio.create(EVERYWHERE)
    with Load(trio, topic) as load:
        since = trio.end_offset()
        killed_ms = time.time() * 1000
        trio.kill(1)
        fenced = wait_until("broker 1 is fenced", lambda: trio.fences(since), 20)
        # The last heartbeat came up to one interval before the kill.
        assert list(fenced) == [1] and SESSION_MS - 550 <= fenced[1] - killed_ms <= SESSION_MS + SESSION_MS / 8 + 1000, fenced
        load.goes_on()
        changes = [r["data"] for r in trio.records("PartitionChangeRecord", topic, since)]
        assert {c["partitionId"] for c in changes} == {0, 1, 2}, "it was in every ISR"
        assert [c["leader"] for c in changes if "leader" in c and c["partitionId"] == 0] == [2], "the next replica leads"
        assert not [c for c in changes if "leader" in c and c["partitionId"] != 0], \
            "where it followed no leader epoch is raised (KAFKA-15021)"
        assert all(1 not in c["isr"] for c in changes), changes
        trio.start(1)
        trio.wait_in_sync(topic)
        load.goes_on()
    assert list(trio.fences(since)) == [1], "nobody else was"


def test_two_die_at_once(trio):
    """cases.md row 8: Neither is elected in the other's place (KAFKA-13173)."""
    topic = trio.create(EVERYWHERE)
    with Load(trio, topic) as load:
        since = trio.end_offset()
        trio.kill(1, 2)
        wait_until("both are fenced", lambda: set(trio.fences(since)) == {1, 2}, 20)
        load.goes_on()
        trio.wait_for(topic, lambda parts: all(p["leader"] == 3 and p["isr"] == [3] for p in parts.values()))
        fence_1, fence_2 = sorted(r["offset"] for r in trio.records("BrokerRegistrationChangeRecord", since=since)
                                  if r["data"].get("fenced") == 1)
        leaders = {r["offset"]: r["data"]["leader"] for r in trio.records("PartitionChangeRecord", topic, since) if "leader" in r["data"]}
        assert not [o for o, leader in leaders.items() if fence_1 < o and leader in (1, 2)], (fence_1, fence_2, leaders)
        trio.start(1, 2)
        trio.wait_in_sync(topic)
        load.goes_on()


def test_all_die_and_return(trio):
    """Every partition has a leader again, one that has all that was acknowledged."""
    topic = trio.create(EVERYWHERE, "min.insync.replicas=2")
    with Load(trio, topic) as load:
        since = trio.end_offset()
        trio.kill(1, 2, 3)
        wait_until("all are fenced", lambda: set(trio.fences(since)) == {1, 2, 3}, 20)
        trio.start(3, 1, 2)
        trio.wait_in_sync(topic)
        load.goes_on(60)


def test_a_directory_fails(trio):
    """cases.md row 22: What the broker kept there is led by others at once; the broker itself lives on."""
    topic = trio.create([(3, 1, 2)] * 4)
    broker = trio.brokers[3]
    second = broker.folder / "second"
    wait_until("all replicas are made", lambda: len(list(broker.folder.glob(f"*/{topic}-*"))) == 4, 20)
    lost = {int(path.name.rsplit("-", 1)[1]) for path in second.glob(f"{topic}-*")}
    with Load(trio, topic) as load:
        since = trio.end_offset()
        second.rename(broker.folder / "gone")  # the next checkpoint of high watermarks finds it missing
        try:
            trio.wait_for(topic, lambda parts: all(p["leader"] == 1 and 3 not in p["isr"] for i, p in parts.items() if i in lost))
            kept = {i: p for i, p in trio.partitions(topic).items() if i not in lost}
            assert all(p["leader"] == 3 and 3 in p["isr"] for p in kept.values()), f"the other directory serves on: {lost} {kept}"
            load.goes_on()
            changes = [r["data"] for r in trio.records("BrokerRegistrationChangeRecord", since=since)]
            assert [len(c["logDirs"]) for c in changes if c.get("logDirs")] == [1], changes
            assert not trio.fences(since)
        finally:
            broker.kill()
            (broker.folder / "gone").rename(second)
        trio.start(3)
        trio.wait_in_sync(topic)


def test_rolling_restart(trio):
    """Each stops in an orderly way and comes back: never a partition without a leader, no unclean election."""
    topic = trio.create(EVERYWHERE, "min.insync.replicas=2")
    with Load(trio, topic) as load:
        since = trio.end_offset()
        for node, broker in trio.brokers.items():
            assert broker.stop() in (0, 143), broker.log()[-2000:]
            load.goes_on()
            trio.start(node)
            trio.wait_in_sync(topic)
        changes = [r["data"] for r in trio.records("PartitionChangeRecord", topic, since)]
        assert all(c.get("leader", 0) != -1 for c in changes), changes
        assert not [c for c in changes if c.get("leaderRecoveryState") == 1], changes
        shutdowns = [r["data"]["brokerId"] for r in trio.records("BrokerRegistrationChangeRecord", since=since)
                     if r["data"].get("inControlledShutdown") == 1]
        assert shutdowns == [1, 2, 3]
