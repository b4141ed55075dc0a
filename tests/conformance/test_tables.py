"""Our field tables say exactly what the schemas inside Kafka's jars say, and none that we need is missing."""
import json

import pytest

from tests.conformance import kafka_schemas as schemas


@pytest.fixture(scope="module")
def kafka():
    return schemas.kafka_tables(schemas.kafka_lib())


@pytest.mark.parametrize("name", schemas.our_tables())
def test_table_equals_kafkas(kafka, name):
    assert schemas.our_tables()[name] == schemas.normal_table(kafka[name])


def test_every_controller_api_and_metadata_record_has_a_table(kafka):
    ours = schemas.our_tables()
    keys = {t["apiKey"] for t in kafka.values() if t["type"] == "request" and "controller" in t.get("listeners", [])
            and t["validVersions"] != "none"}
    assert len(keys) == 41
    wanted = {name for name, t in kafka.items()
              if t["type"] == "metadata" or (t["type"] in ("request", "response") and t["apiKey"] in keys)}
    assert wanted <= ours.keys()
    assert {t["type"] for t in ours.values()} == {"request", "response", "header", "data", "metadata"}


def test_files_are_named_after_their_tables():
    def squeezed(text):
        return text.replace("_", "").lower()
    for path in schemas.our_table_files():
        assert squeezed(path.stem) == squeezed(json.loads(path.read_text())["name"])


def test_no_lift_entry_is_idle():
    lift = json.loads((schemas.ROOT / "schemas" / "lift.json").read_text())
    exceptions = lift.pop("exceptions")
    seen = {}

    def walk(message, fields):
        for field in fields:
            seen.setdefault(message, set()).add((field["type"].removeprefix("[]"), field["name"]))
            walk(message, field.get("fields", []))

    for path in schemas.our_table_files():
        table = json.loads(path.read_text())
        walk(table["name"], table["fields"])
        for struct in table.get("structs", []):
            walk(table["name"], struct["fields"])
    every = set().union(*seen.values())
    idle = [f"{t} {name}" for t, names in lift.items() for name in names if (t, name) not in every]
    idle += [f"{message}.{name}" for message, names in exceptions.items() for name in names
             if name not in {n for _, n in seen.get(message, ())}]
    assert not idle
