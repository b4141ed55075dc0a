"""A quorum of controllers, Hayward's and Java's in any mix, each replaceable in place by one of the other kind.

A kind is "hayward", "java" (4.3.1) or "java-4.0.2" and so on. With HAYWARD_TEST_CONTROLLER=java every Hayward is a Java
controller: a test that fails there too is wrong, or shows where Hayward means to be better.
"""
import base64
import os
import subprocess
import uuid

from tests.harness import kafka_jars, processes, wire
from tests.harness.processes import CLUSTER_ID, HAYWARD, free_port, wait_until

FIRST_ID = 3001


def directory_id():
    """As Kafka draws them: none begins with a dash."""
    while (text := base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass
    return text


def fencings(records, since=0):
    """The brokers, one for each time that one which was unfenced got fenced from offset `since` on. (One that is fenced already and
    stays silent is fenced again, by Java too: that changes nothing.)"""
    unfenced, found = set(), []
    for record in records:
        broker, fenced = record["data"].get("brokerId"), record["data"].get("fenced")
        if record["type"] == "RegisterBrokerRecord":
            unfenced.discard(broker)
        elif record["type"] == "BrokerRegistrationChangeRecord" and fenced == -1:
            unfenced.add(broker)
        elif record["type"] == "BrokerRegistrationChangeRecord" and fenced == 1 and broker in unfenced:
            unfenced.discard(broker)
            found += [broker] if record["offset"] >= since else []
    return found


def make(kind, folder, **options):
    """The process of a kind; nothing is formatted or started."""
    if kind == "hayward" and os.environ.get("HAYWARD_TEST_CONTROLLER") == "java":
        kind = "java"
    if kind == "hayward":
        return processes.Hayward(folder, **options)
    return processes.JavaController(folder, version=kind.partition("-")[2] or kafka_jars.DEFAULT_VERSION, **options)


class Quorum:
    """Controllers with ids 3001, 3002, ...: `nodes` by id. Voters are configured (kraft.version 0) or, with `dynamic`, formatted
    (kraft.version 1). `format_flags` go to every format."""

    def __init__(self, cluster, jvm, kinds, dynamic=False, settings=None, format_flags=(), start=True, make=make, hosts=None):
        self.cluster, self.jvm, self.make, self.dynamic = cluster, jvm, make, dynamic
        self.extra, self.format_flags = settings or {}, format_flags
        self.folder = cluster.folder
        ids = [FIRST_ID + i for i in range(len(kinds))]
        self.hosts = hosts or {}
        self.ports = {node: free_port() for node in ids}
        self.directories = {node: directory_id() for node in ids}
        self.voters = list(ids)
        self.nodes = {}
        for node, kind in zip(ids, kinds):
            self.nodes[node] = self.new(node, kind)
            flags = ("--initial-controllers", self.initial_controllers()) if dynamic else ()
            self.format(self.nodes[node], *flags)
        if start:
            self.start()

    def start(self, *nodes):
        chosen = [self.nodes[n] for n in nodes] or list(self.nodes.values())
        for node in chosen:
            node.start()
        for node in chosen:
            node.wait_ready()
        return self

    # What it is made of.

    def host(self, node):
        return self.hosts.get(node, "127.0.0.1")

    def address(self, node):
        return f"{self.host(node)}:{self.ports[node]}"

    @property
    def addresses(self):
        return [(self.host(n), port) for n, port in self.ports.items()]

    def initial_controllers(self):
        return ",".join(f"{n}@{self.address(n)}:{self.directories[n]}" for n in self.voters)

    @property
    def finding(self):
        """What every controller and broker is given to find the quorum. A broker of a quorum with configured voters must know them:
        it takes the leader's address from there."""
        if self.dynamic:
            return {"controller.quorum.bootstrap.servers": self.bootstrap}
        static = ",".join(f"{n}@{self.address(n)}" for n in self.voters)
        return {"controller.quorum.voters": static, "controller.quorum.bootstrap.servers": ""}

    @property
    def bootstrap(self):
        return ",".join(self.address(n) for n in self.ports)

    def new(self, node, kind):
        process = self.make(kind, self.folder / f"controller-{node}", port=self.ports[node], node_id=node,
                       settings={**self.finding, **self.extra})
        process.kind = kind
        self.cluster.started.append(process)
        return process

    def format(self, process, *flags):
        arguments = ["format", "-t", CLUSTER_ID, "-c", str(process.config), *flags, *self.format_flags]
        if isinstance(process, processes.Hayward):
            subprocess.run([str(HAYWARD), *arguments], check=True, capture_output=True)
        elif process.version == kafka_jars.DEFAULT_VERSION:
            self.jvm.tool("storage", *arguments)
        else:
            subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{kafka_jars.lib(process.version)}/*", "kafka.tools.StorageTool",
                            *arguments], check=True, capture_output=True, timeout=120)

    def replace(self, node, kind, timeout=60):
        """Stops the node and starts one of the other kind with its id on its directory; returns once it has caught up."""
        old = self.nodes[node]
        if old.alive():
            old.stop()
        self.nodes[node] = self.new(node, kind)
        self.start(node)
        self.wait_caught_up(timeout=timeout)
        return self.nodes[node]

    def prepare(self, kind):
        """A new controller with its configuration, neither formatted nor started. Dynamic quorums only."""
        node = max(self.ports) + 1
        self.ports[node] = free_port()
        self.nodes[node] = self.new(node, kind)
        return self.nodes[node]

    def join(self, kind):
        """A new controller, formatted without voters and started: an observer until it is added."""
        node = self.prepare(kind).node_id
        self.format(self.nodes[node], "--no-initial-controllers")
        self.read_directory(node)
        self.start(node)
        def known():  # a voter at once where it joins by itself
            told = self.describe()
            return told and (node in told["observers"] or node in told["voters"])
        wait_until(f"{node} is an observer", known, 30)
        return self.nodes[node]

    def read_directory(self, node):
        text = (self.nodes[node].data / "meta.properties").read_text()
        self.directories[node] = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)["directory.id"]

    def turn_dynamic(self):
        """kraft.version is 1 now: who is started from here on finds the quorum by its addresses."""
        self.dynamic = True
        for node in self.voters:
            self.read_directory(node)

    # What it says.

    def living(self):
        return {n: p for n, p in self.nodes.items() if p.alive()}

    def describe(self, timeout_s=2.0):
        """What the leader says of the quorum (see wire.described); of several that claim to lead, the one of the highest epoch."""
        answers = [wire.ask(self.ports[n], wire.describe_quorum(), timeout_s, self.host(n)) for n in self.living() if not getattr(self.nodes[n], "frozen", False)]
        found = [d for d in map(wire.described, filter(None, answers)) if d["error"] == 0]
        return max(found, key=lambda d: d["epoch"], default=None)

    def leader(self, timeout=30):
        """The process that leads."""
        def leads():
            told = self.describe()
            return told and self.nodes.get(told["leader"])
        return wait_until(lambda: f"somebody leads; {self.logs()}", leads, timeout)

    def wait_caught_up(self, *nodes, timeout=60):
        """Until all living voters (or `nodes`) have what the leader has."""
        def caught_up():
            told = self.describe()
            if not told:
                return False
            replicas = {**told["observers"], **told["voters"]}
            wanted = nodes or [n for n in self.living() if n in told["voters"]]
            return all(n in replicas and replicas[n]["end"] >= told["high_watermark"] > 0 for n in wanted) and told
        return wait_until(lambda: f"all have caught up: {self.describe()} {self.logs()}", caught_up, timeout, 0.05)

    def logs(self, size=800):
        return "\n".join(f"--- {p.name} {n}{'' if p.alive() else ' (ended)'}: {p.log()[-size:]}" for n, p in self.nodes.items())

    # What is done to it.

    def freeze(self, node):
        self.nodes[node].frozen = True
        self.nodes[node].pause()

    def thaw(self, node):
        self.nodes[node].frozen = False
        self.nodes[node].resume()

    def creator(self, prefix="t"):
        return wire.Creator(self.addresses, prefix)

    def make_lead(self, node, creator, timeout=60):
        """Has `node` lead. The third of three voters is held back while topics are committed, so that it cannot win; then the
        leader is killed, and started again."""
        leader = self.leader()
        if leader.node_id == node:
            return leader
        self.wait_caught_up()
        others = [n for n in self.voters if n not in (node, leader.node_id)]
        assert len(others) == 1, "of three voters"
        self.freeze(others[0])
        for _ in range(3):  # an answer that was on its way to the frozen one may hold the first
            creator.create()
        leader.kill()
        self.thaw(others[0])
        wait_until(lambda: f"{node} leads: {self.describe()} {self.logs()}",
                   lambda: (self.describe() or {"leader": -1})["leader"] == node, timeout)
        self.start(leader.node_id)
        self.wait_caught_up(timeout=timeout)
        return self.nodes[node]

    # What it has written.

    def records(self, jvm, type=None):
        """The leader's, as Controller.records()."""
        return self.leader().records(jvm, type)

    def histories(self):
        """{node: {offset: record}} of every node's log, as Kafka's code decodes it."""
        return {n: {r["offset"]: r for r in p.records(self.jvm)} for n, p in self.nodes.items()}

    def check_logs(self, acknowledged=(), up_to=None):
        """All logs are one, offset by offset, up to the high watermark; each acknowledged topic is in it. Nodes may run; a log
        that begins with a snapshot is compared from there on. Returns the number of offsets compared."""
        high_watermark = up_to if up_to is not None else self.wait_caught_up()["high_watermark"]
        histories = self.histories()
        reference = min(histories.values(), key=lambda h: min(h, default=high_watermark))
        compared = 0
        for node, history in histories.items():
            offsets = range(min(history, default=high_watermark), high_watermark)
            for offset in offsets:
                assert history.get(offset) == reference.get(offset), \
                    f"offset {offset} of {high_watermark} in {node}: {history.get(offset)} instead of {reference.get(offset)}"
            compared += len(offsets)
        if min(reference, default=0) == 0:
            names = {r["data"]["name"] for r in reference.values() if r["type"] == "TopicRecord"}
            lost = [name for name in acknowledged if name not in names]
            assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged topics are in no log: {lost[:5]}"
        return compared
