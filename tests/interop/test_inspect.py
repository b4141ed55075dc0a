"""`hayward inspect` against Kafka's own decoder: the same records, field by field, on what Java wrote and on what Hayward wrote."""
import json
import os
import subprocess

from tests.harness.processes import HAYWARD, wait_until


def inspect(*args, exit_code=0):
    done = subprocess.run([str(HAYWARD), "inspect", *map(str, args)], capture_output=True, text=True, timeout=60)
    assert done.returncode == exit_code, f"exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr}"
    return done.stdout


def inspect_json(*args, exit_code=0):
    return json.loads(inspect("--json", *args, exit_code=exit_code))


def flat(told, path):
    """The records of one file in the form of jvm.records()."""
    [file] = [f for f in told["files"] if f["file"] == str(path)]
    records = []
    for batch in file.get("batches", []):
        for record in batch["records"]:
            told_record = {"offset": record["offset"], "epoch": batch["epoch"], "batch": batch["base_offset"],
                           "timestamp": batch["timestamp_ms"], "type": record["type"], "data": record["data"]}
            if batch["control"]:
                told_record["control"] = True
            else:
                told_record["version"] = record["version"]
            records.append(told_record)
    return records


def without_jvm_gaps(records):
    """What jvm.records() says more or less of control records: nothing of a snapshot's header and footer, and the
    voters' directory ids of a LeaderChange even where its version has none."""
    for record in records:
        if record["type"] in ("SNAPSHOT_HEADER", "SNAPSHOT_FOOTER"):
            record.pop("data", None)
        if record["type"] == "LEADER_CHANGE" and record["data"]["version"] == 0:
            for voter in record["data"]["voters"] + record["data"]["grantingVoters"]:
                voter.pop("voterDirectoryId", None)
    return records


def life_of_a_broker(cluster, jvm, controller, users):
    """One record of most types; `users`: those of quotas and credentials too."""
    broker = cluster.broker(controller)
    at = ("--bootstrap-server", broker.bootstrap)
    for topic in ("kept", "gone"):
        jvm.tool("topics", *at, "--create", "--topic", topic, "--partitions", 3, "--config", "retention.ms=1000")
    wait_until("the broker has heard of the topic", lambda: "gone" in jvm.tool("topics", *at, "--list").out.split(), 20)
    jvm.tool("topics", *at, "--delete", "--topic", "gone")
    for settings in ("request_percentage=12.5", "SCRAM-SHA-256=[iterations=4096,password=secret]") if users else ():
        jvm.tool("configs", *at, "--alter", "--entity-type", "users", "--entity-name", "al\"ice \u20ac", "--add-config", settings)
    jvm.tool("configs", *at, "--alter", "--entity-type", "brokers", "--entity-default", "--add-config", "log.cleaner.threads=1")
    jvm.tool("console-producer", *at, "--topic", "kept", stdin="one\n")
    assert broker.stop() in (0, 143)


EVERYONES_TYPES = {"LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS", "FeatureLevelRecord",
                   "RegisterControllerRecord", "RegisterBrokerRecord", "BrokerRegistrationChangeRecord", "TopicRecord",
                   "PartitionRecord", "PartitionChangeRecord", "RemoveTopicRecord", "ConfigRecord", "ProducerIdsRecord"}


def compare_everything(jvm, controller, types_wanted):
    """Every log and checkpoint file of a directory that nobody writes."""
    told = inspect_json("--records", controller.data)
    assert told["faults"] == []
    files = [*controller.segments(), *sorted(controller.metadata_log.glob("*.checkpoint")), controller.data / "bootstrap.checkpoint"]
    types = set()
    for path in files:
        expected = without_jvm_gaps(jvm.records(path))
        assert without_jvm_gaps(flat(told, path)) == expected, path
        alone = inspect_json(path)
        assert without_jvm_gaps(flat(alone, path)) == expected, path
        types |= {record["type"] for record in expected}
    assert types >= types_wanted, types_wanted - types
    return told


def check_summary(told, controller):
    facts = {f["kind"]: f for f in told["files"]}
    assert facts["meta.properties"]["node_id"] == controller.node_id
    assert facts["quorum state"]["epoch"] >= 1
    assert facts["metadata log"]["start_offset"] == 0
    assert facts["metadata log"]["last_epoch"] == facts["epochs"]["epochs"][-1]["epoch"]


