"""What attackers send: ambiguous requests, slow ones, huge ones, deep ones; the server refuses them
and goes on."""
import json
import re
import resource
import socket

import pytest
from conftest import http, memory_bytes, query, unless_instrumented, wait_for
from front_tools import front, shared_front  # noqa: F401 (fixtures)


def send_raw(port, data, timeout_s=20):
    """All that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout_s) as connection:
        connection.sendall(data)
        received = b""
        while part := connection.recv(65536):
            received += part
        return received


def statuses_of(received):
    return [int(status) for status in re.findall(rb"(?:^|\r\n|\n|})HTTP/1\.1 (\d{3}) ", received)]


BODY = b'{"prompt": "x"}'
HIDDEN = (b'POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{"prompt": '
          b'"hidden"}')


def post(*lines, body=BODY + HIDDEN):
    return b"\r\n".join([b"POST /v1/tasks HTTP/1.1", *lines, b"", body])


AMBIGUOUS = {
    "TE and CL": post(b"Host: localhost", b"Content-Length: 15", b"Transfer-Encoding: chunked",
        body=b"0\r\n\r\n" + HIDDEN),
    "repeated CL": post(b"Host: localhost", b"Content-Length: 15", b"Content-Length: 15"),
    "differing CL": post(b"Host: localhost", b"Content-Length: 15", b"Content-Length: 0"),
    "list CL": post(b"Host: localhost", b"Content-Length: 15, 15"),
    "signed CL": post(b"Host: localhost", b"Content-Length: +15"),
    "hex CL": post(b"Host: localhost", b"Content-Length: 0xf"),
    "negative CL": post(b"Host: localhost", b"Content-Length: -15"),
    "empty CL": post(b"Host: localhost", b"Content-Length: "),
    "repeated Host": post(b"Host: localhost", b"Host: localhost", b"Content-Length: 15"),
    "no Host": post(b"Content-Length: 15"),
    "unknown TE": post(b"Host: localhost", b"Transfer-Encoding: gzip"),
    "two TEs": post(b"Host: localhost", b"Transfer-Encoding: gzip, chunked"),
    "repeated TE": post(b"Host: localhost", b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: chunked"),
    "dressed TE": post(b"Host: localhost", b"Transfer-Encoding: \x0bchunked"),
    "space before the colon": post(b"Host: localhost", b"Content-Length : 15"),
    "folded CL": post(b"Host: localhost", b"Content-Length:", b" 15"),
    "folded TE": post(b"Host: localhost", b"Transfer-Encoding:", b" chunked",
        body=b"0\r\n\r\n" + HIDDEN),
    "folded TE beside CL": post(b"Host: localhost", b"Content-Length: 15",
        b"Transfer-Encoding:", b"\tchunked"),
    "TE with HTTP/1.0": post(b"Host: localhost", b"Transfer-Encoding: chunked",
        body=b"0\r\n\r\n" + HIDDEN).replace(b"HTTP/1.1", b"HTTP/1.0", 1)}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_ambiguous_request_is_400_and_the_connection_closed(shared_front, name):
    received = send_raw(shared_front.port, AMBIGUOUS[name])
    # libmicrohttpd 0.9.75 writes the headers of a refusal of its own twice, before it closes.
    assert set(statuses_of(received)) == {400}, received
    assert query(shared_front.url, "select count(*) from sluice.tasks") == [(0,)]


def test_a_body_of_untold_length_is_411_and_the_connection_closed(shared_front):
    received = send_raw(shared_front.port, post(b"Host: localhost"))
    assert set(statuses_of(received)) == {411}, received
    assert query(shared_front.url, "select count(*) from sluice.tasks") == [(0,)]


@pytest.mark.parametrize("data",
    [b"POST /v1/tasks HTTP/1.1\nHost: localhost\nContent-Length: 15\nConnection: close\n\n" + BODY,
        post(b"Host: localhost", b"X-Folded: a", b" Content-Length: 0", b"Content-Length: 15",
            b"Connection: close", body=BODY), post(b"Host: localhost",
                b"Transfer-Encoding: chunked", b"Connection: close", body=b"f;name=value\r\n" + BODY
                + b"\r\n0\r\nX-Trailer: 1\r\n\r\n"),
        # libmicrohttpd 1.0.1 leaves the LF behind a chunk's extension in the body: what follows
        # the last one is the next request, unless a bare LF ends no line.
        post(b"Host: localhost", b"Transfer-Encoding: chunked", body=b"f\r\n" + BODY
            + b"\r\n0;name=value\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n"
            b"Connection: close\r\n\r\n")],
    ids=["bare LF", "obs-fold", "chunked", "trailer that looks like a request"])
def test_one_request_in_is_one_request_out(front, data):
    statuses = statuses_of(send_raw(front.port, data))
    assert len(statuses) == 1 and statuses[0] in (202, 400)
    assert query(front.url,
        "select count(*) from sluice.tasks") == [(1 if statuses == [202] else 0,)]


@pytest.mark.parametrize("data",
    [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n", b"GET\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        post(b"Host: localhost", b"Transfer-Encoding: chunked", body=b"fffffffffffffffff\r\nx"),
        post(b"Host: localhost", b"Content-Length: 99999999999999999999")],
    ids=["TLS", "half a line", "long path", "many headers", "long header", "version",
        "chunk", "length"])
def test_nonsense_ends_its_connection_alone(shared_front, data):
    try:
        statuses = statuses_of(send_raw(shared_front.port, data))
    except ConnectionError:
        statuses = []
    assert all(400 <= status for status in statuses)
    assert http(shared_front.port, "GET", "/healthz").status == 200


def test_a_long_body_is_413_and_is_not_kept(front):
    before = memory_bytes(front.process.pid)
    part = b" " * (1 << 20)
    with socket.create_connection(("127.0.0.1", front.port), 20) as connection:
        connection.sendall(post(b"Host: localhost", b"Content-Length: %d" % (100 << 20),
            b"Connection: close", body=b""))
        for _ in range(100):
            connection.sendall(part)
        assert statuses_of(connection.recv(65536)) == [413]
    assert memory_bytes(front.process.pid) - before < 100 << 20


def test_headers_cannot_be_injected(front):
    task = http(front.port, "POST", "/v1/tasks", {"prompt": "x"}).json["id"]
    for path in (f"/v1/tasks/{task}%0d%0aX-Evil:%201", "/v1/tasks?limit=1%0d%0aX-Evil:%201",
            "/%0d%0aX-Evil:%201"):
        received = send_raw(front.port,
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        head, body = received.split(b"\r\n\r\n", 1)
        assert b"X-Evil" not in head and b"\nX-Evil" not in body, path
    assert "X-Evil" not in front.process.stderr()


def test_deep_json_is_refused_wherever_it_is(front):
    deep = "[" * 50_000 + "]" * 50_000
    for body in (f'{{"prompt": "x", "metadata": {deep}}}', f'{{"request": {deep}}}',
            f'{{"request": "{deep}"}}', deep, f'[{{"prompt": "x", "metadata": {deep}}}]',
            "[" * 1_000_000, '{"a":' * 100_000):
        assert http(front.port, "POST", "/v1/tasks", body).status == 400, body[:40]
    for path in ("/v1/models/m", "/v1/tenants/t", "/v1/routes/r"):
        assert http(front.port, "PUT", path, f'{{"url": {deep}}}').status == 400, path
    assert query(front.url, "select count(*) from sluice.tasks") == [(0,)]
    assert http(front.port, "GET", "/readyz").status == 200


def test_no_error_repeats_a_long_text(front):
    text = "ä" * 1_500_000
    for method, path, body in (
            ("POST", "/v1/tasks", {"prompt": "x", "tenant": text}),
            ("POST", "/v1/tasks", {"prompt": "x", text: 1}),
            ("POST", "/v1/tasks", {"prompt": "x", "model": text}),
            ("POST", "/v1/tasks", [{"prompt": "x", text: 1}]),
            ("POST", "/v1/tasks/cancel", {"tenant": text, "model": "nobody"}),
            ("POST", "/v1/tasks/cancel", {text: 1}),
            ("POST", "/v1/tasks/cancel", {"model": text}),
            ("PUT", "/v1/models/x", {text: 1}),
            ("PUT", "/v1/models/x", {"api": text}),
            ("PUT", "/v1/models/x", {"name": text}),
            ("PUT", "/v1/routes/x", {text: 1}),
            ("POST", "/v1/keys", {"name": text}),
            ("POST", "/v1/batches",
                {"input_file_id": text, "endpoint": "/v1/embeddings", "completion_window": "24h"})):
        reply = http(front.port, method, path, body)
        assert 400 <= reply.status < 500 and len(reply.body.encode()) < 4000, (path,
            reply.status, reply.body[:200])


def test_no_answer_is_taken_for_a_page(front):
    for path in ("/v1/tasks", "/v1/tasks/1", "/nowhere", "/metrics", "/healthz"):
        assert http(front.port, "GET", path).headers["X-Content-Type-Options"] == "nosniff", path


@unless_instrumented
def test_5000_idle_waits_cost_little_memory_and_no_connections(front):
    waits = 5_000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, waits + 1_000)), hard))
    task = http(front.port, "POST", "/v1/tasks", {"prompt": "x"}).json["id"]
    before = memory_bytes(front.process.pid)
    request = f"GET /v1/tasks/{task}?wait=60s HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    connections = []
    try:
        for _ in range(waits):
            connections.append(socket.create_connection(("127.0.0.1", front.port), 20))
            connections[-1].sendall(request)
        open_requests = re.compile(r"^sluice_http_open_requests (\d+)", re.M)
        wait_for(lambda: int(open_requests.search(http(front.port, "GET",
            "/metrics").body)[1]) > waits, 30, "the waits")
        assert memory_bytes(front.process.pid) - before < 100 << 20
        assert query(front.url, "select count(*) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()")[0][0] <= 6
        http(front.port, "DELETE", f"/v1/tasks/{task}")
        for connection in connections:
            received = connection.recv(65536)
            assert statuses_of(received) == [200] and b'"cancelled"' in received
    finally:
        for connection in connections:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_pipelined_requests_are_answered_in_their_order(front):
    requests = b"".join(post(b"Host: localhost", b"Content-Length: %d" % len(body), body=body)
                        for body in (json.dumps({"prompt": str(n)}).encode() for n in range(20)))
    last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    received = send_raw(front.port, requests + last)
    assert statuses_of(received) == [202] * 20 + [200]
    ids = [int(number) for number in re.findall(rb'"id":(\d+)', received)]
    assert ids == sorted(ids) and len(set(ids)) == 20


def test_clients_that_leave_early_hurt_nobody(front):
    for n in range(200):
        with socket.create_connection(("127.0.0.1", front.port), 20) as connection:
            connection.sendall(
                post(b"Host: localhost", b"Content-Length: 15", body=BODY)[:100 + n % 20])
    wait_for(lambda: "sluice_http_open_requests 1\n" in http(front.port, "GET", "/metrics").body,
        what="all to be gone")
    assert http(front.port, "POST", "/v1/tasks", {"prompt": "x"}).status == 202
