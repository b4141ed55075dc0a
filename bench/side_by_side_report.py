"""The tables of side_by_side.py: every figure of every kind, and the targets."""
import math
import re

HEARTBEATS = "heartbeats, 300 brokers"
ROWS = [  # what, figure, unit, digits
    (f"{HEARTBEATS}, closed loop: served", "heartbeats_closed_per_s", "/s", 0),
    (f"{HEARTBEATS}, 10,000/s: p50", "heartbeats_10k_p50_us", "us", 0),
    ("p99", "heartbeats_10k_p99_us", "us", 0),
    ("p99.9", "heartbeats_10k_p99_9_us", "us", 0),
    ("server's CPU per heartbeat", "heartbeats_10k_cpu_us", "us", 1),
    (f"{HEARTBEATS}, 30,000/s: served", "heartbeats_30k_per_s", "/s", 0),
    ("p50", "heartbeats_30k_p50_us", "us", 0),
    ("p99", "heartbeats_30k_p99_us", "us", 0),
    ("p99.9", "heartbeats_30k_p99_9_us", "us", 0),
    ("server's CPU per heartbeat", "heartbeats_30k_cpu_us", "us", 1),
    (f"{HEARTBEATS}, 100,000/s: served", "heartbeats_100k_per_s", "/s", 0),
    ("p50", "heartbeats_100k_p50_us", "us", 0),
    ("p99.9", "heartbeats_100k_p99_9_us", "us", 0),
    ("server's CPU per heartbeat", "heartbeats_100k_cpu_us", "us", 1),
    ("300 registrations at once, in all", "registrations_300_ms", "ms", 1),
    ("CreateTopics, one client, 1 partition, RF 3: p50", "create_one_p50_us", "us", 0),
    ("p99", "create_one_p99_us", "us", 0),
    ("p50 in syncs (write + fdatasync of 4 KiB, taken beside it)", "create_one_per_sync", "", 2),
    ("CreateTopics, 16 clients, 10 partitions, RF 3", "create_many_partitions_per_s", "partitions/s", 0),
    ("40 brokers with 200,000 partitions die: from expiry to the last leader's move", "death_last_change_ms", "ms", 0),
    ("and until the last is fenced", "death_last_fenced_ms", "ms", 0),
    ("the living 300's heartbeats meanwhile: p99.9", "death_living_p99_9_us", "us", 0),
    ("of these without an answer or with an error", "death_living_errors", "", 0),
    ("resident with 200,000 partitions, live", "memory_200k_mb", "MB", 0),
    ("restart with 200,000 partitions: to active", "restart_200k_ms", "ms", 0),
    ("resident after that", "restart_memory_200k_mb", "MB", 0),
    ("300 brokers unfence at once, 30,000 partitions leaderless: in all", "unfence_300_ms", "ms", 1),
    ("from its sending to its answer, a heartbeat on average", "unfence_mean_us", "us", 0),
    ("longest", "unfence_max_us", "us", 0),
    ("start to listening", "listening_ms", "ms", 0),
    ("start to ready (answers as the active controller)", "ready_ms", "ms", 0),
    ("resident, idle", "idle_memory_mb", "MB", 1),
    ("CPU, idle, in % of a core", "idle_cpu_percent", "%", 2),
]
# The README's: what, one or more figures, what they are divided by, unit, digits
SUMMARY = [
    ("start to ready", ("ready_ms",), 1, "ms", 0),
    ("resident memory, idle", ("idle_memory_mb",), 1, "MB", 0),
    ("CPU, idle, of a core", ("idle_cpu_percent",), 1, "%", 1),
    ("heartbeats, 300 brokers at 10,000/s: p50 / p99 / p99.9", ("heartbeats_10k_p50_us", "heartbeats_10k_p99_us", "heartbeats_10k_p99_9_us"),
     1000, "ms", 2),
    ("at 30,000/s: p50 / p99 / p99.9", ("heartbeats_30k_p50_us", "heartbeats_30k_p99_us", "heartbeats_30k_p99_9_us"), 1000, "ms", 2),
    ("CPU per heartbeat, at 10,000/s / 30,000/s / 100,000/s", ("heartbeats_10k_cpu_us", "heartbeats_30k_cpu_us", "heartbeats_100k_cpu_us"),
     1, "us", 1),
    ("300 registrations at once", ("registrations_300_ms",), 1, "ms", 0),
    ("CreateTopics, one client, RF 3: p50 / p99", ("create_one_p50_us", "create_one_p99_us"), 1000, "ms", 2),
    ("16 clients, 10 partitions each: partitions/s", ("create_many_partitions_per_s",), 1, "", 0),
    ("40 brokers with 200,000 partitions die: last leader moved after", ("death_last_change_ms",), 1, "ms", 0),
    ("the living's heartbeats meanwhile: p99.9", ("death_living_p99_9_us",), 1000, "ms", 1),
    ("of 9,000, failed", ("death_living_errors",), 1, "", 0),
    ("300 brokers unfence beside 30,000 leaderless partitions, in all", ("unfence_300_ms",), 1, "ms", 0),
    ("restart with 200,000 partitions", ("restart_200k_ms",), 1, "ms", 0),
    ("resident memory then", ("restart_memory_200k_mb",), 1, "MB", 0),
]
KINDS = ("hayward", "java", "java_linger_0", "floor")

