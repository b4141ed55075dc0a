"""The largest operation that a user may ask for is one unit, whatever happens meanwhile (KAFKA-14204)."""
import collections
import contextlib
import random

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
