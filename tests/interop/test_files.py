"""What Hayward writes is Kafka's: its tools read it, Java's controller starts on it, and the other way round."""
import re

from tests.harness.processes import JavaController, wait_until


def with_some_life(cluster, jvm, controller):
    broker = cluster.broker(controller)
    for i in range(3):
        jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", f"made-{i}", "--partitions", 2,
                 "--config", "retention.ms=1000")
    return broker


def test_dump_log_reads_the_log(cluster, jvm):
    controller = cluster.hayward()
    with_some_life(cluster, jvm, controller)
    out = jvm.tool("dump-log", "--cluster-metadata-decoder", "--files", ",".join(map(str, controller.segments()))).out
    for expected in ("LeaderChange", "REGISTER_BROKER_RECORD", "TOPIC_RECORD", "PARTITION_RECORD", "CONFIG_RECORD"):
        assert expected in out, f"{expected} is not in what the tool printed: {out[:1500]}"
    assert "isvalid: false" not in out
    checkpoint = controller.metadata_log / "00000000000000000000-0000000000.checkpoint"
    assert "KRaftVoters" in jvm.tool("dump-log", "--cluster-metadata-decoder", "--files", checkpoint).out
    bootstrap = jvm.tool("dump-log", "--cluster-metadata-decoder", "--files", controller.data / "bootstrap.checkpoint").out
    assert "FEATURE_LEVEL_RECORD" in bootstrap


def test_metadata_shell_reads_a_snapshot(cluster, jvm):
    controller = cluster.hayward(settings={"metadata.log.max.record.bytes.between.snapshots": 500})
    with_some_life(cluster, jvm, controller)
    made = max(r["offset"] for r in controller.records(jvm, "TopicRecord"))
    snapshot = wait_until("a snapshot with the topics is written", lambda: [
        p for p in sorted(controller.metadata_log.glob("*.checkpoint")) if int(p.name.split("-")[0]) > made], 20)[-1]
    assert controller.stop() in (0, 143)  # the shell wants the directory's lock

    def shows(expected, path):
        return re.search(expected, jvm.run("metadata-shell", "--snapshot", snapshot, "ls", path))

    # The shell may run its command before all of the file is applied: asked again then.
    wait_until("the shell shows the topics", lambda: shows("made-2", "/image/topics/byName"), 30)
    wait_until("the shell shows the broker", lambda: shows(r"\b1\b", "/image/cluster/brokers"), 30)


def test_java_takes_over_the_directory_and_gives_it_back(cluster, jvm):
    hayward = cluster.hayward()
    broker = with_some_life(cluster, jvm, hayward)
    assert hayward.stop() in (0, 143)

    java = JavaController(hayward.folder, port=hayward.port)
    cluster.started.append(java)
    java.start().wait_ready()
    jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "by-java", "--partitions", 2)
    assert java.stop() in (0, 143)

    hayward.start().wait_ready()
    jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "by-hayward", "--partitions", 2)
    wait_until("the broker shows all topics", lambda: {"made-0", "made-1", "made-2", "by-java", "by-hayward"} <= set(
        jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--list").out.split()), 20)
    assert broker.alive()
    records = hayward.records(jvm)
    epochs = [r["epoch"] for r in records if r["type"] == "LEADER_CHANGE"]
    assert epochs == sorted(set(epochs)) and len(epochs) == 3
    assert len([r for r in records if r["type"] == "RegisterBrokerRecord"]) == 1, "the broker went on throughout"


def test_java_starts_on_a_directory_that_hayward_formatted(cluster, jvm):
    hayward = cluster.hayward(start=False)
    java = JavaController(hayward.folder, port=hayward.port)
    cluster.started.append(java)
    java.start().wait_ready()
    wait_until("Java leads", lambda: "LeaderId" in jvm.tool("metadata-quorum", "--bootstrap-controller", java.bootstrap,
                                                            "describe", "--status", check=False).out, 20)


def test_hayward_starts_on_a_directory_that_java_formatted(cluster, jvm):
    java = cluster.java(start=False)
    hayward = type(cluster.hayward(start=False, format=False, name="unused"))(java.folder, port=java.port)
    cluster.started.append(hayward)
    hayward.start().wait_ready()
    broker = cluster.broker(hayward)
    jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "t")


def test_static_voters(cluster, jvm):
    """kraft.version 0: controller.quorum.voters, no 0-0 checkpoint."""
    controller = cluster.hayward(start=False, format=False, name="static")
    del controller.settings["controller.quorum.bootstrap.servers"]
    controller.settings["controller.quorum.voters"] = f"{controller.node_id}@127.0.0.1:{controller.port}"
    from tests.harness.processes import CLUSTER_ID, write_properties
    write_properties(controller.config, controller.settings)
    jvm.tool("storage", "format", "-t", CLUSTER_ID, "-c", controller.config)
    controller.start().wait_ready()
    broker = cluster.broker(controller, settings={
        "controller.quorum.voters": controller.settings["controller.quorum.voters"]})
    jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "t")
    types = [r["type"] for r in controller.records(jvm)]
    assert "LEADER_CHANGE" in types and "KRAFT_VERSION" not in types
