"""`hayward quorum` against quorums of three: what it says, its exit codes, and voters added and removed through it."""
import json
import subprocess
import time

import pytest

from tests.harness import quorum as quorums
from tests.harness.processes import CLUSTER_ID, HAYWARD, free_port, wait_until

KINDS = ["hayward", "java"]
VOTERS_CHANGE = KINDS
SETTLED_S = 3.5  # longer than the patience of `may-stop`


def run(*arguments, exit_code=0):
    done = subprocess.run([str(HAYWARD), "quorum", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == exit_code, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout if exit_code == 0 else done.stdout + done.stderr


def status(where, exit_code=0):
    text = run("status", "--json", "--bootstrap-controller", where, exit_code=exit_code)
    return json.loads(text[text.index("{"):text.rindex("}") + 1])


def in_order(where):
    return wait_until(lambda: run("status", "--bootstrap-controller", where, exit_code=1), lambda: subprocess.run(
        [str(HAYWARD), "quorum", "status", "--bootstrap-controller", where], capture_output=True).returncode == 0, 30, 0.2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_leader_is_killed(cluster, jvm, kind):
    """Static voters: status by any one address; the dead one is named, and nobody else may be stopped; add and remove are refused."""
    quorum = quorums.Quorum(cluster, jvm, [kind] * 3)
    first = quorum.leader()
    others = [n for n in quorum.voters if n != first.node_id]
    one_follower = quorum.nodes[others[0]].bootstrap
    in_order(one_follower)
    told = status(one_follower)
    assert told["healthy"] and told["leader"] == first.node_id and told["cluster"] == CLUSTER_ID and told["spare"] == 1
    programs = {v["program"].split()[0] for v in json.loads(run("status", "--json", "--programs", "--bootstrap-controller", one_follower))["voters"]}
    assert programs == {"other" if isinstance(first, quorums.processes.JavaController) else "Hayward"}
    assert [v["address"] for v in told["voters"]] == [p.bootstrap for p in quorum.nodes.values()]
    newest = told["changes"][0]
    assert newest["leader"] == first.node_id and newest["epoch"] == told["epoch"] and newest["offset"] == 0
    assert abs(newest["time_ms"] - time.time() * 1000) < 60_000 and first.node_id in newest["elected_by"]
    assert "first leader" in told["why"]
    assert f"leader     {first.node_id}" in run("status", "--bootstrap-controller", one_follower)
    assert "SIGTERM" in run("may-stop", first.node_id, "--bootstrap-controller", one_follower)
    run("may-stop", 99, "--bootstrap-controller", one_follower, exit_code=2)
    refused = run("remove", others[0], "--bootstrap-controller", one_follower, exit_code=1)
    assert "kraft.version 0" in refused and "upgrade first" in refused

    first.kill()
    second = quorum.leader()
    third = next(n for n in others if n != second.node_id)
    wait_until("the third has caught up", lambda: "current" in [v["state"] for v in status(quorum.bootstrap, 1)["voters"]], 20)
    told = status(quorum.bootstrap, exit_code=1)
    assert not told["healthy"] and told["leader"] == second.node_id and told["spare"] == 0 and told["up_to_date"] == 2
    states = {v["id"]: v for v in told["voters"]}
    assert states[first.node_id]["state"] == "silent" and states[first.node_id]["answers"] is False
    assert [c["leader"] for c in told["changes"]] == [second.node_id, first.node_id]
    assert told["changes"][0]["quiet_ms"] > 0 and f"{first.node_id} led before; it is down or cut off" in told["why"]
    no = run("may-stop", third, "--bootstrap-controller", quorum.bootstrap, exit_code=1)
    assert "must not be stopped" in no and f"bring {first.node_id} up to date first" in no
    run("may-stop", first.node_id, "--bootstrap-controller", quorum.bootstrap)
    text = run("status", "--bootstrap-controller", quorum.bootstrap, exit_code=1)
    assert "NONE MAY FAIL" in text and "NO: " in text

    quorum.start(first.node_id)
    quorum.wait_caught_up()
    in_order(quorum.bootstrap)
    run("may-stop", third, "--bootstrap-controller", quorum.bootstrap)

    quorum.nodes[third].kill()
    first.kill()
    alone = run("status", "--timeout-ms", 2000, "--bootstrap-controller", quorum.bootstrap, exit_code=1)
    assert "NOTHING CAN BE COMMITTED" in alone or "2 needed" in alone
    wait_until("it gives up leading", lambda: quorum.describe() is None, 20)
    nobody = run("status", "--timeout-ms", 2000, "--bootstrap-controller", quorum.bootstrap, exit_code=4)
    assert "found none" in nobody and "refused" in nobody and "NOT_LEADER_OR_FOLLOWER" in nobody, nobody


@pytest.mark.parametrize("kind", VOTERS_CHANGE)
def test_voters_come_and_go(cluster, jvm, kind):
    """Dynamic voters: a fourth is added by its configuration, the leader is removed, and what would lose the quorum is refused."""
    quorum = quorums.Quorum(cluster, jvm, [kind] * 3, dynamic=True)
    quorum.wait_caught_up()
    where = quorum.bootstrap
    fourth_id = max(quorum.ports) + 1
    unknown = run("add", "--id", fourth_id, "--directory-id", quorums.directory_id(), "--endpoint", f"CONTROLLER://127.0.0.1:{free_port()}",
                  "--bootstrap-controller", where, exit_code=1)
    assert "does not fetch" in unknown
    fourth = quorum.join(kind)
    quorum.wait_caught_up(fourth.node_id)
    wait_until("it may be added", lambda: subprocess.run(
        [str(HAYWARD), "quorum", "add", "--dry-run", "-c", str(fourth.config), "--bootstrap-controller", where], capture_output=True).returncode == 0, 20, 0.2)
    assert fourth.node_id in [o["id"] for o in status(where)["observers"]]
    wrong = run("add", "--id", fourth.node_id, "--directory-id", quorums.directory_id(), "--endpoint", f"CONTROLLER://{fourth.bootstrap}",
                "--bootstrap-controller", where, exit_code=1)
    assert "fetches with directory" in wrong
    run("add", "-c", fourth.config, "--bootstrap-controller", where)
    run("add", "-c", fourth.config, "--bootstrap-controller", where, exit_code=1)
    told = status(where)
    assert [v["id"] for v in told["voters"]] == [*quorum.voters, fourth.node_id] and told["majority"] == 3

    leader = quorum.leader()
    assert "is no voter any more" in run("remove", leader.node_id, "--bootstrap-controller", where)
    in_order(where)
    told = status(where)
    assert leader.node_id not in [v["id"] for v in told["voters"]] and told["leader"] != leader.node_id
    assert f"{leader.node_id} led before and is no voter any more" in told["why"]
    leader.stop()

    followers = [v["id"] for v in told["voters"] if v["id"] != told["leader"]]
    quorum.nodes[followers[0]].kill()
    time.sleep(SETTLED_S)
    no = run("remove", followers[1], "--bootstrap-controller", where, exit_code=1)
    assert "should stay a voter" in no and f"bring {followers[0]} up to date first" in no
    run("remove", followers[0], "--bootstrap-controller", where)
    assert "2 of 2 up to date" in run("status", "--bootstrap-controller", where)
    run("remove", 77, "--bootstrap-controller", where, exit_code=1)


def test_arguments_are_checked(tmp_path):
    run("status", "--bootstrap-controller", "nonsense", "--timeout-ms", 200, exit_code=4)
    run(exit_code=2)
    run("add", exit_code=2)
    run("add", "-c", tmp_path / "none", exit_code=2)
    run("add", "--id", 1, "--directory-id", "short", "--endpoint", "C://h:1", exit_code=2)
    run("remove", "x", exit_code=2)
    assert "Exit codes" in run("--help")
