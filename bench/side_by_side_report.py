"""The table of side_by_side.py."""

ROWS = [  # what, figure, unit, digits
    ("CPU per heartbeat, 300 brokers at 10,000/s", "cpu_us_per_heartbeat", "us", 1),
    ("heartbeat p50", "heartbeat_p50_us", "us", 0),
    ("heartbeat p99", "heartbeat_p99_us", "us", 0),
    ("heartbeat p99.9", "heartbeat_p99_9_us", "us", 0),
    ("CreateTopics, one client, 1 partition, RF 1: p50", "create_topic_rf1_p50_us", "us", 0),
    ("CreateTopics, one client, 1 partition, RF 3: p50", "create_topic_rf3_p50_us", "us", 0),
    ("CreateTopics, one client, 1 partition, RF 3: p99", "create_topic_rf3_p99_us", "us", 0),
    ("start to listening", "listening_ms", "ms", 0),
    ("start to ready (answers as the active controller)", "ready_ms", "ms", 0),
    ("resident memory, idle, 5 s after that", "idle_memory_mb", "MB", 1),
    ("CPU, idle, in % of a core", "idle_cpu_percent", "%", 2),
]


def _targets(m):
    """Each target of the design, what was found, and whether that meets it."""
    h, java, linger_0 = m["hayward"], m["java"], m["java_linger_0"]
    return [
        ("CPU per heartbeat <= 1/4 of Java's", h["cpu_us_per_heartbeat"] / java["cpu_us_per_heartbeat"], 1 / 4, ""),
        ("CreateTopics p50 <= 1/20 of Java's",
         h["create_topic_rf3_p50_us"] / java["create_topic_rf3_p50_us"], 1 / 20, ""),
        ("CreateTopics p50 <= 1/4 of Java's with linger 0",
         h["create_topic_rf3_p50_us"] / linger_0["create_topic_rf3_p50_us"], 1 / 4, ""),
        ("ready in < 100 ms", h["ready_ms"], 100, " ms"),
        ("idle memory < 25 MB", h["idle_memory_mb"], 25, " MB"),
    ]


def _number(value, digits):
    return "-" if value is None else f"{value:,.{digits}f}"


def _ratio(hayward, other):
    if not other:
        return "-"
    return f"1/{other / hayward:.1f}" if 0 < hayward <= other else f"{hayward / other:.2f}"


def _conditions(c):
    return (f"{c['date']}; {c['cores']} cores ({c['cpu']}), kernel {c['kernel']}; {c['hayward']}, {c['build']} build; "
            f"Apache Kafka {c['kafka']} on {c['jdk']}, `{c['java_options']}`; load generator on the same "
            f"machine, loopback; medians of {c['repeats']} interleaved repeats. Load average before "
            f"{c['load_average_before']}, after {c['load_average_after']}.\n")


def _busy(c):
    """A warning when others were at work: then latencies are the scheduler's and the disk's, not the controllers'."""
    if c["load_average_before"] <= c["cores"] / 2:
        return []
    return ["", "**The machine was busy with other work during this run** (see the load average): latencies and start",
            "times hold the waiting for it, on both sides, and what depends on a quick sync cannot be judged. CPU per",
            "heartbeat is too low on both sides: who waits for a core does more at each waking. Memory can be judged."]


def markdown(result):
    m = result["medians"]
    lines = ["# Hayward beside Java's controller", "",
             "Made by `bench/side_by_side.py`; one run, one machine, one after the other. Ratios count, absolute",
             "figures are for scale. Latencies of heartbeats are open loop, from the intended send time.", "",
             "| what | unit | Hayward | Java | Java, append linger 0 | Hayward / Java | Hayward / linger 0 |",
             "|---|---|---|---|---|---|---|"]
    for what, figure, unit, digits in ROWS:
        hayward, java, linger_0 = (m[kind].get(figure) for kind in ("hayward", "java", "java_linger_0"))
        lines.append(f"| {what} | {unit} | {_number(hayward, digits)} | {_number(java, digits)} "
                     f"| {_number(linger_0, digits)} | {_ratio(hayward, java)} | {_ratio(hayward, linger_0)} |")
    sync = m["sync"]
    lines += ["", f"Sync floor: 4 KiB appended and made to last, {sync['fdatasync_us']:.0f} us by write and fdatasync, "
                  f"{sync['dsync_write_us']:.0f} us by one RWF_DSYNC write (medians). Hayward's CreateTopics (RF 3) takes "
                  f"{m['hayward']['create_topic_rf3_p50_us'] / min(sync.values()):.2f} times the shorter of them.",
              f"Heartbeats served of 10,000/s: Hayward {m['hayward']['heartbeats_per_s']:,.0f}, "
              f"Java {m['java']['heartbeats_per_s']:,.0f}; without an answer or with an error: "
              f"{m['hayward']['failures']:.0f} and {m['java']['failures']:.0f}.",
              "", "| target | found | met |", "|---|---|---|"]
    for what, found, limit, unit in _targets(m):
        lines.append(f"| {what} | {found:.4g}{unit} | {'yes' if found <= limit else '**no**'} |")
    lines += _busy(result["conditions"])
    return "\n".join([*lines, "", "Conditions: " + _conditions(result["conditions"])])
