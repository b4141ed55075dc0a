"""Our codec against Kafka's, byte for byte, both ways, for every message and record in every version; record batches."""
import os
import subprocess

import pytest

from tests.conformance import kafka_schemas as schemas

ROUNDS = 2000 if os.environ.get("HAYWARD_LONG") else 40
SEED = 1


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def java(tmp_path_factory):
    """Runs tests/conformance/Codec.java (or another program beside it) with the given arguments."""
    lib = schemas.kafka_lib()
    classes = tmp_path_factory.mktemp("classes")
    run("javac", "-cp", f"{lib}/*", "-d", classes, *(schemas.ROOT / "tests" / "conformance").glob("*.java"))

    def java(*arguments, program="Codec"):
        return run("java", "-XX:+UseSerialGC", "-cp", f"{classes}:{lib}/*", program, *arguments)
    return java


def entries(report):
    count, wrong = report.strip().splitlines()[-1].split(" entries, ")
    assert wrong == "0 wrong"
    return int(count)


def versions_in_all():
    total = 0
    for table in schemas.our_tables().values():
        first, _, last = table["versions"].partition("-")
        total += int(last or first) - int(first) + 1
    return total


def test_kafkas_bytes_come_back_from_our_codec(java, tmp_path):
    """cases.md row 91."""
    corpus = tmp_path / "kafka.corpus"
    java("produce", SEED, ROUNDS, corpus, *schemas.our_tables())
    assert entries(run(schemas.codec_check(), "recode", corpus)) == ROUNDS * versions_in_all()


def test_our_bytes_come_back_from_kafkas_codec(java, tmp_path):
    """cases.md row 91."""
    corpus = tmp_path / "hayward.corpus"
    run(schemas.codec_check(), "produce", SEED, ROUNDS, corpus)
    assert entries(java("recode", corpus)) == ROUNDS * versions_in_all()


def test_a_changed_byte_is_noticed(java, tmp_path):
    """The comparison itself can fail."""
    corpus = tmp_path / "kafka.corpus"
    java("produce", SEED, 1, corpus, "TopicRecord")
    damaged = bytearray(corpus.read_bytes())
    damaged[-1] ^= 1  # the count of tagged fields
    corpus.write_bytes(damaged)
    done = subprocess.run([schemas.codec_check(), "recode", corpus], capture_output=True, text=True)
    assert done.returncode == 1 and "1 entries, 1 wrong" in done.stdout


def test_error_codes_equal_kafkas(java):
    def pairs(text):
        return sorted(text.split("\n"))
    assert pairs(run(schemas.codec_check(), "errors")) == pairs(java("errors"))


def test_api_versions_and_header_versions_equal_kafkas(java):
    ours = [line for line in run(schemas.codec_check(), "apis").splitlines() if "HaywardStatus" not in line]
    kafkas = java("apis").splitlines()
    assert len(kafkas) == 41
    assert sorted(ours) == sorted(kafkas)


def test_record_batches_equal_kafkas(java):
    ours = run(schemas.codec_check().with_name("batch_check")).splitlines()
    assert len(ours) == 4
    assert ours == java(program="Batches").splitlines()
