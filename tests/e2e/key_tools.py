"""A server that asks for keys, and a maker of keys. Test files import the fixtures that they
use."""
import pytest
from queue_tools import add_model


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    return url


@pytest.fixture
def process(url, server):
    return server(url, keys=True)


@pytest.fixture
def make_key(sluice, url):
    """A function that makes a key by the command line."""
    def make(name, *flags):
        made = sluice("key", "create", name, *flags, "--database-url", url)
        assert made.returncode == 0, made.stderr
        return made.stdout.strip()
    return make
