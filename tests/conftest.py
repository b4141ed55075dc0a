"""Fixtures for every test that needs real Kafka. Where Java or Maven is missing, they say so loudly and skip."""
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from tests.harness import jvm as jvm_module  # noqa: E402
from tests.harness import kafka_jars, processes  # noqa: E402

_left_out = []


@pytest.fixture(scope="session")
def jvm():
    try:
        jvm = jvm_module.Jvm()
    except kafka_jars.Unavailable as reason:
        _left_out.append(str(reason))
        pytest.skip(f"LEFT OUT, no real Kafka: {reason}")
    yield jvm
    jvm.stop()


@pytest.fixture
def cluster(tmp_path, jvm):
    """Makes processes and ends them all at the end of the test."""
    maker = Cluster(tmp_path, jvm)
    yield maker
    maker.end()


class Cluster:
    def __init__(self, folder, jvm):
        self.folder, self.jvm, self.started = folder, jvm, []

    def hayward(self, start=True, format=True, name="controller", **kwargs):
        controller = processes.Hayward(self.folder / name, **kwargs)
        if format:
            controller.format()
        self.started.append(controller)
        return controller.start().wait_ready() if start else controller

    def java(self, start=True, format=True, name="java", **kwargs):
        controller = processes.JavaController(self.folder / name, **kwargs)
        if format:
            controller.format(jvm=self.jvm)
        self.started.append(controller)
        return controller.start().wait_ready() if start else controller

    def broker(self, controller, node_id=1, start=True, name=None, **kwargs):
        broker = processes.Broker(self.folder / (name or f"broker-{node_id}"), controller.bootstrap, node_id, **kwargs)
        broker.format(self.jvm)
        self.started.append(broker)
        return broker.start().wait_running() if start else broker

    def end(self):
        for process in reversed(self.started):
            if process.process:
                try:
                    process.resume()
                except ProcessLookupError:
                    pass
                process.kill()
        for data in self.folder.glob("*/data"):
            shutil.rmtree(data, ignore_errors=True)


def pytest_terminal_summary(terminalreporter):
    if _left_out:
        terminalreporter.section("LEFT OUT: tests with real Apache Kafka")
        terminalreporter.write_line(f"{_left_out[0]}. Nothing was shown about brokers, tools or Java controllers.")
