"""A controller and three real brokers, and a producer that remembers what was acknowledged to it."""
import json
import pathlib
import re
import signal
import subprocess
import uuid

from tests.harness.jvm import TOOLS
from tests.harness.processes import wait_until

SESSION_MS = 3000  # Kafka's 9000 would only make the tests longer; brokers beat every 500 ms
CONTROLLER = {"broker.session.timeout.ms": SESSION_MS, "auto.leader.rebalance.enable": "false",
              "unclean.leader.election.interval.ms": 1000}
BROKER = {"broker.heartbeat.interval.ms": 500, "replica.high.watermark.checkpoint.interval.ms": 500,
          "offsets.topic.num.partitions": 1, "num.network.threads": 1, "num.io.threads": 2, "log.cleaner.enable": "false"}


class Trio:
    """On `controller` (a Quorum will do), or on one of its own."""

    def __init__(self, maker, jvm, controller=None):
        self.jvm = jvm
        self.controller = controller or maker.hayward(settings=CONTROLLER)
        finding = getattr(self.controller, "finding", {})
        self.brokers = {}
        for node in (1, 2, 3):
            folder = maker.folder / f"broker-{node}"
            dirs = {"log.dirs": f"{folder}/data,{folder}/second"}
            self.brokers[node] = maker.broker(self.controller, node, start=False, settings={**BROKER, **dirs, **finding}).start()
        for broker in self.brokers.values():
            broker.wait_running(180)

    @property
    def bootstrap(self):
        return ",".join(b.bootstrap for b in self.brokers.values())

    def tool(self, name, *args, **options):
        return self.jvm.tool(name, "--bootstrap-server", self.bootstrap, *args, **options)

    def kill(self, *nodes):
        """SIGKILL to all of them within a moment."""
        for node in nodes:
            self.brokers[node].signal(signal.SIGKILL)
        for node in nodes:
            self.brokers[node].kill()

    def start(self, *nodes):
        since = {node: len(self.brokers[node].log()) for node in nodes}
        for node in nodes:
            self.brokers[node].start()
        for node in nodes:
            self.brokers[node].wait_running(180, since[node])

    def revive(self):
        self.start(*(node for node, broker in self.brokers.items() if not broker.alive()))

    def create(self, assignments, *configs):
        """A topic with the replicas of each partition given; returns when the brokers tell of its leaders."""
        name = f"t-{uuid.uuid4().hex[:8]}"
        assignment = ",".join(":".join(map(str, replicas)) for replicas in assignments)
        options = [o for config in configs for o in ("--config", config)]
        self.tool("topics", "--create", "--topic", name, "--replica-assignment", assignment, *options)
        self.wait_for(name, lambda parts: len(parts) == len(assignments) and all(p["leader"] for p in parts.values()))
        return name

    def partitions(self, topic):
        """What the brokers tell: {partition: {leader (None: none), replicas, isr}}."""
        told = self.tool("topics", "--describe", "--topic", topic, check=False)
        found = {}
        for line in told.out.splitlines() if told.exit == 0 else []:
            fields = dict(re.findall(r"(\w+): ([\w,]*)", line))
            if "Partition" in fields:
                ids = {key: [int(i) for i in fields[key].split(",") if i] for key in ("Replicas", "Isr")}
                leader = None if fields["Leader"] == "none" else int(fields["Leader"])
                found[int(fields["Partition"])] = {"leader": leader, "replicas": ids["Replicas"], "isr": ids["Isr"]}
        return found

    def wait_for(self, topic, condition, timeout=60):
        """Until the brokers tell what `condition` wants of the topic's partitions."""
        def met():
            parts = self.partitions(topic)
            return parts and condition(parts)
        wait_until(lambda: f"{topic}: {self.partitions(topic)}", met, timeout, 0.2)

    def wait_in_sync(self, topic):
        self.wait_for(topic, lambda parts: all(sorted(p["isr"]) == sorted(p["replicas"]) for p in parts.values()))

    def records(self, type, topic=None, since=0):
        """The controller's records of one type from offset `since` on, of one topic when given."""
        records = self.controller.records(self.jvm)
        ids = {r["data"]["topicId"] for r in records if r["type"] == "TopicRecord" and r["data"]["name"] == topic}
        return [r for r in records if r["type"] == type and r["offset"] >= since and (topic is None or r["data"]["topicId"] in ids)]

    def end_offset(self):
        return self.controller.records(self.jvm)[-1]["offset"] + 1

    def fences(self, since):
        """{broker: when it was fenced, in ms} for those that were fenced from `since` on."""
        return {r["data"]["brokerId"]: r["timestamp"] for r in self.records("BrokerRegistrationChangeRecord", since=since)
                if r["data"].get("fenced") == 1}


class Load:
    """Produces to a topic with acks=all until it is ended; then everything acknowledged must be there."""

    def __init__(self, trio, topic, rate=200):
        self.trio, self.topic = trio, topic
        self.out = pathlib.Path(trio.controller.folder) / f"load-{topic}.out"
        command = ["java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{trio.jvm.lib}/*",
                   TOOLS["verifiable-producer"], "--topic", topic, "--throughput", str(rate), "--acks", "-1",
                   "--bootstrap-server", trio.bootstrap]
        with open(self.out, "w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def __enter__(self):
        self.goes_on(60)
        return self

    def acknowledged(self):
        lines = [line for line in self.out.read_text().splitlines() if '"producer_send_success"' in line and line.endswith("}")]
        return {json.loads(line)["value"] for line in lines}

    def goes_on(self, timeout=30):
        """Waits until more has been acknowledged than before the call."""
        before = len(self.acknowledged())
        wait_until(lambda: f"more than {before} acknowledged: {self.out.read_text()[-500:]}",
                   lambda: len(self.acknowledged()) > before + 20, timeout, 0.1)

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if kind is None:
            lost = self.acknowledged() - set(consume(self.trio, self.topic))
            assert not lost, f"{len(lost)} of {len(self.acknowledged())} acknowledged records are lost: {sorted(lost)[:5]}"


def consume(trio, topic):
    """All records of the topic, with a client that is not Java's."""
    done = subprocess.run(["kcat", "-C", "-b", trio.bootstrap, "-t", topic, "-o", "beginning", "-e", "-q"],
                          text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
