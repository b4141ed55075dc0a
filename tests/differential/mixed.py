"""A long mixed script drawn from a seed: what several brokers and operators ask of one controller in one day.

The drawing depends on the seed and on what both sides must agree on anyway (which partitions there are, who
leads them), never on ids or offsets: each side puts in its own. Present and stale epochs are both asked for.
"""
import random
import time

from .side import DIRECTORIES, create, heartbeat, register, topic
from .scenarios import alter, assign

BROKERS = (1, 2, 3, 4)
NAMES = tuple(f"t{i}" for i in range(6))
STALE = 0.1   # how often an epoch or a name is wrong
UNKNOWN_ID = "unknownTopicIdAAAAAAAA"
TOPIC_CONFIGS = (("retention.ms", ("1000", "-1", "soon")), ("cleanup.policy", ("compact", "delete", "compact,delete", "none")),
                 ("min.insync.replicas", ("1", "2", "0")), ("unclean.leader.election.enable", ("true", "false", "perhaps")),
                 ("segment.bytes", ("2097152", "1")), ("nonsense", ("1",)))
BROKER_CONFIGS = (("log.cleaner.threads", ("1", "2")), ("min.insync.replicas", ("1", "2")), ("unclean.leader.election.enable", ("true", "false")))


class Mixed:
    def __init__(self, side, seed, steps):
        self.side, self.rng, self.steps = side, random.Random(seed), steps
        self.epochs, self.incarnations, self.ids = {}, dict.fromkeys(BROKERS, 0), {}
        self.stopped = set()  # brokers that were told to shut down
        self.partitions = {}  # (topic, index) -> the partition as its records say

    def operations(self):
        """What is drawn from, with weights."""
        return (
            (self.beat, 30), (self.register, 6), (self.create, 14), (self.delete, 4), (self.add_partitions, 6), (self.alter_partition, 24),
            (self.alter_configs, 12), (self.assign, 6), (self.producer_ids, 2), (self.unregister, 1), (self.describe_configs, 3),
        )

    def run(self):
        choices = [operation for operation, weight in self.operations() for _ in range(weight)]
        for broker in BROKERS[:3]:
            self.register(broker)
            self.beat(broker)
        for _ in range(self.steps):
            self.rng.choice(choices)()

    # --- what is drawn

    def stale(self):
        return self.rng.random() < STALE

    def some_broker(self):
        return self.rng.choice(BROKERS)

    def epoch(self, broker):
        return self.epochs.get(broker, 77) + (-3 if self.stale() else 0)

    def name(self):
        return "never-made" if self.stale() else self.rng.choice(NAMES)

    def replicas(self):
        few = self.rng.sample(BROKERS, self.rng.choice((1, 2, 3, 3)))
        return few + [9] if self.stale() else few

    def config(self, of):
        key, values = self.rng.choice(of)
        return key, self.rng.choice(values)

    # --- what is asked

    def register(self, broker=None):
        broker = broker or self.some_broker()
        previous = self.epochs.get(broker, -1) if self.rng.random() < 0.5 else -1
        if not self.stale():
            self.incarnations[broker] += 1
        epoch = register(self.side, broker, incarnation=f"incarnation{broker:02d}{self.incarnations[broker]:04d}AAAAA",
                         logDirs=DIRECTORIES[broker], previousBrokerEpoch=previous)
        if epoch is None or epoch < 0:
            return
        self.stopped.discard(broker)
        if self.epochs.get(broker) == epoch:
            self.plain_beat(broker)
        self.epochs[broker] = epoch

    def replace(self, broker):
        """As after a session's end: the id is free at once."""
        self.side.rpc("unregister", 64, 0, {"brokerId": broker})
        self.register(broker)

    def plain_beat(self, broker):
        return heartbeat(self.side, broker, self.epochs.get(broker, 77), offset=self.side.last_offset())

    def beat(self, broker=None):
        broker, draw = broker or self.some_broker(), self.rng.random()
        if broker in self.stopped:
            return self.replace(broker)
        changes = {"offlineLogDirs": [DIRECTORIES[broker][1]]} if draw > 0.97 else {}
        answer = heartbeat(self.side, broker, self.epoch(broker), want_fence=draw < 0.15, want_shut_down=0.15 <= draw < 0.2,
                           offset=self.side.last_offset(), **changes)
        if draw >= 0.2 and not answer["shouldShutDown"]:
            answer = self.plain_beat(broker)
        if answer["shouldShutDown"]:
            self.stopped.add(broker)

    def create(self):
        topics = []
        for name in self.rng.sample(NAMES, self.rng.choice((1, 1, 2))):
            assignment = {i: self.replicas() for i in range(self.rng.choice((1, 2, 3)))}
            topics.append(topic(name, assignment, configs=[self.config(TOPIC_CONFIGS)] if self.rng.random() < 0.4 else ()))
        made = create(self.side, *topics, validate_only=self.stale())
        self.ids.update({n: i for n, i in made.items() if i and i != "AAAAAAAAAAAAAAAAAAAAAA"})

    def delete(self):
        self.side.rpc("delete", 20, 6, {"topics": [{"name": self.name(), "topicId": "AAAAAAAAAAAAAAAAAAAAAA"}], "timeoutMs": 5000})

    def add_partitions(self):
        count, added = self.rng.choice((2, 3, 4)), self.rng.choice((1, 1, 2))
        entry = {"name": self.name(), "count": count, "assignments": [{"brokerIds": self.replicas()} for _ in range(added)]}
        self.side.rpc(f"add partitions {count}", 37, 3, {"topics": [entry], "timeoutMs": 5000, "validateOnly": False})

    def alter_partition(self):
        self.follow()
        if not self.partitions:
            return
        name, index = self.rng.choice(sorted(self.partitions))
        at = self.partitions[name, index]
        isr = [b for b in at["replicas"] if self.rng.random() < 0.7]
        leader = self.some_broker() if self.stale() or at["leader"] < 0 else at["leader"]
        if leader not in isr and not self.stale():
            isr.append(leader)
        alter(self.side, leader, self.epoch(leader), self.ids.get(name, UNKNOWN_ID), index, at["leaderEpoch"] + self.stale(),
              at["partitionEpoch"] - self.stale(), [(b, self.epoch(b)) for b in isr], version=self.rng.choice((2, 3, 3)))

    def alter_configs(self):
        kind, name, of = self.rng.choice(((2, None, TOPIC_CONFIGS), (2, None, TOPIC_CONFIGS), (4, "1", BROKER_CONFIGS), (4, "", BROKER_CONFIGS)))
        configs = {}
        for _ in range(self.rng.choice((1, 2))):
            key, value = self.config(of)
            operation = self.rng.choice((0, 0, 0, 1, 2, 3))
            configs[key] = {"name": key, "configOperation": operation, "value": None if operation == 1 else value}
        resource = {"resourceType": kind, "resourceName": self.name() if name is None else name, "configs": list(configs.values())}
        self.side.rpc("alter configs", 44, 1, {"resources": [resource], "validateOnly": self.stale()})

    def describe_configs(self):
        keys = [key for key, _ in TOPIC_CONFIGS]
        time.sleep(0.1)  # Java answers from an image that follows the log after a moment
        self.side.rpc("describe configs", 32, 4, {"resources": [{"resourceType": 2, "resourceName": self.name(), "configurationKeys": keys}],
                                                  "includeSynonyms": True, "includeDocumentation": False})

    def assign(self):
        broker = self.some_broker()
        assign(self.side, broker, self.epoch(broker), self.rng.choice(DIRECTORIES[broker]), self.ids.get(self.name(), UNKNOWN_ID),
               [self.rng.choice((0, 1, 2))])

    def producer_ids(self):
        broker = self.some_broker()
        self.side.rpc("producer ids", 67, 0, {"brokerId": broker, "brokerEpoch": self.epoch(broker)})

    def unregister(self):
        self.side.rpc("unregister", 64, 0, {"brokerId": self.some_broker()})

    # --- what became of it

    def follow(self):
        """The partitions as the log tells of them."""
        self.partitions, names = {}, {}
        for record in self.side.controller.records(self.side.jvm):
            data = record["data"] if not record.get("control") else {}
            if record["type"] == "TopicRecord":
                names[data["topicId"]] = data["name"]
            elif record["type"] == "RemoveTopicRecord":
                gone = names.pop(data["topicId"])
                self.partitions = {k: v for k, v in self.partitions.items() if k[0] != gone}
            elif record["type"] == "PartitionRecord":
                self.partitions[names[data["topicId"]], data["partitionId"]] = {
                    "moving": False, **{k: data[k] for k in ("replicas", "leader", "leaderEpoch", "partitionEpoch")}}
            elif record["type"] == "PartitionChangeRecord":
                at = self.partitions[names[data["topicId"]], data["partitionId"]]
                at["partitionEpoch"] += 1
                if data.get("replicas") is not None:
                    at["replicas"] = data["replicas"]
                if data.get("addingReplicas") is not None or data.get("removingReplicas") is not None:
                    at["moving"] = bool(data.get("addingReplicas") or data.get("removingReplicas"))
                if data.get("leader", -2) != -2:
                    at["leader"], at["leaderEpoch"] = data["leader"], at["leaderEpoch"] + 1
        self.ids = {name: topic_id for topic_id, name in names.items()}
