"""Sessions with the database go dumb: what is between acknowledges all and passes nothing on. New
ones work."""
import pytest
from conftest import Monitor, http, query, wait_for
from dumb_proxy import DumbProxy
from queue_tools import add_model, assert_each_ended_once, submit, wait_ended, wait_idle

pytestmark = pytest.mark.plain_build_only

PATIENCE = (("SLUICE_DATABASE_SILENCE_MS", "1500"),)


@pytest.fixture
def proxy(pg):
    direct = pg.database()
    proxy = DumbProxy(direct)
    proxy.direct_url = direct
    yield proxy
    proxy.close()


@pytest.mark.parametrize("flags", [(), ("--db-connections", "2")])
def test_a_worker_finds_that_its_sessions_are_dumb_and_makes_new_ones(proxy, mock, worker, flags):
    url, backend = proxy.direct_url, mock()
    add_model(url, "m", backend.url)
    running = worker(proxy.url, "--http", "127.0.0.1:0", *flags, env=PATIENCE)
    ids = [submit(url, "before")]
    wait_ended(url, 1)
    wait_idle(url)
    monitor = Monitor(running)
    monitor.wait_until("listen", 200)
    ids.append(submit(url, "mock:delay=500ms under way"))
    wait_for(lambda: len(backend.arrivals()) == 2, what="a call")
    proxy.go_dumb()
    ids.append(submit(url, "after"))
    wait_for(lambda: monitor.ready()[1].get("reason") == "the database does not answer", 20,
        "doubts")
    assert wait_ended(url, 3) == {"solved": 3}
    wait_for(lambda: monitor.ready()[0] == 200, what="readiness")
    assert_each_ended_once(url, ids)
    assert running.stderr().count("no answer from the database") == 1


def test_a_server_finds_that_its_sessions_are_dumb_and_makes_new_ones(proxy, server):
    url = proxy.direct_url
    add_model(url, "m", "http://127.0.0.1:1")
    process = server(proxy.url, env=PATIENCE)
    task = {"model": "m", "prompt": "p"}
    assert http(process.port, "POST", "/v1/tasks", task).status == 202
    before = proxy.accepted
    proxy.go_dumb()
    wait_for(lambda: http(process.port, "GET", "/readyz").status == 503, what="a silence")
    wait_for(lambda: http(process.port, "POST", "/v1/tasks", task).status == 202, 20, "a submit")
    wait_for(lambda: http(process.port, "GET", "/readyz").status == 200, what="readiness")
    assert process.stderr().count("no answer from the database") == 1
    assert proxy.accepted <= 2 * before + 1
