"""The same requests to Hayward and to Java's controller; answers and records must be the same.

Where Hayward differs on purpose, the difference is listed here by scenario and step with its reason.
"""
import difflib
import json
import os

import pytest

from tests.differential import scenarios, scenarios_partitions
from tests.differential.mixed import Mixed
from tests.differential.mixed_partitions import MixedPartitions
from tests.differential.side import Side
from tests.harness.processes import wait_until

# HAYWARD_SEEDS=a,b,... plays these.
SEEDS = [int(s) for s in os.environ.get("HAYWARD_SEEDS", "").split(",") if s] or range(30 if os.environ.get("HAYWARD_LONG") else 4)
STEPS = 200
# Seeds whose script makes Java's controller resign (unregistering a broker, it finds a deleted topic still in its
# index of ISR members): compared up to that step.
JAVA_RESIGNS = (15, 21)

# Nobody is fenced for being slow, and no record comes by time.
PATIENT = {"broker.session.timeout.ms": 600000, "metadata.max.idle.interval.ms": 0}

# (scenario, step number or "records"): why Hayward answers otherwise.
INTENDED = {
    ("delete_topics", 6): "a refusal for lateness says so in words; Java leaves the text null",
    ("features", 4): "errorMessage is null on success; Java puts a text there (KAFKA-18061)",
}
LATE = "a refusal for lateness says so in words; Java leaves the text null"
INTENDED.update({("elect_leaders", 27): LATE, ("reassignment", 30): LATE})
INTENDED.update({("reassignment_taken_back", step): "Java waits for ever for a replica that it removes" for step in (9, "records")})
# INVALID_REQUEST for one partition of a raft answer ends a Java peer (docs/decisions/0006): it stands at the top here.
# So does CLUSTER_AUTHORIZATION_FAILED for what replicas ask.
DENIED_REPLICA = "CLUSTER_AUTHORIZATION_FAILED ends a Java process that fetched or voted (P2)"
INTENDED.update({("rights_of_a_connection", step): DENIED_REPLICA for step in (7, 8, 9, 12, 13, 14)})
FATAL_TO_PEERS = "INVALID_REQUEST at partition level ends a Java process that asked"
INTENDED.update({("fetches", step): FATAL_TO_PEERS for step in (13, 14, 15, 16)})
INTENDED.update({("quorum", step): FATAL_TO_PEERS for step in (8, 11, 12)})
INTENDED["quorum", 5] = "version 0 has no room for the leader's endpoint; a leader without one ends a Java peer"


def active(controller, jvm):
    """A standby answers NOT_CONTROLLER (41), the active one STALE_BROKER_EPOCH; an authorizer that is not ready yet -1."""
    body = {"brokerId": 999, "brokerEpoch": 1, "currentMetadataOffset": 0, "wantFence": False, "wantShutDown": False}
    return jvm.rpc(controller.port, 63, 0, body)["response"]["errorCode"] not in (41, -1)


def run(scenario, controller, name, jvm):
    wait_until(f"{name} is active", lambda: active(controller, jvm))
    side = Side(name, controller, jvm)
    scenario(side)
    return side


def unlike(ours, theirs):
    """Where the two differ, with the lines around."""
    lines = [json.dumps(value, indent=1, sort_keys=True).splitlines() for value in (ours, theirs)]
    return "\n".join(difflib.unified_diff(*lines, "Hayward", "Java", n=12, lineterm=""))


def compare(ours, theirs, scenario):
    """What of two sides' answers and records is not the same, in words."""
    differences = []
    for number, ((what, our), (_, their)) in enumerate(zip(ours.steps, theirs.steps)):
        if our != their and (scenario, number) not in INTENDED:
            differences.append(f"step {number}, {what}:\n{unlike(our, their)}")
    our_records, their_records = ours.records(), theirs.records()
    if our_records != their_records and (scenario, "records") not in INTENDED:
        first = next((i for i, (a, b) in enumerate(zip(our_records, their_records)) if a != b),
                     min(len(our_records), len(their_records)))
        differences.append(f"record {first} of {len(our_records)} and {len(their_records)}:\n"
                           f"{unlike(our_records[first:first + 3], their_records[first:first + 3])}")
    return differences


def play(cluster, jvm, scenario, **settings):
    """The scenario on both: Hayward's side, Java's side."""
    settings = {**PATIENT, **settings}
    return (run(scenario, cluster.hayward(settings=settings), "hayward", jvm),
            run(scenario, cluster.java(settings=settings), "java", jvm))


def assert_same(ours, theirs, name):
    differences = compare(ours, theirs, name)
    assert not differences, f"{name}: {len(differences)} differences\n" + "\n".join(differences)


def play_long(cluster, jvm, script):
    """A drawn script on both; neither side may have ended it early."""
    ours, theirs = play(cluster, jvm, lambda side: script(side).run())
    assert len(ours.steps) == len(theirs.steps) > STEPS / 2
    return ours, theirs


@pytest.mark.parametrize("scenario", scenarios.SCENARIOS + scenarios_partitions.SCENARIOS, ids=lambda s: s.__name__)
def test_same_answers_and_records(cluster, jvm, scenario):
    assert_same(*play(cluster, jvm, scenario), scenario.__name__)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_long_mixed_script(cluster, jvm, seed):
    ours, theirs = play_long(cluster, jvm, lambda side: Mixed(side, seed, steps=STEPS))
    if seed in JAVA_RESIGNS:
        end = next(i for i, (_, answer) in enumerate(theirs.steps) if answer["response"].get("errorCode") == -1)
        ours.steps, ours.records = ours.steps[:end], theirs.records
    assert_same(ours, theirs, f"mixed {seed}")


@pytest.mark.parametrize("seed", list(SEEDS)[:15 if os.environ.get("HAYWARD_LONG") else 2])
def test_a_long_script_of_elections_and_reassignments(cluster, jvm, seed):
    assert_same(*play_long(cluster, jvm, lambda side: MixedPartitions(side, seed, steps=STEPS)), f"partitions {seed}")
