"""Reads field tables: ours, and the JSON schemas inside Kafka's jars brought into the same form."""
import json
import os
import pathlib
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def kafka_lib():
    """The folder with Kafka's jars; skips, and says so, when there is none."""
    folder = os.environ.get("HAYWARD_KAFKA_LIB")
    if not folder:
        pytest.skip("LEFT OUT: HAYWARD_KAFKA_LIB is not set, so nothing is compared with Kafka's own schemas and codec")
    return pathlib.Path(folder)


def codec_check():
    return pathlib.Path(os.environ.get("HAYWARD_BUILD", ROOT / "build")) / "tests" / "conformance" / "codec_check"


def our_table_files():
    return sorted(ROOT.glob("schemas/messages/*.json")) + sorted(ROOT.glob("schemas/records/*.json"))


def our_tables():
    """Our tables by name, without our own RPC, which Kafka does not have."""
    tables = [json.loads(path.read_text()) for path in our_table_files()]
    return {table["name"]: table for table in tables if not table["name"].startswith("Hayward")}


def without_comments(text):
    out, at, quoted = [], 0, False
    while at < len(text):
        if quoted and text[at] == "\\":
            out.append(text[at:at + 2])
            at += 2
            continue
        if text[at] == '"':
            quoted = not quoted
        if not quoted and text.startswith("//", at):
            at = text.find("\n", at)
            if at < 0:
                break
            continue
        out.append(text[at])
        at += 1
    return "".join(out)


def kafka_tables(lib):
    """Kafka's schemas by name, as its jars hold them."""
    tables = {}
    for jar in ("kafka-clients", "kafka-metadata"):
        (path,) = [p for p in lib.glob(f"{jar}-[0-9]*.jar")]
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.startswith(("common/message/", "common/metadata/")) and name.endswith(".json"):
                    table = json.loads(without_comments(archive.read(name).decode()))
                    tables[table["name"]] = table
    return tables


def default_of(field):
    """Kafka writes defaults as text or as JSON; ours are JSON of the field's type."""
    value = field["default"]
    if not isinstance(value, str):
        return value
    if value == "null":
        return None
    if field["type"] == "bool":
        return {"true": True, "false": False}[value]
    return int(value, 0) if field["type"].startswith(("int", "uint")) else value


def normal_field(field):
    """One of Kafka's fields in our form."""
    ours = {"name": field["name"], "type": field["type"], "versions": field["versions"]}
    if "nullableVersions" in field:
        ours["nullable"] = field["nullableVersions"]
    if "tag" in field:
        ours["tag"] = field["tag"]
        assert field["taggedVersions"] == field["versions"], field
    if "default" in field:
        ours["default"] = default_of(field)
    if field.get("ignorable", False):
        ours["ignorable"] = True
    if "flexibleVersions" in field:
        ours["flexible"] = field["flexibleVersions"]
    if "fields" in field:
        ours["fields"] = [normal_field(inner) for inner in field["fields"]]
    return ours


def normal_table(table):
    """One of Kafka's schemas in our form."""
    ours = {"name": table["name"], "type": table["type"]}
    if "apiKey" in table:
        ours["key"] = table["apiKey"]
    ours["versions"] = table["validVersions"]
    ours["flexible"] = table["flexibleVersions"]
    if table.get("commonStructs"):
        ours["structs"] = [{"name": s["name"], "versions": s["versions"], "fields": [normal_field(f) for f in s["fields"]]}
                           for s in table["commonStructs"]]
    ours["fields"] = [normal_field(field) for field in table["fields"]]
    return ours
