"""A single broker's day: the stock tools and clients against one controller and one real broker."""
import subprocess
import uuid

from tests.harness.processes import wait_until


def tool(live, name, *args, **kwargs):
    return live.jvm.tool(name, *args, **kwargs)


def broker_tool(live, name, *args, **kwargs):
    return tool(live, name, "--bootstrap-server", live.broker_1.bootstrap, *args, **kwargs)


def controller_tool(live, name, *args, **kwargs):
    return tool(live, name, "--bootstrap-controller", live.controller.bootstrap, *args, **kwargs)


def cluster_tool(live, *args):
    return tool(live, "cluster", *args).out


def described(live, topic, otherwise=""):
    """What the broker tells of a topic; `otherwise` while it does not know it yet."""
    answer = broker_tool(live, "topics", "--describe", "--topic", topic, check=False)
    return answer.out if answer.exit == 0 else otherwise


def new_topic(live, partitions=1, *args):
    name = f"t-{uuid.uuid4().hex[:8]}"
    broker_tool(live, "topics", "--create", "--topic", name, "--partitions", partitions, *args)
    wait_until(f"{name} has leaders", lambda: "Leader: none" not in described(live, name, "Leader: none"), 20)
    return name


def produce(live, topic, lines):
    done = subprocess.run(["kcat", "-P", "-b", live.broker_1.bootstrap, "-t", topic, "-X", "acks=all"],
                          input="".join(f"{line}\n" for line in lines), text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


def consume(live, topic, count):
    done = subprocess.run(["kcat", "-C", "-b", live.broker_1.bootstrap, "-t", topic, "-o", "beginning", "-c", str(count), "-q"],
                          text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_register_stay_fenced_until_caught_up_then_unfence(live):
    """RegisterBroker comes fenced; the one change after it unfences; nothing of the kind comes before."""
    records = [r for r in live.controller.records(live.jvm)
               if r["type"] in ("RegisterBrokerRecord", "BrokerRegistrationChangeRecord")]
    assert records[0]["type"] == "RegisterBrokerRecord"
    assert records[0]["data"].get("fenced", True) is True, "fenced is the default, which the JSON form leaves out"
    assert records[0]["data"]["brokerId"] == 1
    fencing = [r["data"] for r in records[1:] if "fenced" in r["data"]]
    assert fencing[0]["fenced"] == -1, "the first change of the kind is the unfencing"
    assert fencing[0]["brokerEpoch"] == records[0]["data"]["brokerEpoch"]
    assert records[0]["data"]["brokerEpoch"] <= records[0]["offset"]


def test_create_describe_alter_and_delete_a_topic(live):
    topic = new_topic(live, 3)
    assert "PartitionCount: 3" in described(live, topic)
    broker_tool(live, "topics", "--alter", "--topic", topic, "--partitions", 5)
    wait_until("the broker shows 5 partitions", lambda: "PartitionCount: 5" in described(live, topic), 20)
    again = broker_tool(live, "topics", "--create", "--topic", topic, check=False)
    assert again.exit == 1 and "already exists" in again.out + again.err
    broker_tool(live, "topics", "--delete", "--topic", topic)
    wait_until(f"{topic} is gone", lambda: topic not in broker_tool(live, "topics", "--list").out.split(), 20)


def test_bad_topics_are_refused(live):
    for args, expected in [(("--topic", "bad name"), "invalid"), (("--topic", "x", "--replication-factor", "4"), "replication"),
                           (("--topic", "x", "--config", "nonsense=1"), "Unknown topic config")]:
        refused = broker_tool(live, "topics", "--create", *args, check=False)
        assert refused.exit != 0
        assert expected.lower() in (refused.out + refused.err).lower(), refused


def test_produce_and_consume_with_kcat(live):
    topic = new_topic(live, 2)
    lines = [f"line-{i}" for i in range(100)]
    produce(live, topic, lines)
    assert sorted(consume(live, topic, 100)) == sorted(lines)


def test_console_tools(live):
    topic = new_topic(live)
    broker_tool(live, "console-producer", "--topic", topic, stdin="one\ntwo\n")
    out = broker_tool(live, "console-consumer", "--topic", topic, "--from-beginning", "--max-messages", 2,
                      "--timeout-ms", 20000).out
    assert out.split() == ["one", "two"]


def test_idempotent_and_transactional_producers(live):
    """Both take producer ids, so AllocateProducerIds has been served; a transaction commits."""
    topic = new_topic(live)
    perf = ("--topic", topic, "--num-records", 2000, "--record-size", 100, "--throughput", -1)
    properties = ("--producer-props", f"bootstrap.servers={live.broker_1.bootstrap}", "acks=all")
    tool(live, "producer-perf", *perf, *properties, "enable.idempotence=true")
    tool(live, "producer-perf", *perf, *properties, "transactional.id=tx-1", "--transaction-duration-ms", 50)
    read = broker_tool(live, "console-consumer", "--topic", topic, "--from-beginning", "--max-messages", 4000,
                       "--timeout-ms", 30000, "--command-property", "isolation.level=read_committed")
    assert len(read.out.split()) == 4000
    blocks = [r["data"]["nextProducerId"] for r in live.controller.records(live.jvm, "ProducerIdsRecord")]
    assert blocks and all(b % 1000 == 0 for b in blocks) and blocks == sorted(set(blocks))


def test_perf_consumer_and_consumer_groups(live):
    topic = new_topic(live, 2)
    produce(live, topic, range(500))
    group = f"g-{topic}"
    broker_tool(live, "console-consumer", "--topic", topic, "--group", group, "--from-beginning", "--max-messages", 500,
                "--timeout-ms", 30000)
    described = broker_tool(live, "consumer-groups", "--describe", "--group", group).out
    lags = [line.split()[5] for line in described.splitlines() if topic in line]
    assert lags == ["0", "0"], described
    assert group in broker_tool(live, "consumer-groups", "--list").out.split()
    out = broker_tool(live, "consumer-perf", "--topic", topic, "--num-records", 500, "--timeout", 20000).out
    assert "500" in out


def test_dynamic_topic_and_broker_configs(live):
    topic = new_topic(live)
    entity = ("--entity-type", "topics", "--entity-name", topic)
    broker_tool(live, "configs", "--alter", *entity, "--add-config", "retention.ms=12345,cleanup.policy=[compact,delete]")

    def shown(text):
        return text in broker_tool(live, "configs", "--describe", *entity).out
    wait_until("the broker shows the topic's config", lambda: shown("retention.ms=12345"), 20)
    refused = broker_tool(live, "configs", "--alter", *entity, "--add-config", "retention.ms=soon", check=False)
    assert refused.exit != 0 and "retention.ms" in refused.out + refused.err
    broker_tool(live, "configs", "--alter", *entity, "--delete-config", "retention.ms")
    wait_until("the broker shows that it is gone", lambda: not shown("retention.ms=12345"), 20)
    for name in (("--entity-name", "1"), ("--entity-default",)):
        broker = ("--entity-type", "brokers", *name)
        broker_tool(live, "configs", "--alter", *broker, "--add-config", "log.cleaner.threads=2")
        wait_until("the broker shows its dynamic config",
                   lambda: "log.cleaner.threads=2" in broker_tool(live, "configs", "--describe", *broker).out, 20)
        broker_tool(live, "configs", "--alter", *broker, "--delete-config", "log.cleaner.threads")


def test_configs_by_way_of_the_controller(live):
    topic = new_topic(live)
    entity = ("--entity-type", "topics", "--entity-name", topic)
    controller_tool(live, "configs", "--alter", *entity, "--add-config", "segment.bytes=2097152")
    wait_until("the broker shows the topic's config", lambda: "segment.bytes=2097152" in broker_tool(
        live, "configs", "--describe", *entity).out, 20)
    own = ("--entity-type", "brokers", "--entity-name", str(live.controller.node_id))
    described = controller_tool(live, "configs", "--describe", "--all", *own).out
    assert "controller.quorum.bootstrap.servers" in described, described
    assert "broker.session.timeout.ms=9000" in described, described


def test_quorum_tool(live):
    for way in (controller_tool, broker_tool):
        status = way(live, "metadata-quorum", "describe", "--status").out
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        assert int(fields["LeaderId"]) == live.controller.node_id, status
        assert '"id": 1' in status.split("CurrentObservers:")[1], status
    replication = controller_tool(live, "metadata-quorum", "describe", "--replication").out
    rows = [line.split() for line in replication.splitlines()[1:] if line.strip()]
    assert [r[0] for r in rows] == [str(live.controller.node_id), "1"], replication
    assert "Leader" in rows[0] and "Observer" in rows[1], replication


def test_features_tool(live):
    out = controller_tool(live, "features", "describe").out
    assert "Feature: metadata.version" in out and "FinalizedVersionLevel: 4.3-IV0" in out, out
    assert "Feature: kraft.version" in out
    refused = broker_tool(live, "features", "upgrade", "--feature", "group.version=9", check=False)
    assert refused.exit != 0, refused
    broker_tool(live, "features", "downgrade", "--feature", "share.version=0")
    broker_tool(live, "features", "upgrade", "--feature", "share.version=1")


def test_cluster_tool(live):
    out = cluster_tool(live, "list-endpoints", "--bootstrap-controller", live.controller.bootstrap)
    assert str(live.controller.port) in out and str(live.controller.node_id) in out, out
    brokers = cluster_tool(live, "list-endpoints", "--bootstrap-server", live.broker_1.bootstrap)
    assert str(live.broker_1.port) in brokers, brokers
    assert "hAywardTestsCluster000" in cluster_tool(live, "cluster-id", "--bootstrap-controller", live.controller.bootstrap)


def test_broker_offers_what_the_controller_offers(live):
    """A key the controller lacks vanishes from the broker's list: the admin calls of a day must be there."""
    out = broker_tool(live, "broker-api-versions").out
    for name in ("CreateTopics(19): 2 to 7", "DeleteTopics(20): 1 to 6", "CreatePartitions(37): 0 to 3",
                 "IncrementalAlterConfigs(44): 0 to 1", "UpdateFeatures(57): 0 to 2"):
        assert name in out, out
