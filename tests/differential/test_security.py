"""Quotas, SCRAM credentials, ACLs, delegation tokens and the authorizer, side by side with Java's controller."""
import pytest

from tests.differential import scenarios_security
from tests.differential.test_differential import assert_same, play

SCENARIOS = scenarios_security.PLAIN + scenarios_security.SECURED


@pytest.mark.parametrize("scenario, settings", SCENARIOS, ids=lambda s: getattr(s, "__name__", ""))
def test_same_answers_and_records(cluster, jvm, scenario, settings):
    """cases.md row 44."""
    assert_same(*play(cluster, jvm, scenario, **settings), scenario.__name__)
