"""The benches run: each micro bench once, the floor under a load, and what side_by_side.py makes of figures."""
import json
import os
import subprocess
import xml.etree.ElementTree

import pytest

from bench import controllers, side_by_side, side_by_side_report, svg, watch
from tests.harness import processes

MICRO = processes.HAYWARD.parent / "bench/micro"


@pytest.mark.parametrize("name", ["bench_batch", "bench_heartbeat", "bench_image", "bench_node"])
def test_a_micro_bench_runs(name):
    done = subprocess.run([MICRO / name, "--benchmark_min_time=0.001", "--benchmark_format=json"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["benchmarks"]
    assert results and not [r for r in results if r.get("error_occurred")], results
    assert all(r["real_time"] > 0 for r in results)


def test_how_busy_others_are_is_measured():
    assert 0 <= controllers.busy_cores(seconds=0.2) <= 2 * (os.cpu_count() or 1)


def test_the_floor_answers_a_load(tmp_path):
    floor = controllers.Floor(tmp_path)
    try:
        floor.start()
        watch.wait_listening(floor.port, floor.alive)
        bench = controllers.Bench(tmp_path, None)
        report = bench.load(floor, "--phases", "register,unfence,steady,create", "--brokers", 20, "--rate", 500,
                            "--duration", 1, "--topics", 20)
        assert report.failures == 0
        assert report.phases["steady"]["ok"] == 500 and report.phases["create"]["ok"] == 20
    finally:
        floor.kill()


def curve(scale):
    return [[0, scale], [50, 2 * scale], [99, 30 * scale], [99.9, 400 * scale], [100, 5000 * scale]]


def test_plots_are_svg():
    root = xml.etree.ElementTree.fromstring(svg.percentile_plot("a < b", {"one": curve(10), "two": curve(300)}))
    lines = [e for e in root.iter() if e.tag.endswith("polyline")]
    assert len(lines) == 2
    ys = [float(point.split(",")[1]) for point in lines[0].get("points").split()]
    assert ys == sorted(ys, reverse=True) and len(ys) == 4, "longer is higher; the last percent is not drawn"


def test_medians_targets_and_rows(tmp_path):
    samples = {"hayward": [{"heartbeats_10k_p99_9_us": 30.0, "heartbeats_10k_limited": 0, "heartbeats_10k_curve": curve(10)},
                           {"heartbeats_10k_p99_9_us": 10.0, "heartbeats_10k_limited": 0, "heartbeats_10k_curve": curve(20)},
                           {"heartbeats_10k_p99_9_us": 20.0, "idle_memory_mb": 9.0}],
               "java": [{"heartbeats_10k_p99_9_us": 200.0}], "java_linger_0": [],
               "floor": [{"heartbeats_10k_p99_9_us": 5.0, "heartbeats_10k_limited": 1}]}
    medians = {kind: side_by_side.medians(s) for kind, s in samples.items()}
    assert medians["hayward"]["heartbeats_10k_p99_9_us"] == 20.0
    assert medians["hayward"]["heartbeats_10k_curve"][1] == [50, 30]
    table = "\n".join(side_by_side_report.table(medians))
    assert "| 20 | 200 | - | 5 (g) | 1/10.0 | 4.00 |" in table
    targets = "\n".join(side_by_side_report.targets(medians))
    assert "| p99.9 at 10,000/s <= 2 x floor | 4 | not shown: (g) |" in targets
    medians["floor"]["heartbeats_10k_limited"] = 0
    assert "| p99.9 at 10,000/s <= 2 x floor | 4 | **no** |" in "\n".join(side_by_side_report.targets(medians))
    assert "| idle memory < 15 MB | 9 MB | yes |" in targets
    assert "restart" not in targets, "rows that were not taken have no target"
    result = {"medians": medians, "samples": samples, "faults": ["x failed"], "conditions": {
        "date": "d", "minutes": 1, "cores": 2, "cpu": "c", "kernel": "k", "hayward": "h", "build": "b", "settings": [],
        "kafka": "4", "jdk": "17", "java_options": "-x", "threads": 1, "repeats": 3, "quick": False, "long_repeats": 0,
        "load_average_before": 7.0, "load_average_after": 1.0}}
    text = side_by_side.write(result, tmp_path / "out/found")
    assert "busy with other work" in text and "- x failed" in text and "found-heartbeats-10k.svg" in text
    assert (tmp_path / "out/found-heartbeats-10k.svg").exists() and json.loads((tmp_path / "out/found.json").read_text())
