"""Quotas, SCRAM credentials, ACLs, delegation tokens and the authorizer, side by side with Java's controller."""
import pytest

from tests.differential import scenarios_security
from tests.differential.test_differential import PATIENT, compare, run

SCENARIOS = scenarios_security.PLAIN + scenarios_security.SECURED


@pytest.mark.parametrize("scenario, settings", SCENARIOS, ids=lambda s: getattr(s, "__name__", ""))
def test_same_answers_and_records(cluster, jvm, scenario, settings):
    ours = run(scenario, cluster.hayward(settings={**PATIENT, **settings}), "hayward", jvm)
    theirs = run(scenario, cluster.java(settings={**PATIENT, **settings}), "java", jvm)
    differences = compare(ours, theirs, scenario.__name__)
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences)
