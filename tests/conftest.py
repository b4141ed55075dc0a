"""Fixtures for every test that needs real Kafka. Where Java or Maven is missing, they say so loudly and skip."""
import os
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


@pytest.fixture(scope="module")
def live(tmp_path_factory, jvm):
    """One controller and one running broker, shared by a module's tests: .controller, .broker_1."""
    maker = Cluster(tmp_path_factory.mktemp("live"), jvm)
    try:
        maker.controller = maker.hayward()
        maker.broker_1 = maker.broker(maker.controller)
        yield maker
    finally:
        maker.end()


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
        """The controller under test. HAYWARD_TEST_CONTROLLER=java puts Java's in its place: a test that
        fails there too is wrong, or shows where Hayward means to be better."""
        if os.environ.get("HAYWARD_TEST_CONTROLLER") == "java":
            return self.java(start, format, name, **kwargs)
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
