"""What is measured: one function a row of the table, for one kind of server, giving figures by name.

A figure whose name ends in `_limited` is 1 when the generator, not the server, was the limit of the row's others; one
that ends in `_curve` is a list of [percentile, us].
"""
import time

from bench import controllers, watch

BROKERS = 300
DOOMED, DOOMED_TOPICS, TOPIC_PARTITIONS = 40, 2000, 100
LEADERLESS_BROKERS, LEADERLESS_TOPICS = 30, 300


class Durations:
    """Seconds; the quick form has shorter ones."""

    def __init__(self, quick):
        self.steady = 3 if quick else 5
        self.idle_after, self.idle_sample = (2, 3) if quick else (5, 5)
        self.create_share = 0.5 if quick else 1


def start_and_idle(bench, kind, durations):
    with bench.server(kind) as server:
        listening_s, ready_s = bench.start(server)
        time.sleep(durations.idle_after)
        pid = server.process.pid
        memory_mb, cpu = watch.resident_mb(pid), watch.CpuClock(pid)
        time.sleep(durations.idle_sample)
        return {"listening_ms": listening_s * 1000, "ready_ms": ready_s * 1000, "idle_memory_mb": memory_mb,
                "idle_cpu_percent": 100 * cpu.share()}


def _start(bench, server, kind):
    if kind == "floor":
        server.start()
        watch.wait_listening(server.port, server.alive)
    else:
        bench.start(server)


def heartbeats(bench, kind, durations, rate):
    """`rate` a second, 0: closed loop. The first steady phase warms up, the second one counts."""
    name = f"heartbeats_{rate // 1000}k" if rate else "heartbeats_closed"
    with bench.server(kind) as server:
        _start(bench, server, kind)
        with bench.loading(server, "--phases", "register,unfence,steady,steady", "--brokers", BROKERS, "--rate", rate,
                           "--duration", durations.steady) as load:
            time.sleep(durations.steady + 1)
            cpu = watch.CpuClock(server.process.pid)
            time.sleep(durations.steady - 1.5)
            cpu_s, seconds = cpu.used()
            report = controllers.finish(load)
        phase = report.phases["steady"]
        latency = phase["latency_us"]
        server_cpu = cpu_s / seconds
        # Not served, and the server had time to spare: then it was the generator, or others on the machine.
        starved = phase["rate_per_s"] < 0.99 * rate and server_cpu < 0.9
        figures = {f"{name}_per_s": phase["rate_per_s"], f"{name}_failures": report.failures,
                   f"{name}_p50_us": latency["p50"], f"{name}_p99_us": latency["p99"], f"{name}_p99_9_us": latency["p99_9"],
                   f"{name}_server_cpu": server_cpu, f"{name}_generator_cpu": phase["generator"]["cpu_share"],
                   f"{name}_limited": int(starved or report.generator_limited("steady")), f"{name}_curve": phase["curve_us"],
                   "registrations_300_ms": report.phases["register"]["seconds"] * 1000}
        # An overloaded server still answers the first phase's requests while this is taken.
        if phase["rate_per_s"] > 0.95 * rate:
            figures[f"{name}_cpu_us"] = 1e6 * server_cpu / phase["rate_per_s"]
        return figures


def create_one(bench, kind, durations):
    """One client, one partition at a time; and a synced write of this very time beside it."""
    topics = int({"java": 300}.get(kind, 1500) * durations.create_share)
    sync = watch.sync_floor(bench.folder, rounds=300)
    with bench.server(kind) as server:
        bench.start(server)
        report = bench.load(server, "--phases", "register,unfence,create", "--brokers", 3, "--topics", topics,
                            "--replication-factor", 3)
        latency = report.phases["create"]["latency_us"]
        return {"create_one_p50_us": latency["p50"], "create_one_p99_us": latency["p99"], "sync_us": min(sync.values()),
                "write_fdatasync_us": sync["fdatasync_us"], "create_one_per_sync": latency["p50"] / sync["fdatasync_us"],
                "create_one_curve": report.phases["create"]["curve_us"]}


