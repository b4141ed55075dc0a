"""The same requests to Hayward and to Java's controller; answers and records must be the same.

Where Hayward differs on purpose, the difference is listed here by scenario and step with its reason.
"""
import json

import pytest

from tests.differential.scenarios import SCENARIOS
from tests.differential.side import Side
from tests.harness.processes import wait_until

# (scenario, step number or "records"): why Hayward answers otherwise.
INTENDED = {
    ("delete_topics", 6): "a refusal for lateness says so in words; Java leaves the text null",
    ("features", 4): "errorMessage is null on success; Java puts a text there (KAFKA-18061)",
}
# INVALID_REQUEST for one partition of a raft answer ends a Java peer (docs/decisions/0006): it stands at the top here.
FATAL_TO_PEERS = "INVALID_REQUEST at partition level ends a Java process that asked"
INTENDED.update({("fetches", step): FATAL_TO_PEERS for step in (13, 14, 15, 16)})
INTENDED.update({("quorum", step): FATAL_TO_PEERS for step in (8, 11, 12)})
INTENDED["quorum", 5] = "version 0 has no room for the leader's endpoint; a leader without one ends a Java peer"


def active(controller, jvm):
    """A standby answers NOT_CONTROLLER (41), the active one STALE_BROKER_EPOCH."""
    body = {"brokerId": 999, "brokerEpoch": 1, "currentMetadataOffset": 0, "wantFence": False, "wantShutDown": False}
    return jvm.rpc(controller.port, 63, 0, body)["response"]["errorCode"] != 41


def run(scenario, controller, name, jvm):
    wait_until(f"{name} is active", lambda: active(controller, jvm))
    side = Side(name, controller, jvm)
    scenario(side)
    return side


def text(value):
    return json.dumps(value, indent=1, sort_keys=True)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_same_answers_and_records(cluster, jvm, scenario):
    ours = run(scenario, cluster.hayward(), "hayward", jvm)
    theirs = run(scenario, cluster.java(), "java", jvm)
    differences = []
    for number, ((what, our), (_, their)) in enumerate(zip(ours.steps, theirs.steps)):
        if our != their and (scenario.__name__, number) not in INTENDED:
            differences.append(f"step {number}, {what}:\n--- Hayward\n{text(our)}\n--- Java\n{text(their)}")
    our_records, their_records = ours.records(), theirs.records()
    if our_records != their_records and (scenario.__name__, "records") not in INTENDED:
        first = next((i for i, (a, b) in enumerate(zip(our_records, their_records)) if a != b),
                     min(len(our_records), len(their_records)))
        differences.append(f"record {first} of {len(our_records)} and {len(their_records)}:\n--- Hayward\n"
                           f"{text(our_records[first:first + 3])}\n--- Java\n{text(their_records[first:first + 3])}")
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences)