# what, a function of the medians of hayward, java and floor, limit, "most" or "least", unit
TARGETS = [
    ("closed loop >= 0.85 x floor", lambda h, j, f: h["heartbeats_closed_per_s"] / f["heartbeats_closed_per_s"], 0.85, "least", ""),
    ("CPU per heartbeat at 30,000/s <= 1.5 x floor", lambda h, j, f: h["heartbeats_30k_cpu_us"] / f["heartbeats_30k_cpu_us"], 1.5,
     "most", ""),
    ("CPU per heartbeat at 30,000/s <= 1/4 of Java's (at 10,000/s where Java does not hold 30,000)",
     lambda h, j, f: h["heartbeats_30k_cpu_us"] / j.get("heartbeats_30k_cpu_us", j["heartbeats_10k_cpu_us"]), 1 / 4, "most", ""),
    ("p99.9 at 10,000/s <= 2 x floor", lambda h, j, f: h["heartbeats_10k_p99_9_us"] / f["heartbeats_10k_p99_9_us"], 2, "most", ""),
    ("p99.9 at 30,000/s <= 2 x floor", lambda h, j, f: h["heartbeats_30k_p99_9_us"] / f["heartbeats_30k_p99_9_us"], 2, "most", ""),
    ("100,000/s held", lambda h, j, f: h["heartbeats_100k_per_s"], 99_000, "least", "/s"),
    ("300 registrations <= 1/10 of Java's", lambda h, j, f: h["registrations_300_ms"] / j["registrations_300_ms"], 1 / 10, "most", ""),
    ("CreateTopics by one client: p50 <= 3 x (write + fdatasync)", lambda h, j, f: h["create_one_per_sync"], 3, "most", ""),
    ("16 clients: >= 50,000 partitions/s", lambda h, j, f: h["create_many_partitions_per_s"], 50_000, "least", "/s"),
    ("40 die: every leader moved in < 2 s", lambda h, j, f: h["death_last_change_ms"], 2000, "most", " ms"),
    ("the others' p99.9 <= 20 ms", lambda h, j, f: h["death_living_p99_9_us"] / 1000, 20, "most", " ms"),
    ("and no error", lambda h, j, f: h["death_living_errors"], 0, "most", ""),
    ("unfencing beside 30,000 leaderless: <= 1 ms each", lambda h, j, f: h["unfence_mean_us"] / 1000, 1, "most", " ms"),
    ("restart with 200,000 partitions <= 1/20 of Java's", lambda h, j, f: h["restart_200k_ms"] / j["restart_200k_ms"], 1 / 20,
     "most", ""),
    ("resident then <= 1/6 of Java's", lambda h, j, f: h["restart_memory_200k_mb"] / j["restart_memory_200k_mb"], 1 / 6, "most", ""),
    ("idle memory < 15 MB", lambda h, j, f: h["idle_memory_mb"], 15, "most", " MB"),
    ("ready in < 50 ms", lambda h, j, f: h["ready_ms"], 50, "most", " ms"),
]


def _number(value, digits):
    if value is None:
        return "-"
    return "-" if math.isnan(value) else f"{value:,.{digits}f}"


def _ratio(ours, other):
    if not other or ours is None or math.isnan(ours) or math.isnan(other):
        return "-"
    return f"1/{other / ours:.1f}" if 0 < ours <= other / 2 else f"{ours / other:.2f}"


def _limited(figure, medians):
    """A mark where the generator was the limit in most repeats."""
    for end in ("per_s", "p50_us", "p99_us", "p99_9_us", "partitions_per_s"):
        if figure.endswith("_" + end) and medians.get(figure.removesuffix(end) + "limited", 0) > 0:
            return " (g)"
    return ""


def table(medians):
    lines = ["| what | unit | Hayward | Java | Java, linger 0 | floor | Hayward / Java | Hayward / floor |",
             "|---|---|---|---|---|---|---|---|"]
    for what, figure, unit, digits in ROWS:
        if not any(figure in medians[kind] for kind in KINDS):
            continue
        cells = [_number(medians[kind].get(figure), digits) + _limited(figure, medians[kind]) for kind in KINDS]
        ours = medians["hayward"].get(figure)
        ratios = [_ratio(ours, medians[kind].get(figure)) for kind in ("java", "floor")]
        lines.append("| " + " | ".join([what, unit, *cells, *ratios]) + " |")
    return lines


