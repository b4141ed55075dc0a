"""DescribeConfigs in full: every key of a topic, of the node itself, of the cluster, of a group and of a subscription, with
sources and synonyms, on Hayward and on Java's controller."""
import pytest

from tests.differential.side import Side, create, running, topic
from tests.differential.test_differential import active
from tests.harness.processes import wait_until

# Keys whose values the two processes cannot share: folders and ports.
OWN = {"log.dirs", "log.dir", "metadata.log.dir", "listeners", "advertised.listeners", "controller.quorum.bootstrap.servers"}
SETTINGS = {"log.retention.hours": 5, "log.roll.ms": 60000, "num.partitions": 4,
            "group.consumer.max.session.timeout.ms": 70000}
CHANGES = [(4, "", "log.retention.ms", "7000"), (4, "", "my.own.key", "x"), (4, "", "message.max.bytes", "2000000"),
           (2, "t", "retention.ms", " 8000"), (2, "t", "cleanup.policy", "compact, delete"), (2, "t", "min.cleanable.dirty.ratio", "1"),
           (16, "m", "metrics", "a, b"), (32, "g", "consumer.session.timeout.ms", "61000")]
INTENDED = {
    (4, "3000", "log.retention.hours"): "Java forgets the file's hours once milliseconds are set for the cluster: it shows the "
                                        "default, yet names the file as its source",
}
RESOURCES = [(2, "t"), (2, "plain"), (4, ""), (4, None), (16, "m"), (16, "none"), (32, "g"), (32, "none")]


def described(controller, name, jvm):
    wait_until(f"{name} is active", lambda: active(controller, jvm))
    side = Side(name, controller, jvm)
    running(side, 1)
    create(side, topic("t", {0: [1]}), topic("plain", {0: [1]}))
    for kind, resource, key, value in CHANGES:
        answer = side.rpc("change", 44, 1, {"resources": [{"resourceType": kind, "resourceName": resource, "configs": [
            {"name": key, "configOperation": 0, "value": value}]}], "validateOnly": False})
        assert answer["responses"][0]["errorCode"] == 0, (key, answer)
    results = {}
    for kind, resource in RESOURCES:
        resource = str(controller.node_id) if resource is None else resource
        answer = side.rpc("describe", 32, 4, {"resources": [{"resourceType": kind, "resourceName": resource, "configurationKeys": None}],
                                              "includeSynonyms": True, "includeDocumentation": False})
        configs = answer["results"][0].pop("configs")
        results[kind, resource, "answer"] = answer["results"][0]
        results.update({(kind, resource, c["name"]): c for c in configs if c["name"] not in OWN})
    return results


def test_every_key(cluster, jvm):
    ours = described(cluster.hayward(settings=SETTINGS), "hayward", jvm)
    theirs = described(cluster.java(settings=SETTINGS), "java", jvm)
    differences = [f"{key}\n  Hayward {ours.get(key)}\n  Java    {theirs.get(key)}" for key in sorted(ours.keys() | theirs.keys())
                   if ours.get(key) != theirs.get(key) and key not in INTENDED]
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences)
    if len(ours) < 400:
        pytest.fail(f"only {len(ours)} entries were compared")
