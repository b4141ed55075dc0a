"""Brokers with very many partitions: each partition gets from Hayward, in slices, what it gets from Java's controller at once."""
import pytest

from tests.differential import scenarios_slices
from tests.differential.test_differential import assert_same, play


def by_partition(records):
    """Of each type and partition in the order of the log."""
    return sorted(records, key=lambda r: (r["type"], r["data"].get("topicId", ""), r["data"].get("partitionId", -1)))


@pytest.mark.parametrize("scenario", scenarios_slices.SCENARIOS, ids=lambda s: s.__name__)
def test_each_partition_gets_javas_records(cluster, jvm, scenario):
    ours, theirs = play(cluster, jvm, scenario)
    for side in (ours, theirs):
        records = by_partition(side.records())
        assert sum(r["type"] == "PartitionChangeRecord" for r in records) >= scenarios_slices.MANY / 2
        side.records = lambda records=records: records
    assert_same(ours, theirs, scenario.__name__)
