"""Runs network_partitions.py inside a network namespace of its own, where the machine allows one."""
import os
import pathlib
import subprocess
import sys

import pytest

from tests.harness.processes import HAYWARD

SCENARIOS = pathlib.Path(__file__).with_name("network_partitions.py")
ALONE = ["unshare", "--map-root-user", "--net"]


def test_partitions_of_the_network(jvm):
    probe = [*ALONE, "sh", "-c", "ip link add br9 type bridge && ip link add veth9 type veth peer name peer9 && unshare -n true"]
    tried = subprocess.run(probe, capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"LEFT OUT, no network namespaces here: {tried.stderr.strip()}")
    done = subprocess.run([*ALONE, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=0",
                           f"--junitxml={HAYWARD.parent / 'pytest-network.xml'}", "-o", "junit_family=xunit1", str(SCENARIOS)],
                          cwd=SCENARIOS.parents[2], env=os.environ, capture_output=True, text=True, timeout=3600)
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
