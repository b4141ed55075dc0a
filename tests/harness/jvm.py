"""One long-lived JVM per Kafka version: Kafka's tools, its codec and its log decoder without a JVM start per call."""
import json
import pathlib
import selectors
import subprocess

from . import kafka_jars

HERE = pathlib.Path(__file__).parent

TOOLS = {
    "topics": "org.apache.kafka.tools.TopicCommand",
    "configs": "kafka.admin.ConfigCommand",
    "acls": "org.apache.kafka.tools.AclCommand",
    "delegation-tokens": "org.apache.kafka.tools.DelegationTokenCommand",
    "features": "org.apache.kafka.tools.FeatureCommand",
    "metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "cluster": "org.apache.kafka.tools.ClusterTool",
    "storage": "kafka.tools.StorageTool",
    "dump-log": "org.apache.kafka.tools.DumpLogSegments",
    "metadata-shell": "org.apache.kafka.shell.MetadataShell",
    "console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "producer-perf": "org.apache.kafka.tools.ProducerPerformance",
    "consumer-perf": "org.apache.kafka.tools.ConsumerPerformance",
    "consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "verifiable-producer": "org.apache.kafka.tools.VerifiableProducer",
    "transactions": "org.apache.kafka.tools.TransactionsCommand",
    "leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "log-dirs": "org.apache.kafka.tools.LogDirsCommand",
}


class ToolFailed(AssertionError):
    pass


class Result:
    def __init__(self, answer):
        self.exit, self.out, self.err = answer["exit"], answer["out"], answer["err"]

    def __repr__(self):
        return f"exit {self.exit}\n--- out\n{self.out}\n--- err\n{self.err}"


class Jvm:
    def __init__(self, version: str = kafka_jars.DEFAULT_VERSION):
        self.lib = kafka_jars.lib(version)
        classes = self.lib.parent / "harness"
        source = HERE / "java" / "Harness.java"
        compiled = classes / "Harness.class"
        if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
            classes.mkdir(exist_ok=True)
            subprocess.run(["javac", "-cp", f"{self.lib}/*", "-d", str(classes), str(source)], check=True)
        config = classes / "log4j2.properties"
        config.write_text("rootLogger.level=ERROR\nrootLogger.appenderRef.e.ref=E\n"
                          "appender.e.type=Console\nappender.e.name=E\nappender.e.target=SYSTEM_ERR\n"
                          "appender.e.layout.type=PatternLayout\nappender.e.layout.pattern=%p %m%n\n")
        self.log = open(classes / "stderr.log", "w")
        self.process = subprocess.Popen(
            ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
             f"-Dlog4j2.configurationFile={config}", "-cp", f"{classes}:{self.lib}/*", "Harness"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, bufsize=1)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def call(self, op, timeout=120, **fields):
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()
        if not self.selector.select(timeout):
            self.stop()
            raise ToolFailed(f"{op} {fields} gave no answer in {timeout} s")
        line = self.process.stdout.readline()
        if not line:
            raise ToolFailed(f"the test JVM ended during {op} {fields}")
        answer = json.loads(line)
        if "failure" in answer:
            raise ToolFailed(f"{op} {fields}: {answer['failure']}")
        return answer

    def tool(self, name, *args, stdin=None, check=True, timeout=120) -> Result:
        """Runs one of TOOLS; raises ToolFailed on a non-zero exit when `check`."""
        extra = {} if stdin is None else {"stdin": stdin}
        result = Result(self.call("tool", timeout, main=TOOLS[name], args=[str(a) for a in args], **extra))
        if check and result.exit != 0:
            raise ToolFailed(f"{name} {' '.join(map(str, args))}: {result}")
        return result

    def run(self, name, *args, timeout=60) -> str:
        """Runs one of TOOLS in a JVM of its own (for those that end theirs); its standard output."""
        done = subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{self.lib}/*", TOOLS[name], *map(str, args)],
                              capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise ToolFailed(f"{name}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def rpc(self, port, key, version, body, **options):
        """One request in Kafka's codec; the answer as JSON (see Harness.java)."""
        return self.call("rpc", host="127.0.0.1", port=port, key=key, version=version, body=body, **options)

    def records(self, *files):
        """The records of log or checkpoint files, decoded by Kafka's code."""
        return self.call("records", files=[str(f) for f in files])["records"]

    def stop(self):
        self.selector.close()
        self.process.kill()
        self.process.wait()
        self.log.close()
