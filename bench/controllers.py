"""The servers under measurement, each fresh in a folder of its own, and the load generator."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import time

from bench import watch
from tests.harness import kafka_jars, processes

# As kafka-server-start.sh and kafka-run-class.sh start it.
JAVA_OPTIONS = ["-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
                "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"]
LARGE_HEAP = ["-Xmx4G"]  # for 200,000 partitions; the last -Xmx counts
LINGER = "controller.quorum.append.linger.ms"
NAMES = {"hayward": "Hayward", "java": "Java", "java_linger_0": "Java, linger 0", "floor": "floor"}


class BenchJava(processes.JavaController):
    """With the heap and collector that Kafka's own start script gives it; log at INFO into a file."""

    heap = ()

    def command(self):
        log4j = self.folder / "log4j2.properties"
        log4j.write_text(processes.LOG4J)
        return [*self.inside, "java", *JAVA_OPTIONS, *self.heap, f"-Dlog4j2.configurationFile={log4j}", "-cp",
                f"{kafka_jars.lib(self.version)}/*", "kafka.Kafka", str(self.config)]


class Floor(processes.Process):
    def __init__(self, folder):
        super().__init__("floor", folder)
        self.port = processes.free_port()
        self.bootstrap = f"127.0.0.1:{self.port}"

    def command(self):
        return [str(processes.HAYWARD.parent / "bench/floor/floor"), str(self.port)]


class LoadReport:
    """What one `hayward load` found; phases by name, of equal names the last."""

    def __init__(self, report):
        assert report["problem"] is None, report["problem"]
        self.failures = report["failures"]
        self.phases = {p["name"]: p for p in report["phases"]}

    def generator_limited(self, name):
        """Whether the figures of a phase are the generator's rather than the server's."""
        phase = self.phases[name]
        late = phase["generator"]["late_us"]["p99"]
        return phase["generator"]["cpu_share"] > 0.9 or late > phase["latency_us"]["p99"] / 2


class Bench:
    """Makes servers and lets loads loose on them. `settings` go to Hayward only; `threads` are the generator's."""

    def __init__(self, folder, jvm, settings=None, threads=1):
        self.folder, self.jvm, self.settings, self.threads, self.count = folder, jvm, settings or {}, threads, 0

    @contextlib.contextmanager
    def server(self, kind, large=False):
        """A fresh one, formatted and not yet started; ended and wiped afterwards."""
        self.count += 1
        folder = self.folder / f"{kind}-{self.count}"
        if kind == "floor":
            server = Floor(folder)
        elif kind == "hayward":
            server = processes.Hayward(folder, settings=self.settings)
            server.format()
        else:
            server = BenchJava(folder, settings={LINGER: 0} if kind == "java_linger_0" else {})
            server.heap = LARGE_HEAP if large else ()
            server.format(jvm=self.jvm)
        try:
            yield server
        finally:
            server.kill()
            shutil.rmtree(folder, ignore_errors=True)

    def start(self, server, timeout_s=120):
        """Seconds until it listens and until it answers as the active controller."""
        begun = time.monotonic()
        server.start()
        watch.wait_listening(server.port, server.alive, timeout_s)
        listening = time.monotonic() - begun
        watch.wait_active(server.port, server.alive, timeout_s)
        return listening, time.monotonic() - begun

    def load_command(self, server, *args):
        return [str(processes.HAYWARD), "load", "--controller", server.bootstrap, "--quiet", "--json", "-",
                "--threads", str(self.threads), *map(str, args)]

    @contextlib.contextmanager
    def loading(self, server, *args):
        """A load while it runs; .finish() waits for it and gives its LoadReport."""
        process = subprocess.Popen(self.load_command(server, *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    def load(self, server, *args, timeout_s=600):
        with self.loading(server, *args) as process:
            return finish(process, timeout_s)


def finish(process, timeout_s=120):
    out, err = process.communicate(timeout=timeout_s)
    assert out, err  # exit code 1 is no fault here: errors and unanswered requests are counted
    return LoadReport(json.loads(out))


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()[0]


def cpu_model():
    with open("/proc/cpuinfo") as f:
        return ", ".join(sorted({line.split(":", 1)[1].strip() for line in f if line.startswith("model name")}))


def busy_cores(seconds=2):
    """How many cores others keep busy just now."""
    def busy_ticks():
        ticks = [int(t) for t in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return sum(ticks) - ticks[3] - ticks[4]  # but for idle and iowait
    before = busy_ticks()
    time.sleep(seconds)
    return round((busy_ticks() - before) / watch.TICKS_PER_S / seconds, 2)


def load_average():
    return round(os.getloadavg()[0], 2)
