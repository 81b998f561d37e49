"""A database with model m, and a server on it that asks for no keys. Test files import the fixtures
that they use."""
import pytest
from conftest import serve
from key_tools import url_of_new


class Front:
    def __init__(self, pg, start):
        self.url = url_of_new(pg)
        self.process = serve(start, self.url)
        self.port = self.process.port


@pytest.fixture
def front(pg, started):
    return Front(pg, started)


@pytest.fixture(scope="module")
def shared_front(pg, started_once):
    """For requests that are refused, and leave nothing behind."""
    return Front(pg, started_once)