def test_what_java_wrote(cluster, jvm):
    java = cluster.java()
    life_of_a_broker(cluster, jvm, java, users=True)
    assert java.stop() in (0, 143)
    told = compare_everything(jvm, java, EVERYONES_TYPES | {"ClientQuotaRecord", "UserScramCredentialRecord"})
    check_summary(told, java)

    # Filters.
    offsets = [r["offset"] for r in flat(told, java.segments()[0])]
    topics = [r for r in java.records(jvm, "TopicRecord")]
    chosen = flat(inspect_json("--type", "TOPIC_RECORD", java.metadata_log), java.segments()[0])
    assert [r["offset"] for r in chosen] == [r["offset"] for r in topics]
    chosen = flat(inspect_json("--from", 3, "--to", 7, java.metadata_log), java.segments()[0])
    assert [r["offset"] for r in chosen] == [o for o in offsets if 3 <= o <= 7]
    inspect("--type", "Nonsense", java.metadata_log, exit_code=2)
    assert "TopicRecord v0" in inspect("--type", "Topic", java.metadata_log)

    # A flipped byte in the middle is named, and what follows is shown.
    segment = java.segments()[0]
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 0x10
    copy = java.folder / segment.name
    copy.write_bytes(content)
    told = inspect_json(copy, exit_code=1)
    [fault] = told["faults"]
    assert fault["file"] == str(copy) and 0 < fault["position"] <= len(content) // 2
    left = [r["offset"] for r in flat(told, copy)]
    assert left == [o for o in offsets if o in left] and left[-1] == offsets[-1] and left[0] == 0


def test_what_hayward_wrote(cluster, jvm):
    hayward = cluster.hayward()
    life_of_a_broker(cluster, jvm, hayward, users=False)
    assert hayward.stop() in (0, 143)
    told = compare_everything(jvm, hayward, EVERYONES_TYPES)
    check_summary(told, hayward)
    [mark] = [f for f in told["files"] if f["kind"] == "flush mark"]
    assert mark["fit"] == "fits"


def holds_lock(controller):
    """Java removes its lock file when it stops, which is as good."""
    return any(f["held"] for f in inspect_json(controller.data)["files"] if f["kind"] == "lock")


def state_of(folder):
    return {str(p): (p.stat().st_ino, p.stat().st_mode) for p in folder.rglob("*")}


def test_twice_on_a_live_directory(cluster, jvm):
    """cases.md row 58 (KAFKA-19334): Java's inspection tool deletes the lock file of the running server."""
    for controller in (cluster.hayward(), cluster.java()):
        wait_until("it leads", lambda: controller.records(jvm, "LEADER_CHANGE"), 20)
        inode = os.stat(controller.data / ".lock").st_ino
        for _ in range(2):
            told = inspect_json("--records", controller.data)
            assert told["faults"] == []
            assert holds_lock(controller)
        assert os.stat(controller.data / ".lock").st_ino == inode
        assert controller.alive() and holds_lock(controller)
        # A second server is refused still.
        second = type(controller)(controller.folder, port=controller.port)
        if controller.name == "hayward":
            done = subprocess.run(second.command(), capture_output=True, text=True, timeout=60)
            assert done.returncode == 3, done.stderr
        controller.stop()
        assert not holds_lock(controller)


def test_while_records_are_written(cluster, jvm):
    """A batch that is being written is not damage."""
    hayward = cluster.hayward()
    broker = cluster.broker(hayward)
    for i in range(8):
        jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", f"t{i}", "--partitions", 20)
        assert inspect_json("--records", hayward.data)["faults"] == []


def test_nothing_is_changed_and_nonsense_is_refused(cluster, jvm):
    hayward = cluster.hayward(start=False)
    before = state_of(hayward.folder)
    assert "no damage found" in inspect(hayward.data)
    assert "FeatureLevelRecord" in inspect("--records", hayward.data)
    assert state_of(hayward.folder) == before
    inspect(hayward.folder / "nowhere", exit_code=2)
    inspect(hayward.config, exit_code=2)
    inspect(exit_code=2)
