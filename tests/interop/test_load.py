"""`hayward load` against Hayward and against Java's controller: its brokers live, and its numbers are there."""
import json
import subprocess

import pytest

from tests.harness import processes

BROKERS = 20
PERCENTILES = ("p50", "p90", "p99", "p99_9", "p99_99", "max", "mean")


def run_load(controller, *args):
    return subprocess.run([str(processes.HAYWARD), "load", "--controller", controller.bootstrap, *map(str, args)],
                          capture_output=True, text=True, timeout=120)


def report(controller, *args):
    done = run_load(controller, "--json", *args)
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stderr == ""
    return json.loads(done.stdout)


def start(cluster, kind):
    return cluster.hayward() if kind == "hayward" else cluster.java()


@pytest.mark.parametrize("kind", ["hayward", "java"])
def test_brokers_are_unfenced_and_every_request_is_answered(cluster, jvm, kind):
    controller = start(cluster, kind)
    found = report(controller, "--brokers", BROKERS, "--rate", 200, "--duration", 3,
                   "--create-topics", 10, "--partitions", 2, "--replication-factor", 3, "--clients", 2)
    assert found["failures"] == 0 and found["problem"] is None
    assert found["cluster"] == processes.CLUSTER_ID and found["brokers"] == BROKERS
    phases = {p["name"]: p for p in found["phases"]}
    assert list(phases) == ["register", "unfence", "heartbeat", "heartbeat beside create_topics", "create_topics"]
    for phase in phases.values():
        assert phase["errors"] == {} and phase["unanswered"] == 0 and phase["ok"] == phase["sent"], phase
        assert set(phase["latency_us"]) == set(PERCENTILES)
        values = [phase["latency_us"][p] for p in PERCENTILES[:6]]
        assert values == sorted(values), phase
    assert phases["register"]["ok"] == BROKERS
    assert phases["heartbeat"]["ok"] == 600 and phases["heartbeat"]["offered_per_s"] == 200
    assert phases["create_topics"]["ok"] == 10

    ids = set(range(1000, 1000 + BROKERS))
    assert {r["data"]["brokerId"] for r in controller.records(jvm, "RegisterBrokerRecord")} == ids
    unfenced = [r["data"]["brokerId"] for r in controller.records(jvm, "BrokerRegistrationChangeRecord")
                if r["data"].get("fenced") == -1]
    assert set(unfenced) == ids
    assert len(controller.records(jvm, "TopicRecord")) == 10
    partitions = controller.records(jvm, "PartitionRecord")
    assert len(partitions) == 20 and all(len(set(p["data"]["replicas"])) == 3 for p in partitions)


def test_closed_loop_and_text(cluster, jvm):
    controller = cluster.hayward()
    done = run_load(controller, "--brokers", 3, "--duration", 2)
    assert done.returncode == 0, done.stderr
    assert "heartbeat:" in done.stdout and "0 errors, 0 unanswered" in done.stdout and "p99.99" in done.stdout
    assert "heartbeat:" in done.stderr, "a line of progress each second"


def test_brokers_that_live_are_not_replaced(cluster, jvm):
    controller = cluster.hayward()
    report(controller, "--brokers", 2, "--duration", 0)
    again = run_load(controller, "--brokers", 2, "--duration", 0)
    assert again.returncode == 1
    assert "DUPLICATE_BROKER_REGISTRATION" in again.stderr and "--first-id" in again.stderr
    report(controller, "--brokers", 2, "--duration", 0, "--first-id", 2000)


def test_a_controller_that_is_not_there(tmp_path):
    port = processes.free_port()
    done = subprocess.run([str(processes.HAYWARD), "load", "--controller", f"127.0.0.1:{port}"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 4
    assert f"127.0.0.1:{port}" in done.stderr and len(done.stderr.splitlines()) == 1
