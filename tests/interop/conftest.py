"""Three real brokers on one controller, shared by the tests of a module; each test leaves all three running."""
import pytest

from tests.conftest import Cluster
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
