"""What `sluice serve` promises when it is killed, drained, doubled or put behind a pooler: 202
means committed."""
import concurrent.futures
import http.client
import signal

import pytest
from conftest import http as send
from conftest import query, wait_for
from queue_tools import add_model


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    return url


def post_until_refused(port, prefix, accepted):
    """Submits one task after the other until the server is gone; the ids of those that it accepted,
    by prompt."""
    number = 0
    while True:
        prompt = f"{prefix}/{number}"
        try:
            reply = send(port, "POST", "/v1/tasks", {"prompt": prompt}, timeout_s=20)
        except (OSError, http.client.HTTPException):
            return
        if reply.status != 202:
            return
        accepted[prompt] = reply.json["id"]
        number += 1


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_what_was_accepted_is_stored_once_however_the_server_ends(url, server, end):
    process = server(url)
    accepted = {}
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for n in range(16):
            pool.submit(post_until_refused, process.port, n, accepted)
        try:
            wait_for(lambda: len(accepted) >= 200, 60, "tasks")
            process.signal(end)
            code = process.wait()
        finally:
            process.end()  # or they would go on for ever
    assert code == (-signal.SIGKILL if end == signal.SIGKILL else 0)
    stored = query(url, "select prompt, id from sluice.tasks")
    assert len(dict(stored)) == len(stored)
    assert accepted.items() <= dict(stored).items()
    if end != signal.SIGKILL:
        assert len(stored) == len(accepted)
    assert len(stored) <= len(accepted) + 16


def test_a_second_signal_ends_it_at_once(url, server):
    process = server(url)
    task = send(process.port, "POST", "/v1/tasks", {"prompt": "x"}).json["id"]
    connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=30)
    connection.putrequest("POST", "/v1/tasks")
    connection.putheader("Content-Length", "1000")  # and never sends it: a drain would wait
    connection.endheaders()
    wait_for(lambda: send(process.port, "GET", f"/v1/tasks/{task}").status == 200,
        what="the server")
    process.signal(signal.SIGTERM)
    wait_for(lambda: not accepts(process.port), what="the drain")
    process.signal(signal.SIGTERM)
    assert process.wait(20) == 143
    connection.close()


def accepts(port):
    try:
        return send(port, "GET", "/healthz").status == 200
    except OSError:
        return False


def test_two_servers_share_the_keys_of_idempotency(url, server):
    ports = [server(url).port for _ in range(2)]
    def post(n):
        return send(ports[n % 2], "POST", "/v1/tasks", {"prompt": "same"},
            headers={"Idempotency-Key": f"k{n // 2 % 10}"}).json["id"]
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        ids = list(pool.map(post, range(200)))
    assert len(set(ids)) == 10
    assert query(url, "select count(*) from sluice.tasks") == [(10,)]


def test_it_works_behind_a_pooler(pooler, server, mock, worker):
    add_model(pooler.direct_url, "m", mock().url)
    port = server(pooler.url).port
    worker(pooler.direct_url)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        ids = [reply.json["id"] for reply in pool.map(
                lambda n: send(port, "POST", "/v1/tasks", {"prompt": str(n)}), range(40))]
    assert {send(port, "GET", f"/v1/tasks/{task}?wait=30s").json["status"]
        for task in ids} == {"solved"}
    pooler.kill()
    wait_for(lambda: send(port, "GET", "/readyz").status == 503, what="readiness to end")
    pooler.start()
    wait_for(lambda: send(port, "POST", "/v1/tasks", {"prompt": "x"}).status == 202,
        what="the pooler")
