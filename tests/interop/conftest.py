"""Three real brokers on one controller, shared by the tests of a module, each of which leaves all three running; quorums with
model brokers."""
import pytest

from tests.conftest import Cluster
from tests.harness import model_brokers
from tests.harness.processes import CLUSTER_ID
from tests.harness.quorum import Quorum
from tests.interop.trio import Trio


@pytest.fixture(scope="module")
def trio(tmp_path_factory, jvm):
    maker = Cluster(tmp_path_factory.mktemp("trio"), jvm)
    try:
        yield Trio(maker, jvm)
    finally:
        maker.end()


@pytest.fixture(autouse=True)
def all_running(request):
    """Whatever a test did to the brokers, the next one finds them running."""
    yield
    if "trio" in request.fixturenames:
        request.getfixturevalue("trio").revive()


@pytest.fixture
def tell(record_property):
    """tell(kills=100, ...): what a test did, in figures that it counted itself; printed, and a property in pytest's report, from
    which tests/long_forms.py makes docs/results/long-forms.md."""
    def tell(**figures):
        print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items()))
        for name, value in figures.items():
            record_property(name, value)
    return tell


@pytest.fixture
def with_brokers(cluster, jvm):
    """A function that makes a quorum on which two model brokers are unfenced."""
    started = []

    def make(kinds, **options):
        quorum = Quorum(cluster, jvm, kinds, **options)
        started.append(model_brokers.ModelBrokers(quorum.addresses, [1, 2], CLUSTER_ID).start_and_wait())
        return quorum
    yield make
    for brokers in started:
        brokers.stop()
