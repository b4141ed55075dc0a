"""The processes under test: Hayward, Java's controller and real brokers, each in a folder of its own."""
import contextlib
import os
import pathlib
import random
import signal
import socket
import subprocess
import time

from . import kafka_jars

ROOT = pathlib.Path(__file__).resolve().parents[2]
HAYWARD = pathlib.Path(os.environ.get("HAYWARD_BUILD", ROOT / "build")) / "hayward"
CLUSTER_ID = "hAywardTestsCluster000"  # 22 characters of base64url

LOG4J = """rootLogger.level=INFO
rootLogger.appenderRef.c.ref=C
appender.c.type=Console
appender.c.name=C
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=%d{HH:mm:ss.SSS} %p %c{1} %m%n
"""


def free_port() -> int:
    """A port that nothing has, below the range from which the kernel draws ports for outgoing connections. In that
    range a client that dials a stopped server again and again is in the end connected to itself, and has the port."""
    while True:
        port = random.randrange(15000, 30000)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return port


def wait_until(what, condition, timeout=30.0, interval=0.02):
    """Polls `condition` until it is true and returns its value; fails with `what` (text, or what makes it) after `timeout` s."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what() if callable(what) else what}")
        time.sleep(interval)


def listening(port, host="127.0.0.1") -> bool:
    with contextlib.closing(socket.socket()) as s:
        s.settimeout(1)
        return s.connect_ex((host, port)) == 0


class Process:
    """A child with a log file; stop() is SIGTERM, kill() SIGKILL, pause()/resume() SIGSTOP/SIGCONT."""

    def __init__(self, name, folder: pathlib.Path):
        self.name, self.folder = name, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.log_path = folder / f"{name}.log"
        self.process = None

    def command(self):
        raise NotImplementedError

    def start(self):
        assert not self.alive(), f"{self.name} runs already"
        with open(self.log_path, "a") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=subprocess.STDOUT,
                                            stdin=subprocess.DEVNULL)
        return self

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def signal(self, number):
        self.process.send_signal(number)

    def pause(self):
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def kill(self):
        if self.alive():
            self.process.kill()
        if self.process:
            self.process.wait()

    def stop(self, timeout=60) -> int:
        """SIGTERM and wait; the exit code."""
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} did not stop within {timeout} s; log tail:\n{self.log()[-3000:]}")

    def wait_for_log(self, text, timeout=60, since=0):
        def seen():
            if not self.alive() and text not in self.log()[since:]:
                raise AssertionError(f"{self.name} ended before it logged {text!r}:\n{self.log()[-4000:]}")
            return text in self.log()[since:]
        wait_until(lambda: f"{self.name} logs {text!r}; log tail:\n{self.log()[-1500:]}", seen, timeout)


def write_properties(path: pathlib.Path, settings: dict):
    path.write_text("".join(f"{k}={v}\n" for k, v in settings.items()))


class Controller(Process):
    """A controller with node id 3000, dynamic quorum; `settings` go over the defaults; its command is run by `inside`, if any."""

    def __init__(self, name, folder, port=None, node_id=3000, settings=None, host="127.0.0.1", inside=()):
        super().__init__(name, folder)
        self.port, self.node_id, self.host, self.inside = port or free_port(), node_id, host, list(inside)
        self.data = folder / "data"
        self.metadata_log = self.data / "__cluster_metadata-0"
        self.config = folder / "server.properties"
        self.settings = {
            "process.roles": "controller", "node.id": node_id,
            "listeners": f"CONTROLLER://{self.bootstrap}",
            "advertised.listeners": f"CONTROLLER://{self.bootstrap}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "controller.quorum.bootstrap.servers": self.bootstrap,
            "log.dirs": self.data, **(settings or {})}
        write_properties(self.config, self.settings)

    @property
    def bootstrap(self):
        return f"{self.host}:{self.port}"

    def wait_ready(self, timeout=90):
        wait_until(lambda: f"{self.name} listens on {self.port}; log tail: {self.log()[-2000:]}",
                   lambda: self._check_alive() and listening(self.port, self.host), timeout)
        return self

    def _check_alive(self):
        assert self.alive(), f"{self.name} ended:\n{self.log()[-4000:]}"
        return True

    def segments(self):
        return sorted(self.metadata_log.glob("*.log"))

    def records(self, jvm, type=None):
        """The log's records as Kafka's code decodes them; of one type when given."""
        records = jvm.records(*self.segments())
        return [r for r in records if type is None or r["type"] == type]


class Hayward(Controller):
    """HAYWARD_TEST_SHARDS sets the number of shards where a test does not."""

    def __init__(self, folder, settings=None, **kwargs):
        shards = os.environ.get("HAYWARD_TEST_SHARDS")
        settings = {**({"hayward.shards": shards} if shards else {}), **(settings or {})}
        super().__init__("hayward", folder, settings=settings, **kwargs)

    def command(self):
        return [*self.inside, str(HAYWARD), "run", "-c", str(self.config)]

    def format(self, *extra, check=True):
        done = subprocess.run([str(HAYWARD), "format", "-t", CLUSTER_ID, "-c", str(self.config), "--standalone", *extra],
                              capture_output=True, text=True)
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done


class JavaController(Controller):
    def __init__(self, folder, version=kafka_jars.DEFAULT_VERSION, **kwargs):
        super().__init__("java-controller", folder, **kwargs)
        self.version = version

    def command(self):
        return self.inside + java_command(self.folder, self.version, self.config)

    def format(self, *extra, jvm):
        return jvm.tool("storage", "format", "-t", CLUSTER_ID, "-c", self.config, "--standalone", *extra)


class Broker(Process):
    """A real Kafka broker with `node_id`, pointed at `controllers` ("host:port,...")."""

    def __init__(self, folder, controllers, node_id=1, port=None, settings=None, version=kafka_jars.DEFAULT_VERSION):
        super().__init__(f"broker-{node_id}", folder)
        self.port, self.node_id, self.version = port or free_port(), node_id, version
        self.data = folder / "data"
        self.config = folder / "server.properties"
        self.settings = {
            "process.roles": "broker", "node.id": node_id,
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "controller.quorum.bootstrap.servers": controllers,
            "log.dirs": self.data,
            "offsets.topic.replication.factor": 1, "offsets.topic.num.partitions": 3,
            "transaction.state.log.replication.factor": 1, "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 3,
            "share.coordinator.state.topic.replication.factor": 1, "share.coordinator.state.topic.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            **(settings or {})}
        write_properties(self.config, self.settings)

    @property
    def bootstrap(self):
        return f"127.0.0.1:{self.port}"

    def command(self):
        return java_command(self.folder, self.version, self.config)

    def format(self, jvm):
        jvm.tool("storage", "format", "-t", CLUSTER_ID, "-c", self.config)
        return self

    def wait_running(self, timeout=60, since=0):
        self.wait_for_log("Kafka Server started", timeout, since)
        return self


def java_command(folder, version, config, heap="-Xmx512m"):
    log4j = folder / "log4j2.properties"
    log4j.write_text(LOG4J)
    return ["java", heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Dlog4j2.configurationFile={log4j}",
            "-cp", f"{kafka_jars.lib(version)}/*", "kafka.Kafka", str(config)]
