"""A server that asks for keys, and a maker of keys. Test files import the fixtures that they
use."""
import pytest
from conftest import serve, wait_for
from queue_tools import add_model


@pytest.fixture
def url(pg):
    return url_of_new(pg)


def url_of_new(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    return url


@pytest.fixture
def process(url, server):
    return server(url, keys=True)


@pytest.fixture
def make_key(sluice, url):
    """A function that makes a key by the command line."""
    return lambda name, *flags: new_key(sluice, url, name, *flags)


def new_key(sluice, url, name, *flags):
    made = sluice("key", "create", name, *flags, "--database-url", url)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


# For what is refused and leaves nothing behind: one database, server and key of all such tests of a
# file. To make them takes half a second of a core.
@pytest.fixture(scope="module")
def shared_url(pg):
    return url_of_new(pg)


@pytest.fixture(scope="module")
def shared_process(shared_url, started_once):
    return serve(started_once, shared_url, keys=True)


@pytest.fixture(scope="module")
def shared_key(sluice, shared_url):
    return new_key(sluice, shared_url, "shared", "--scope", "admin,submit,read")


def wait_for_refusal(request):
    """Until a request is told that its key is none; one that is under way then may be cut off."""
    def is_refused():
        try:
            return request().status == 401
        except ConnectionError:
            return False
    wait_for(is_refused, 10, "the key's end")