def _not_the_servers(what, medians):
    """Whether a target about heartbeats at a rate rests on figures that were the generator's or the machine's."""
    for rate, figure in (("10,000/s", "10k"), ("30,000/s", "30k"), ("100,000/s", "100k")):
        if re.search(rf"\b{rate}", what) and "CPU" not in what:
            return any(medians[kind].get(f"heartbeats_{figure}_limited", 0) > 0 for kind in ("hayward", "floor"))
    return False


def targets(medians):
    lines = ["| target | found | met |", "|---|---|---|"]
    for what, function, limit, kind, unit in TARGETS:
        try:
            found = function(medians["hayward"], medians["java"], medians["floor"])
        except (KeyError, ZeroDivisionError):
            continue  # that row was not taken
        met = "yes" if (found <= limit if kind == "most" else found >= limit) else "**no**"
        if _not_the_servers(what, medians) and not (kind == "least" and met == "yes"):  # what was served was served
            met = "not shown: (g)"
        lines.append(f"| {what} | {found:.4g}{unit} | {met} |")
    return lines


def summary(result):
    """The README's table, and its conditions in one line."""
    medians, c = result["medians"], result["conditions"]
    kinds = [kind for kind in KINDS if any(medians[kind])]
    heads = {"hayward": "Hayward", "java": "Java", "java_linger_0": "Java, linger 0", "floor": "floor"}
    lines = ["| what | " + " | ".join(heads[kind] for kind in kinds) + " |", "|---|" + "---|" * len(kinds)]
    for what, figures, divisor, unit, digits in SUMMARY:
        cells = []
        for kind in kinds:
            known = [medians[kind].get(figure) for figure in figures]
            shown = " / ".join("-" if v is None else _number(v / divisor, digits) for v in known)
            cells.append("-" if not any(v is not None for v in known) else f"{shown} {unit}".strip())
        if any(cell != "-" for cell in cells):
            lines.append(f"| {what} | " + " | ".join(cells) + " |")
    note = (f"{c['date']}, {c['cores']} cores ({c['cpu']}), Kafka {c['kafka']}, medians of {c['repeats']} interleaved repeats, of the rows with "
            f"200,000 or 30,000 partitions {c['long_repeats']}; all on loopback.")
    return "\n".join([*lines, "", note])


def _conditions(c):
    return (f"Conditions: {c['date']}, {c['minutes']} minutes; {c['cores']} cores ({c['cpu']}), kernel {c['kernel']}; "
            f"{c['hayward']}, {c['build']} build{', ' + ', '.join(c['settings']) if c['settings'] else ''}; Apache Kafka "
            f"{c['kafka']} on {c['jdk']}, `{c['java_options']}` (-Xmx4G where there are 200,000 partitions); load generator "
            f"with {c['threads']} thread(s) on the same machine, loopback; {c['repeats']} interleaved repeats"
            f"{' (quick form)' if c['quick'] else ''}, of the big rows {c['long_repeats']}. Cores busy "
            f"before: {c.get('busy_cores_before', 'not taken')}; load average before {c['load_average_before']}, after {c['load_average_after']}.")


def _busy(c):
    """A warning when others were at work: then latencies are the scheduler's and the disk's, not the servers'."""
    if c.get("busy_cores_before", c["load_average_before"]) <= c["cores"] / 4:
        return []
    return ["", "**The machine was busy with other work when this run began** (see below): latencies hold the waiting",
            "for it, on every side, and what depends on a quick sync cannot be judged. Memory can."]


def markdown(result, plots):
    m = result["medians"]
    sync = [m[kind]["write_fdatasync_us"] for kind in ("hayward", "java", "java_linger_0") if "write_fdatasync_us" in m[kind]]
    lines = ["# Hayward beside Java's controller", "",
             "Made by `bench/side_by_side.py`: one run, one machine, one after the other. Ratios count, absolute figures are",
             "for scale. Open-loop latencies count from the intended send time. (g): the generator was the limit.", "",
             *table(m), ""]
    if sync:
        lines += [f"One 4 KiB write and fdatasync took {min(sync):,.0f} to {max(sync):,.0f} us in the medians of this run.", ""]
    lines += targets(m)
    lines += ["", *(f"![{title}]({name})" for title, name in plots)] if plots else []
    if result["faults"]:
        lines += ["", "Rows that failed:", "", *(f"- {fault}" for fault in result["faults"])]
    return "\n".join([*lines, *_busy(result["conditions"]), "", _conditions(result["conditions"]), ""])
