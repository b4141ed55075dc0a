"""One side of a differential run: a controller that a scenario talks to, and all that it answered and wrote.

What must differ between two runs (random ids, offsets, epochs that are offsets, times) is replaced by a name
that counts its first appearances, so that equal structure gives equal text.
"""
import itertools
import json
import re
import time

TEXTS = {"errorMessage"}                     # compared for null or not; the words are each side's own
VOLATILE = {"throttleTimeMs", "finalizedFeaturesEpoch", "timestamp", "incarnationId",
            # no-op records come by time, so where the log ends is not comparable
            "highWatermark", "logEndOffset", "endOffset", "lastFetchTimestamp", "lastCaughtUpTimestamp", "recordsSizeInBytes"}
COUNTED = {                                  # key -> family of ids that share a numbering
    "brokerEpoch": "epoch", "replicaDirectoryId": "directory", "voterDirectoryId": "directory", "topicId": "topic", "directoryId": "directory", "directory": "directory",
    "currentMetadataOffset": None,
}
CREATE_TOPICS, CREATE_PARTITIONS = 19, 37
DELETE_TOPICS, API_VERSIONS, DESCRIBE_CONFIGS = 20, 18, 32
ALTER_CONFIGS, ELECT_LEADERS, LIST_REASSIGNMENTS = 33, 43, 46
DESCRIBE_ACLS, DELETE_ACLS, ALTER_QUOTAS, ALTER_SCRAM = 29, 31, 49, 51
# What is served; the rest is not advertised.
SERVED = {1, 18, 19, 20, 29, 30, 31, 32, 33, 37, 38, 39, 40, 43, 44, 45, 46, 49, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 62, 63, 64, 67, 70, 73, 80, 81, 82}
UUID = re.compile(r"^[A-Za-z0-9_-]{22}$")


def text(value):
    return json.dumps(value, sort_keys=True)


def tens_of_seconds(ms):
    return f"{round(ms / 10000) * 10} s"


def without_present(value):
    """Times of a token as distances from its issue, or from now; both sides are played one after the other."""
    issued = {"issueTimestamp", "issueTimestampMs"} & value.keys()
    times = [k for k in value if k in ("maxTimestamp", "maxTimestampMs", "expirationTimestamp", "expiryTimestampMs")
             and 0 < value[k] < 1 << 62]
    if not times:
        return value
    since = value[issued.pop()] if issued else time.time() * 1000
    return {**{k: v for k, v in value.items() if not k.startswith("issueTimestamp")},
            **{k: tens_of_seconds(value[k] - since) for k in times}}


class Side:
    def __init__(self, name, controller, jvm):
        self.name, self.controller, self.jvm = name, controller, jvm
        self.steps = []                      # (what, normalised answer)
        self.names = {}

    def rpc(self, what, key, version, body, **options):
        answer = self.jvm.rpc(self.controller.port, key, version, body, **options)
        answer.pop("left", None)
        self.steps.append((f"{what} v{version}", self.normalise(self._comparable(key, answer))))
        return answer.get("response", {})

    @staticmethod
    def _comparable(key, answer):
        """Drops what has no order or no meaning for the comparison."""
        response = answer.get("response", {})
        if key in (CREATE_TOPICS, CREATE_PARTITIONS) and response:  # refused ones in the order of a hash set
            response["topics" if key == CREATE_TOPICS else "results"].sort(key=lambda r: r["name"])
        if key == DELETE_TOPICS and response:  # Java shuffles these
            response["responses"].sort(key=lambda r: (r["errorCode"], r.get("name") or ""))
        if key == DESCRIBE_CONFIGS:            # in the order of a hash map
            for result in response.get("results", []):
                result["configs"].sort(key=lambda c: c["name"])
        if key == ALTER_CONFIGS and response:
            response["responses"].sort(key=lambda r: (r["resourceType"], r["resourceName"]))
        if key == ELECT_LEADERS and response:
            response["replicaElectionResults"].sort(key=lambda r: r["topic"])
            for result in response["replicaElectionResults"]:
                result["partitionResult"].sort(key=lambda p: p["partitionId"])
        if key == LIST_REASSIGNMENTS and response:
            response["topics"].sort(key=lambda t: t["name"])
        if key == DESCRIBE_ACLS and response:
            for resource in response["resources"]:
                resource["acls"].sort(key=text)
            response["resources"].sort(key=text)
        if key == DELETE_ACLS and response:
            for result in response["filterResults"]:
                result["matchingAcls"].sort(key=text)
        if key == ALTER_QUOTAS and response:
            for entry in response["entries"]:
                entry["entity"].sort(key=text)
            response["entries"].sort(key=lambda e: text(e["entity"]))
        if key == ALTER_SCRAM and response:
            response["results"].sort(key=lambda r: r["user"])
        if key == API_VERSIONS and response:   # a map's order; and only what Hayward serves so far
            response["apiKeys"] = [k for k in response["apiKeys"] if k["apiKey"] in SERVED]
            for features in ("supportedFeatures", "finalizedFeatures"):
                response.get(features, []).sort(key=lambda f: f["name"])
        return answer

    def normalise(self, value, key=""):
        if isinstance(value, dict):
            value = without_present(value)
            return {k: self.normalise(v, k) for k, v in sorted(value.items()) if k not in VOLATILE}
        if isinstance(value, list):
            normalised = [self.normalise(v, key) for v in value]
            return sorted(normalised, key=text) if key == "entity" else normalised  # a quota's, from a map
        if key == "port" and value == self.controller.port:
            return "<port>"
        if key in TEXTS:
            return value if value is None else "text"
        family = COUNTED.get(key)
        if family and value not in (-1, 0, "AAAAAAAAAAAAAAAAAAAAAA"):
            return self.name_of(family, value)
        if key == "hmac" and value:
            return self.name_of("hmac", value)
        if isinstance(value, str) and UUID.match(value) and (family or key in ("id", "directories", "logDirs", "tokenId")):
            return self.name_of("uuid", value)
        return value

    def name_of(self, family, value):
        known = self.names.setdefault(family, {})
        return known.setdefault(value, f"<{family} {len(known) + 1}>")

    def quorum(self):
        """The metadata partition as DescribeQuorum tells of it; not a step."""
        body = {"topics": [{"topicName": "__cluster_metadata", "partitions": [{"partitionIndex": 0}]}]}
        return self.jvm.rpc(self.controller.port, 55, 0, body)["response"]["topics"][0]["partitions"][0]

    def epoch(self):
        return self.quorum()["leaderEpoch"]

    def last_offset(self):
        """The last committed one: where a broker is that has caught up."""
        return self.quorum()["highWatermark"] - 1

    def epoch_or(self, otherwise):
        """The raft epoch where this caller may see it."""
        body = {"topics": [{"topicName": "__cluster_metadata", "partitions": [{"partitionIndex": 0}]}]}
        topics = self.jvm.rpc(self.controller.port, 55, 0, body)["response"]["topics"]
        return topics[0]["partitions"][0]["leaderEpoch"] if topics else otherwise

    def wait_for_tokens(self):
        """Java's controller finds a token by its HMAC only once a publisher has come by; and time passes."""
        time.sleep(2.0 if self.name == "java" else 0.05)

    def records(self):
        """The log's records since the scenario's start, without those that time alone brings."""
        kept = []
        for record in self.controller.records(self.jvm):
            if record["type"] in ("NoOpRecord", "RegisterControllerRecord") or record.get("control"):
                continue
            data = {"type": record["type"], "version": record["version"], "data": self.normalise(record["data"])}
            kept.append(((record["batch"], record["type"]), data))
        # Java walks hash maps: records of one type that were written together come in any order.
        runs = itertools.groupby(kept, key=lambda r: r[0])
        return [data for _, run in runs for data in sorted((d for _, d in run), key=lambda d: json.dumps(d, sort_keys=True))]


