"""Scenarios about brokers with more partitions than one slice changes (docs/decisions/0007), played as scenarios.py says.

Where Java writes one batch, Hayward writes several; each partition must get the same records.
"""
import time

from .scenarios import assign
from .scenarios_partitions import reassign
from .side import DIRECTORIES, create, heartbeat, register, running, topic

MANY = 1200                                                       # three slices


def in_three_orders(*brokers):
    """Replicas of as many partitions, each broker leading a third of them."""
    return {p: [*brokers[p % len(brokers):], *brokers[:p % len(brokers)]] for p in range(MANY)}


def settle(side):
    """Until nothing more comes into the log: slices go on by themselves."""
    last, still = None, 0
    while still < 4:
        now = side.last_offset()
        still = still + 1 if now == last else 0
        last = now
        time.sleep(0.05)


def beat(side, broker, epochs, **wishes):
    """A heartbeat that is no step: while slices run it is answered from present state."""
    body = {"brokerId": broker, "brokerEpoch": epochs[broker], "currentMetadataOffset": side.last_offset(), "wantFence": False,
            "wantShutDown": False, **wishes}
    return side.jvm.rpc(side.controller.port, 63, 2, body)["response"]


def fence(side, broker, epochs):
    beat(side, broker, epochs, wantFence=True)
    settle(side)
    heartbeat(side, broker, epochs[broker], want_fence=True)


def shut_down(side, broker, epochs):
    """Until it may stop; how many heartbeats that takes is no step."""
    for _ in range(10):
        if beat(side, broker, epochs, wantShutDown=True)["shouldShutDown"]:
            break
        settle(side)
        for other in epochs:
            if other != broker:
                beat(side, other, epochs)
    heartbeat(side, broker, epochs[broker], want_shut_down=True)


def come_back(side, broker):
    """Registers anew once it is out of the ISRs and ELRs that it may not be in: until then it is refused, which is no step."""
    for _ in range(100):
        steps = len(side.steps)
        epoch = register(side, broker, incarnation=f"incarnationAgain{broker:02d}AAAA")
        if epoch != -1:
            break
        del side.steps[steps:]
        time.sleep(0.2)
    assert epoch != -1, f"{side.name}: broker {broker} is refused to the end"
    heartbeat(side, broker, epoch)
    settle(side)


def with_directories(side):
    """Broker 1, whose directories are known, and two more, with a topic on all three: the broker's epoch, the topics' ids."""
    epoch = register(side, 1, logDirs=DIRECTORIES[1])
    heartbeat(side, 1, epoch)
    running(side, 2, 3)
    return epoch, create(side, topic("t", in_three_orders(1, 2, 3)))


def lost_directory(side):
    epoch, ids = with_directories(side)
    assign(side, 1, epoch, DIRECTORIES[1][0], ids["t"], range(1000))
    assign(side, 1, epoch, DIRECTORIES[1][1], ids["t"], range(1000, MANY))
    heartbeat(side, 1, epoch, offlineLogDirs=[DIRECTORIES[1][0]])
    settle(side)
    heartbeat(side, 1, epoch, offlineLogDirs=[DIRECTORIES[1][0]])
    assign(side, 1, epoch, DIRECTORIES[1][1], ids["t"], range(500, MANY))  # out of the lost one too
    settle(side)


def assigned_to_a_lost_directory(side):
    """A broker says where its replicas are after that directory has gone."""
    epoch, ids = with_directories(side)
    heartbeat(side, 1, epoch, offlineLogDirs=[DIRECTORIES[1][0]])
    assign(side, 1, epoch, DIRECTORIES[1][0], ids["t"], range(MANY))
    settle(side)


def unregistered(side):
    epochs = running(side, 1, 2, 3)
    create(side, topic("t", in_three_orders(1, 2, 3)), topic("alone", {p: [1] for p in range(600)}))
    side.rpc("unregister", 64, 0, {"brokerId": 1})
    settle(side)
    side.rpc("unregister again", 64, 0, {"brokerId": 1})
    heartbeat(side, 1, epochs[1])
    fence(side, 2, epochs)
    side.rpc("unregister the fenced one", 64, 0, {"brokerId": 2})
    settle(side)


def unclean_restart(side):
    """Without what it had, a broker leaves the ELRs; it is free to register at once, for it has been unregistered."""
    epochs = running(side, 1, 2, 3)
    create(side, topic("t", in_three_orders(1, 2, 3), configs=[("min.insync.replicas", "3")]),
           topic("alone", {p: [1] for p in range(600)}))
    fence(side, 1, epochs)
    side.rpc("unregister", 64, 0, {"brokerId": 1})
    settle(side)
    come_back(side, 1)


def fenced_and_back(side):
    epochs = running(side, 1, 2, 3)
    create(side, topic("t", in_three_orders(1, 2)), topic("alone", {p: [1] for p in range(600)}))
    fence(side, 1, epochs)
    heartbeat(side, 1, epochs[1])
    settle(side)
    shut_down(side, 2, epochs)


def joined(side, epochs, topic_id, isr, partition_epoch):
    """Broker 1 tells of all partitions at once."""
    data = [{"partitionIndex": p, "leaderEpoch": 0, "partitionEpoch": partition_epoch, "leaderRecoveryState": 0,
             "newIsrWithEpochs": [{"brokerId": b, "brokerEpoch": epochs[b]} for b in isr]} for p in range(MANY)]
    side.rpc("alter partitions", 56, 3, {"brokerId": 1, "brokerEpoch": epochs[1], "topics": [{"topicId": topic_id, "partitions": data}]})


def finished_reassignments(side):
    epochs = running(side, 1, 2, 3, 4)
    ids = create(side, topic("t", {p: [1, 2] for p in range(MANY)}))
    reassign(side, {"t": {p: [1, 3] if p % 2 else [3, 4] for p in range(MANY)}})
    joined(side, epochs, ids["t"], (1, 2, 3), 1)
    joined(side, epochs, ids["t"], (1, 2, 3, 4), 2)               # those that are done are led by others, or as they were
    settle(side)
    reassign(side, {"t": {p: [1, 4, 3] for p in range(MANY)}})
    fence(side, 4, epochs)
    reassign(side, {"t": {p: None for p in range(MANY)}})
    settle(side)


SCENARIOS = [lost_directory, assigned_to_a_lost_directory, unregistered, unclean_restart, fenced_and_back,
             finished_reassignments]
