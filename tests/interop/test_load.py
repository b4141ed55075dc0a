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
    done = run_load(controller, "--json", "-", "--quiet", *args)
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stderr == ""
    return json.loads(done.stdout)


def start(cluster, kind):
    return cluster.hayward() if kind == "hayward" else cluster.java()


@pytest.mark.parametrize("kind", ["hayward", "java"])
def test_brokers_are_unfenced_and_every_request_is_answered(cluster, jvm, kind):
    controller = start(cluster, kind)
    found = report(controller, "--phases", "register,unfence,steady,create,alter-partition", "--threads", 2,
                   "--brokers", BROKERS, "--observers", 4, "--rate", 200, "--duration", 3, "--topics", 10,
                   "--partitions", 2, "--replication-factor", 3, "--clients", 3, "--alter-partitions", 30)
    assert found["failures"] == 0 and found["problem"] is None
    assert found["cluster"] == processes.CLUSTER_ID and found["brokers"] == BROKERS
    phases = {p["name"]: p for p in found["phases"]}
    assert list(phases) == ["register", "unfence", "steady", "create", "create/heartbeats", "alter-partition",
                            "alter-partition/heartbeats"]
    for phase in phases.values():
        assert phase["errors"] == {} and phase["unanswered"] == 0 and phase["ok"] == phase["sent"], phase
        assert set(phase["latency_us"]) == set(PERCENTILES)
        values = [phase["latency_us"][p] for p in PERCENTILES[:6]]
        assert values == sorted(values), phase
    assert phases["register"]["ok"] == BROKERS
    assert phases["steady"]["ok"] == 600 and phases["steady"]["offered_per_s"] == 200
    assert phases["create"]["ok"] == 10 and phases["alter-partition"]["ok"] == 30

    ids = set(range(1000, 1000 + BROKERS))
    assert {r["data"]["brokerId"] for r in controller.records(jvm, "RegisterBrokerRecord")} == ids
    unfenced = [r["data"]["brokerId"] for r in controller.records(jvm, "BrokerRegistrationChangeRecord")
                if r["data"].get("fenced") == -1]
    assert set(unfenced) == ids
    assert len(controller.records(jvm, "TopicRecord")) == 10
    partitions = controller.records(jvm, "PartitionRecord")
    assert len(partitions) == 20 and all(len(set(p["data"]["replicas"])) == 3 for p in partitions)
    shrunk = [r for r in controller.records(jvm, "PartitionChangeRecord") if len(r["data"].get("isr") or []) == 1]
    assert len(shrunk) >= 15, "every other change leaves the leader alone in sync"


@pytest.mark.parametrize("kind", ["hayward", "java"])
def test_brokers_die_and_return(cluster, jvm, kind):
    """What `kill` says is what stands in the log: leaders moved and brokers fenced after their session, not before."""
    settings = {"broker.session.timeout.ms": 3000}
    controller = cluster.hayward(settings=settings) if kind == "hayward" else cluster.java(settings=settings)
    found = report(controller, "--phases", "register,unfence,create,kill,return,steady", "--brokers", 10, "--kill", 4,
                   "--survivors", 50, "--topics", 5, "--partitions", 20, "--replication-factor", 3, "--threads", 2,
                   "--session-timeout", 3, "--heartbeat-interval", 0.2, "--duration", 1, "--rate", 100,
                   "--fail-if", "kill.errors>0", "--fail-if", "kill/heartbeats.errors>0", "--fail-if", "kill.max>5s",
                   "--fail-if", "return/unfence.errors>0", "--fail-if", "steady.ok<100")
    assert found["missed"] == [] and found["failures"] == 0
    phases = {p["name"]: p for p in found["phases"]}
    details = phases["kill"]["details"]
    assert details["killed"] == 4 and details["led"] == 100
    assert details["moved"] == 50 and details["leaderless"] == 50
    # The tool counts a session from the last answer, the controller from the heartbeat's arrival: a little earlier.
    assert -100 <= details["first_change_ms"] <= details["last_change_ms"] < 5000
    assert phases["return"]["ok"] == 4 and phases["return/unfence"]["ok"] >= 4

    doomed = {1006, 1007, 1008, 1009}
    fenced = {r["data"]["brokerId"] for r in controller.records(jvm, "BrokerRegistrationChangeRecord")
              if r["data"].get("fenced") == 1}
    assert fenced == doomed
    assert {p["data"]["leader"] for p in controller.records(jvm, "PartitionRecord")} == doomed


def test_thresholds_decide_the_exit_code(cluster, tmp_path):
    controller = cluster.hayward()
    path = tmp_path / "report.json"
    missed = run_load(controller, "--brokers", 3, "--duration", 1, "--rate", 100, "--json", path,
                      "--fail-if", "steady.max>1us", "--fail-if", "steady.errors>0")
    assert missed.returncode == 1
    assert "hayward: steady.max>1us: steady's max is" in missed.stderr and "errors" not in missed.stderr.splitlines()[-1]
    assert "steady:" in missed.stdout
    assert len(json.loads(path.read_text())["missed"]) == 1
    for wrong in (["--fail-if", "p99.9>5"], ["--phases", "steady"], ["--phases", "register,unfence,kill"],
                  ["--threads", 30]):
        refused = run_load(controller, *wrong)
        assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1, refused.stderr


def test_closed_loop_and_text(cluster, jvm):
    controller = cluster.hayward()
    done = run_load(controller, "--brokers", 3, "--duration", 2)
    assert done.returncode == 0, done.stderr
    assert "steady:" in done.stdout and "0 errors, 0 unanswered" in done.stdout and "p99.99" in done.stdout
    assert "steady:" in done.stderr, "a line of progress each second"


def test_brokers_that_live_are_not_replaced(cluster, jvm):
    controller = cluster.hayward()
    report(controller, "--brokers", 2, "--phases", "register,unfence")
    again = run_load(controller, "--brokers", 2, "--phases", "register,unfence")
    assert again.returncode == 1
    assert "DUPLICATE_BROKER_REGISTRATION" in again.stderr and "--first-id" in again.stderr
    report(controller, "--brokers", 2, "--phases", "register,unfence", "--first-id", 2000)


def test_a_controller_that_is_not_there(tmp_path):
    port = processes.free_port()
    done = subprocess.run([str(processes.HAYWARD), "load", "--controller", f"127.0.0.1:{port}"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 4
    assert f"127.0.0.1:{port}" in done.stderr and len(done.stderr.splitlines()) == 1
