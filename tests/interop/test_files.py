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


def snapshot_after(controller, offset):
    """The newest snapshot once it holds `offset`; the controller is stopped, for the shell wants the directory's lock."""
    snapshot = wait_until("a snapshot with it is written", lambda: [
        p for p in sorted(controller.metadata_log.glob("*.checkpoint")) if int(p.name.split("-")[0]) > offset], 20)[-1]
    assert controller.stop() in (0, 143)
    return snapshot


def wait_shell_shows(jvm, snapshot, command, path, *expected):
    """The shell may run its command before all of the file is applied: asked again then."""
    def shown():
        out = jvm.run("metadata-shell", "--snapshot", snapshot, command, path)
        return all(re.search(e, out) for e in expected)
    wait_until(f"the shell shows {expected} at {path}", shown, 30)


def test_metadata_shell_reads_a_snapshot(cluster, jvm):
    controller = cluster.hayward(settings={"metadata.log.max.record.bytes.between.snapshots": 500})
    with_some_life(cluster, jvm, controller)
    snapshot = snapshot_after(controller, max(r["offset"] for r in controller.records(jvm, "TopicRecord")))
    wait_shell_shows(jvm, snapshot, "ls", "/image/topics/byName", "made-2")
    wait_shell_shows(jvm, snapshot, "ls", "/image/cluster/brokers", r"\b1\b")


def test_metadata_shell_reads_security_records_of_a_snapshot(cluster, jvm):
    controller = cluster.hayward(settings={
        "metadata.log.max.record.bytes.between.snapshots": 500, "delegation.token.secret.key": "a secret key",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer", "super.users": "User:ANONYMOUS;User:admin"})

    def ask(key, version, body):
        def answered():  # an envelope is refused as long as the controller is not active
            return jvm.rpc(controller.port, key, version, body, forward=True, principal="admin").get("response")
        return wait_until(f"an answer to {key}", answered, 20)

    acl = {"resourceType": 2, "resourceName": "guarded", "resourcePatternType": 4, "principal": "User:alice", "host": "*",
           "operation": 3, "permissionType": 3}
    assert ask(30, 3, {"creations": [acl]})["results"][0]["errorCode"] == 0
    quotas = [{"entity": [{"entityType": "user", "entityName": "alice"}, {"entityType": "client-id", "entityName": "c"}],
               "ops": [{"key": "producer_byte_rate", "value": 1024.0, "remove": False}]}]
    assert ask(49, 1, {"entries": quotas, "validateOnly": False})["entries"][0]["errorCode"] == 0
    credentials = [{"name": user, "mechanism": mechanism, "iterations": 4096, "salt": "c2FsdA==", "saltedPassword": "c2VjcmV0"}
                   for user, mechanism in (("alice", 1), ("bob", 2))]
    assert all(r["errorCode"] == 0 for r in ask(51, 0, {"deletions": [], "upsertions": credentials})["results"])
    token = ask(38, 3, {"ownerPrincipalType": None, "ownerPrincipalName": None, "maxLifetimeMs": -1,
                        "renewers": [{"principalType": "User", "principalName": "bob"}]})
    assert token["errorCode"] == 0
    snapshot = snapshot_after(controller, max(r["offset"] for r in controller.records(jvm, "DelegationTokenRecord")))
    wait_shell_shows(jvm, snapshot, "tree", "/image/acls", "guarded", "User:alice", "PREFIXED", "READ", "ALLOW")
    wait_shell_shows(jvm, snapshot, "tree", "/image/clientQuotas", r"clientId\(c\)_user\(alice\)", "producer_byte_rate", "1024")
    wait_shell_shows(jvm, snapshot, "tree", "/image/scram", "SCRAM-SHA-256", "alice", "SCRAM-SHA-512", "bob", "iterations=4096")
    wait_shell_shows(jvm, snapshot, "ls", "/image/delegationToken", re.escape(token["tokenId"]))


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
