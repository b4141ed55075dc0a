"""Leases with a real broker: who is fenced, when, and who is not."""
import time

import pytest

from tests.harness.processes import wait_until

SESSION_MS = 3000  # shorter than Kafka's 9000 so that the tests are; the broker beats every 500 ms
SETTINGS = {"broker.session.timeout.ms": SESSION_MS}
BEAT = {"broker.heartbeat.interval.ms": 500}


def changes(controller, jvm, broker_id=1):
    return [r for r in controller.records(jvm, "BrokerRegistrationChangeRecord") if r["data"]["brokerId"] == broker_id]


def fences(controller, jvm, broker_id=1):
    return [r for r in changes(controller, jvm, broker_id) if r["data"].get("fenced") == 1]


def last_fencing(controller, jvm, broker_id=1):
    return [r["data"]["fenced"] for r in changes(controller, jvm, broker_id) if "fenced" in r["data"]][-1]


def registrations(controller, jvm):
    return controller.records(jvm, "RegisterBrokerRecord")


def test_a_killed_broker_is_fenced_after_its_session_and_not_before(cluster, jvm):
    controller = cluster.hayward(settings=SETTINGS)
    broker = cluster.broker(controller, settings=BEAT)
    assert not fences(controller, jvm)
    killed_ms = time.time() * 1000
    broker.kill()
    fence = wait_until("the broker is fenced", lambda: fences(controller, jvm), 20)[0]
    silent_ms = fence["timestamp"] - killed_ms
    # Its last heartbeat came up to one interval before the kill; Java's sweep adds session / 8.
    assert SESSION_MS - 500 - 50 <= silent_ms <= SESSION_MS + SESSION_MS / 8 + 500, silent_ms
    # It comes back under the same id: a new epoch, then unfenced.
    broker.start().wait_running(since=len(broker.log()))
    epochs = [r["data"]["brokerEpoch"] for r in registrations(controller, jvm)]
    assert len(epochs) == 2 and epochs[1] > epochs[0]
    assert last_fencing(controller, jvm) == -1


def test_a_pause_of_the_controller_fences_nobody_who_kept_trying(cluster, jvm):
    controller = cluster.hayward(settings=SETTINGS)
    broker = cluster.broker(controller, settings=BEAT)
    for _ in range(3):
        controller.pause()
        time.sleep(3 * SESSION_MS / 1000)
        controller.resume()
        time.sleep(1.5)
    assert broker.alive()
    assert not fences(controller, jvm)


def test_a_second_broker_with_the_same_id_is_refused(cluster, jvm):
    """cases.md row 20."""
    controller = cluster.hayward(settings=SETTINGS)
    cluster.broker(controller, settings=BEAT)
    twin = cluster.broker(controller, settings={**BEAT, "initial.broker.registration.timeout.ms": 6000}, start=False,
                          name="twin").start()
    wait_until("the twin gives up", lambda: not twin.alive(), 40)
    assert "DUPLICATE_BROKER_REGISTRATION" in twin.log() or "DuplicateBrokerRegistration" in twin.log()
    assert len(registrations(controller, jvm)) == 1
    assert not fences(controller, jvm)


def test_quick_restart_with_the_same_id(cluster, jvm):
    """Killed and started again at once: refused while the old lease lives, then let in."""
    controller = cluster.hayward(settings=SETTINGS)
    broker = cluster.broker(controller, settings=BEAT)
    broker.kill()
    broker.start().wait_running(since=len(broker.log()))
    assert len(registrations(controller, jvm)) == 2
    assert last_fencing(controller, jvm) == -1


@pytest.mark.parametrize("kind", ["hayward"])
def test_controlled_shutdown_is_not_slower_than_with_java(cluster, jvm, kind):
    """The broker leads partitions, asks to stop, is told so, and exits 0; measured beside Java's controller."""
    seconds = {}
    for name, controller in (("java", cluster.java()), (kind, cluster.hayward())):
        broker = cluster.broker(controller, name=f"broker-of-{name}")
        jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "t", "--partitions", 20)
        started = time.monotonic()
        code = broker.stop()
        seconds[name] = time.monotonic() - started
        assert code in (0, 143), broker.log()[-2000:]
        states = [r["data"] for r in changes(controller, jvm)]
        assert any(s.get("inControlledShutdown") == 1 for s in states), states
        assert last_fencing(controller, jvm) == 1, states
        controller.kill()
    print("controlled shutdown, seconds:", seconds)
    assert seconds[kind] <= seconds["java"] + 1.0, seconds


def test_restart_after_an_orderly_stop_of_both(cluster, jvm):
    """cases.md row 5 (KAFKA-19130): fenced brokers get no lease at a restart, so the first registration is accepted."""
    controller = cluster.hayward()
    broker = cluster.broker(controller)
    broker.stop()
    assert controller.stop() in (0, 143)
    controller.start().wait_ready()
    since = len(broker.log())
    broker.start().wait_running(since=since)
    assert "DUPLICATE_BROKER_REGISTRATION" not in broker.log()[since:]