DIRECTORIES = {b: [f"dirDirDirDirDirDir{b:02d}{i}Q" for i in (1, 2)] for b in range(1, 10)}


def register(side, broker, incarnation=None, version=4, expect=0, **changes):
    """BrokerRegistration of a model broker; its epoch."""
    body = {
        "brokerId": broker, "clusterId": "hAywardTestsCluster000",
        "incarnationId": incarnation or f"incarnation{broker:02d}AAAAAAAAA",
        "listeners": [{"name": "PLAINTEXT", "host": "127.0.0.1", "port": 9000 + broker, "securityProtocol": 0}],
        "features": [{"name": n, "minSupportedVersion": low, "maxSupportedVersion": high} for n, low, high in (
            ("metadata.version", 7, 30), ("group.version", 0, 1), ("transaction.version", 0, 2), ("share.version", 0, 1),
            ("streams.version", 0, 1), ("eligible.leader.replicas.version", 0, 1), ("kraft.version", 0, 1))],
        "rack": None, "isMigratingZkBroker": False, "logDirs": [DIRECTORIES[broker][0]], "previousBrokerEpoch": -1, **changes}
    if version < 4:
        body["features"] = [f for f in body["features"] if f["minSupportedVersion"] > 0]
    answer = side.rpc(f"register {broker}", 62, version, body)
    return answer.get("brokerEpoch")


def heartbeat(side, broker, epoch, version=2, want_fence=False, want_shut_down=False, offset=1 << 40, **changes):
    body = {"brokerId": broker, "brokerEpoch": epoch, "currentMetadataOffset": offset, "wantFence": want_fence,
            "wantShutDown": want_shut_down, **changes}
    return side.rpc(f"heartbeat {broker}", 63, version, body)


def running(side, *brokers):
    """Registers and unfences; epochs by id."""
    epochs = {}
    for broker in brokers:
        epochs[broker] = register(side, broker)
        heartbeat(side, broker, epochs[broker])
    return epochs


def topic(name, assignments=None, partitions=-1, factor=-1, configs=()):
    return {"name": name, "numPartitions": partitions, "replicationFactor": factor,
            "assignments": [{"partitionIndex": i, "brokerIds": ids} for i, ids in (assignments or {}).items()],
            "configs": [{"name": n, "value": v} for n, v in configs]}


def create(side, *topics, version=7, validate_only=False, **options):
    answer = side.rpc("create", 19, version, {"topics": list(topics), "timeoutMs": 5000, "validateOnly": validate_only}, **options)
    return {t["name"]: t.get("topicId") for t in answer.get("topics", [])}