def create_many(bench, kind, durations):
    topics = int({"java": 2000, "java_linger_0": 4000}.get(kind, 20000) * durations.create_share)
    with bench.server(kind) as server:
        bench.start(server)
        report = bench.load(server, "--phases", "register,unfence,create", "--brokers", 3, "--topics", topics,
                            "--partitions", 10, "--replication-factor", 3, "--clients", 16)
        phase = report.phases["create"]
        return {"create_many_partitions_per_s": 10 * phase["rate_per_s"], "create_many_p50_us": phase["latency_us"]["p50"],
                "create_many_p99_us": phase["latency_us"]["p99"], "create_many_failures": report.failures,
                "create_many_limited": int(phase["generator"]["cpu_share"] > 0.9),
                "create_many_generator_cpu": phase["generator"]["cpu_share"]}


def death(bench, kind, durations):
    """40 brokers with 200,000 partitions die while 300 others send a heartbeat a second each; then a restart."""
    with bench.server(kind, large=True) as server:
        bench.start(server)
        report = bench.load(server, "--phases", "register,unfence,create,kill", "--brokers", BROKERS + DOOMED,
                            "--kill", DOOMED, "--survivors", 33, "--topics", DOOMED_TOPICS, "--partitions", TOPIC_PARTITIONS,
                            "--replication-factor", 3, "--clients", 4, "--heartbeat-interval", 1, "--give-up", 120)
        kill, living = report.phases["kill"], report.phases["kill/heartbeats"]
        figures = {"death_last_change_ms": kill["details"].get("last_change_ms", float("nan")),
                   "death_last_fenced_ms": kill["details"].get("last_fenced_ms", float("nan")),
                   "death_moved": kill["details"]["moved"], "death_leaderless": kill["details"]["leaderless"],
                   "death_unsettled": kill["unanswered"], "death_too_early": kill["errors"].get("TOO_EARLY", 0),
                   "death_living_p50_us": living["latency_us"]["p50"], "death_living_p99_9_us": living["latency_us"]["p99_9"],
                   "death_living_max_us": living["latency_us"]["max"],
                   "death_living_errors": sum(living["errors"].values()) + living["unanswered"],
                   "death_living_curve": living["curve_us"],
                   "memory_200k_mb": watch.resident_mb(server.process.pid)}
        server.stop()
        _, ready_s = bench.start(server)
        return {**figures, "restart_200k_ms": ready_s * 1000, "restart_memory_200k_mb": watch.resident_mb(server.process.pid)}


def unfence(bench, kind, durations):
    """300 brokers come in while 30,000 partitions have no leader and none of their replicas lives."""
    with bench.server(kind, large=True) as server:
        bench.start(server)
        bench.load(server, "--phases", "register,unfence,create,kill", "--brokers", LEADERLESS_BROKERS,
                   "--kill", LEADERLESS_BROKERS, "--survivors", 0, "--topics", LEADERLESS_TOPICS,
                   "--partitions", TOPIC_PARTITIONS, "--replication-factor", 3, "--clients", 4, "--give-up", 120)
        report = bench.load(server, "--phases", "register,unfence", "--brokers", BROKERS, "--first-id", 5000)
        phase = report.phases["unfence"]
        return {"unfence_300_ms": phase["seconds"] * 1000, "unfence_mean_us": phase["latency_us"]["mean"],
                "unfence_max_us": phase["latency_us"]["max"], "unfence_failures": report.failures}


ALL = ("hayward", "java", "floor")
CONTROLLERS = ("hayward", "java")
CREATORS = ("hayward", "java", "java_linger_0")
# name, kinds, function
SHORT = (
    ("start and idle", CONTROLLERS, start_and_idle),
    ("heartbeats, closed loop", ALL, lambda b, k, d: heartbeats(b, k, d, 0)),
    ("heartbeats, 10,000/s", ALL, lambda b, k, d: heartbeats(b, k, d, 10_000)),
    ("heartbeats, 30,000/s", ALL, lambda b, k, d: heartbeats(b, k, d, 30_000)),
    ("heartbeats, 100,000/s", ("hayward", "floor"), lambda b, k, d: heartbeats(b, k, d, 100_000)),
    ("create, one client", CREATORS, create_one),
    ("create, 16 clients", CREATORS, create_many),
)
LONG = (
    ("death of 40 brokers", CONTROLLERS, death),
    ("unfencing with 30,000 leaderless partitions", CONTROLLERS, unfence),
)
