"""Attacks on the HTTP front's resources: who holds on to bodies, uploads, requests and connections
takes them from nobody else."""
import concurrent.futures
import contextlib
import json
import os
import re
import resource
import socket
import ssl
import statistics
import subprocess
import time

import pytest
from batch_tools import form, post_file
from conftest import connect, http, memory_bytes, query, serve, unless_instrumented, wait_for
from key_tools import (make_key, process, shared_key, shared_process, shared_url,  # noqa: F401
    url)  # fixtures
from queue_tools import submit

BODY_BYTES = 64 << 20
BODY = b'{"prompt": "x"}'


@pytest.fixture
def clients():
    """A function that connects; all are closed at the end."""
    with contextlib.ExitStack() as stack:
        def connect(port, source="127.0.0.1"):
            client = socket.create_connection(("127.0.0.1", port), 20, (source, 0))
            return stack.enter_context(client)
        yield connect


@pytest.fixture
def many_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 30_000)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def head(path, length, key=None, method="POST", **headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {length}"]
    lines += [f"Authorization: Bearer {key}"] if key else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def status_of(client):
    """Of the answer that comes, or None: the connection was closed without one."""
    with contextlib.suppress(ConnectionError):
        found = re.match(rb"HTTP/1\.1 (\d{3}) ", client.recv(65536))
        return int(found[1]) if found else None


def is_closed(client):
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except (ConnectionError, ssl.SSLEOFError):
        return True


def send_but_the_end(client, data, missing=40):
    """As much as the server takes of `data` but its end."""
    with contextlib.suppress(ConnectionError):
        client.sendall(memoryview(data)[:-missing])


def test_without_a_key_no_body_is_read(process, make_key, clients):
    key = make_key("mine")
    assert http(process.port, "GET", "/v1/tasks", key=key).status == 200
    before = memory_bytes(process.pid)
    unknown = "sluice_" + "0" * 16 + "_" + "0" * 64
    for attempt in (None, None, unknown, key[:-1] + ("0" if key[-1] != "0" else "1")):
        client = clients(process.port)
        client.sendall(head("/v1/tasks", BODY_BYTES, attempt))
        assert status_of(client) == 401, "the answer waits for the body"
        send_but_the_end(client, bytes(BODY_BYTES))
    assert http(process.port, "POST", "/v1/tasks", {"prompt": "x"}, key=key).status == 202
    assert memory_bytes(process.pid) - before < 32 << 20


def test_a_short_body_without_a_key_is_read_and_dropped(process, clients):
    client = clients(process.port)
    for _ in range(2):  # its connection lives on
        client.sendall(head("/v1/tasks", 1 << 20) + bytes(1 << 20))
        assert status_of(client) == 401


def answer_to(client, request):
    """The status, and whether the connection was closed after one answer, of nothing else."""
    client.sendall(request)
    received = b""
    while part := client.recv(65536):
        received += part
    found = re.match(rb"HTTP/1\.1 (\d{3}) .*?\r\nContent-Length: (\d+)\r\n(?:.*?\r\n)?\r\n",
        received, re.S)
    assert found, received[:200]
    assert len(received) == found.end() + int(found[2]), received
    return int(found[1])


@pytest.mark.parametrize("path", ["/healthz", "/", "/v1/tasks", "/metrics"])
@pytest.mark.parametrize("count", [101, 500, 2_000, 16_000])
def test_many_arguments_are_answered_and_the_connection_closed(shared_process, clients, path,
        count):
    query_text = "&".join(["limit=1"] * count) if count < 2_000 else "&" * (count - 1)
    for request in (f"{path}?{query_text}", f"{path}?{query_text}%"):
        status = answer_to(clients(shared_process.port),
            f"GET {request} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert status == (414 if len(request) > 16 << 10 else 400)


@pytest.mark.parametrize("size,status", [(16 << 10, 200), ((16 << 10) + 1, 414), (30_000, 414)])
def test_the_longest_target_has_room_for_its_arguments(shared_process, clients, size, status):
    target = "/healthz?" + "a&" * 99
    target += "b" * (size - len(target))
    rest = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert answer_to(clients(shared_process.port), ("GET " + target + rest).encode()) == status
    bytewise = clients(shared_process.port)
    for begin in range(0, size, 100):
        bytewise.sendall((b"GET " if begin == 0 else b"") + target[begin:begin + 100].encode())
    assert answer_to(bytewise, rest.encode()) == status


def test_hundred_arguments_and_hundred_headers_are_served(process, clients):
    lines = ["GET /healthz?" + "&".join(["a=1"] * 100) + " HTTP/1.1",
        "Host: localhost", "Connection: close"]
    request = "\r\n".join(lines + ["X: y"] * 97 + ["", ""]).encode()
    assert answer_to(clients(process.port), request) == 200


@pytest.mark.parametrize("length", ["+26", "-1", "26, 26", "0x1a", "", "99999999999999999999"])
def test_a_bad_length_is_refused_and_nothing_after_it_is_read(shared_process, shared_key, clients,
        length):
    """libmicrohttpd before 1.0.0 repeats the head of this refusal of its own as the body of the
    first."""
    key, client = shared_key, clients(shared_process.port)
    client.sendall(head("/v1/tasks", length, key) + BODY + head("/v1/tasks", len(BODY), key) + BODY)
    received = b""
    with contextlib.suppress(ConnectionError):
        while part := client.recv(65536):
            received += part
    first, *repeated, _ = received.split(b"\r\n\r\n")
    assert re.match(rb"HTTP/1\.1 4(00|13) ", first) and b"\r\nConnection: close" in first
    assert repeated in ([], [first]), received
    assert http(shared_process.port, "GET", "/v1/tasks", key=key).json["data"] == []


def test_who_asks_before_it_sends_is_answered_before_it_sends(process, make_key, clients):
    client = clients(process.port)
    client.sendall(head("/v1/tasks", 100, Expect="100-continue"))
    assert status_of(client) == 401
    client = clients(process.port)
    client.sendall(head("/v1/tasks", len(BODY), make_key("k"), Expect="100-continue"))
    assert status_of(client) == 100
    client.sendall(BODY)
    assert status_of(client) == 202


def test_stalled_bodies_of_one_key_leave_room_for_others(process, make_key, clients):
    slow, mine = make_key("slow"), make_key("mine")
    before = memory_bytes(process.pid)
    body = bytes(BODY_BYTES)
    for _ in range(4):
        client = clients(process.port)
        client.sendall(head("/v1/tasks", BODY_BYTES, slow))
        send_but_the_end(client, body)
    for size in (1, 30 << 20):
        reply = http(process.port, "POST", "/v1/tasks",
            json.dumps({"prompt": "x" * size}), key=mine)
        assert reply.status in (202, 413), reply.body  # 413: all of it was read
    assert memory_bytes(process.pid) - before < 320 << 20


@unless_instrumented
def test_bodies_above_their_limit_take_no_memory_while_they_come_on(process, make_key, clients):
    key = make_key("greedy")
    assert http(process.port, "GET", "/v1/tasks", key=key).status == 200
    before = memory_bytes(process.pid)
    for _ in range(6):
        client = clients(process.port)
        client.sendall(head("/v1/tasks", 2 * BODY_BYTES, key))
        client.sendall(bytes(BODY_BYTES + (8 << 20)))
    assert http(process.port, "POST", "/v1/tasks", {"prompt": "x"}, key=key).status == 202
    assert memory_bytes(process.pid) - before < 192 << 20


def test_an_object_of_many_keys_is_refused_at_once(process, make_key):
    many = json.dumps({f"k{n}": 0 for n in range(300_000)})
    few = json.dumps({f"k{n}": 0 for n in range(15_000)})
    began = time.monotonic()
    for path, many in (("/v1/tasks", many), ("/v1/chat/completions", many),
            ("/v1/messages", many), ("/v1/tasks/cancel", few)):
        reply = http(process.port, "POST", path, many, key=make_key("hostile"))
        assert reply.status == 400, reply.body
        assert "more than 1000 keys" in reply.body
    assert time.monotonic() - began < 8  # what one took


def dear_to_read(kind):
    """A task that is dear, whatever its route makes of it."""
    return json.dumps({"model": "m", "prompt": "x"})[:-1] + {
        "lists": ', "metadata": {"a": [' + "[]," * 2_000_000 + "0]}}",
        "lists within 1 MiB": ', "metadata": {"a": [' + "[]," * 300_000 + "0]}}",
        "numbers": ', "priority": [' + "1e131071," * 7_000 + "0]}"}[kind]


@pytest.mark.parametrize("path, kind, status, words", [
    *((f"/v1/{path}", "lists", 400, "more than 400000 JSON values") for path in
        ("tasks", "chat/completions", "responses", "embeddings", "messages")),
    *((f"/v1/{path}", "lists", 413, "above 1 MiB") for path in
        ("tasks/cancel", "tasks/redrive", "tasks/forget", "jobs", "batches")),
    *((f"/v1/{path}", "lists within 1 MiB", 400, "more than 20000 JSON values") for path in
        ("tasks/cancel", "jobs", "batches")),
    ("/v1/messages/batches", "lists", 400, "an item of more than 400000 JSON values"),
    ("/v1/tasks", "numbers", 400, "an exponent of more than 3 digits")])
def test_json_that_is_dear_to_read_reaches_no_database(shared_url, shared_process, shared_key, path,
        kind, status, words):
    """A cancel of 47 MiB of lists took PostgreSQL 9.2 GB and 42 to 105 s, and others' bulk requests
    waited; a task of 63 kB of numbers 0.9 GB and 5 s."""
    reply = http(shared_process.port, "POST", path, dear_to_read(kind), key=shared_key)
    assert reply.status == status and words in reply.body, reply.body
    assert most_session_bytes(shared_url) < 300 << 20


def most_session_bytes(url):
    """The most memory that any of PostgreSQL's sessions has had."""
    most = 0
    for (pid,) in query(url, "select pid from pg_stat_activity where datname = current_database()"):
        with contextlib.suppress(FileNotFoundError, TypeError):  # a session may end meanwhile
            most = max(most, memory_bytes(pid, "VmHWM"))
    return most


TASK_MEMBERS = ("model", "tenant", "idempotency_key", "traceparent", "run_at", "priority",
    "max_attempts", "request")


@pytest.mark.parametrize("path, body", [
    *(("tasks", f'{{"prompt": "x", "{name}": LIST}}') for name in TASK_MEMBERS),
    ("tasks", '[{"prompt": "x", "model": LIST}]'),
    *((path, '{"model": LIST, "messages": []}') for path in
        ("chat/completions", "responses", "embeddings", "messages")),
    *(("messages/batches", f'{{"requests": [{request}]}}') for request in
        ('{"custom_id": LIST, "params": {"model": "m"}}',
        '{"custom_id": "a", "params": {"model": LIST}}')),
    *((f"tasks/{action}", '{"model": LIST}') for action in ("cancel", "redrive", "forget")),
    ("jobs", '{"action": "cancel", "filter": {"model": LIST}}'),
    ("batches", '{"input_file_id": LIST, "endpoint": "/v1/chat/completions"}')])
def test_numbers_that_are_long_when_written_reach_no_database(shared_url, shared_process,
        shared_key, path, body):
    """7 bytes became 1,001 characters, in some 17 copies: 250 KB of them held up everybody's tasks
    for half a minute, and 2.8 MB were 7 GB."""
    numbers = "[" + "1e-999," * 15_000 + "0]"
    reply = http(shared_process.port, "POST", f"/v1/{path}", body.replace("LIST", numbers),
        key=shared_key)
    assert reply.status == 400, reply.body[:1000]
    assert "the body has numbers whose exponents come to more than" in reply.body, reply.body[:1000]
    assert most_session_bytes(shared_url) < 100 << 20


def test_many_small_numbers_are_taken(process, make_key):
    numbers = "1.23e-05," * 2_000 + "1.7976931348623157e+308"
    body = f'{{"prompt": "x", "metadata": {{"a": [{numbers}]}}}}'
    reply = http(process.port, "POST", "/v1/tasks", body, key=make_key("mine"))
    assert reply.status == 202, reply.body


@pytest.mark.plain_build_only
@pytest.mark.parametrize("kind", ["metadata", "array", "request"])
def test_tasks_that_are_dear_to_read_hold_up_only_their_own_key(process, make_key, kind):
    """Each takes PostgreSQL seconds, when it has to look at its keys. The others' share no
    transaction with them, and wait for none."""
    hostile, mine = make_key("hostile"), make_key("mine")
    keys = {f"k{n}": 0 for n in range(300_000)}
    body = json.dumps({"metadata": {"prompt": "x", "metadata": keys},
            "array": [{"prompt": "x", "metadata": keys}], "request": {"request": keys}}[kind])
    with concurrent.futures.ThreadPoolExecutor(12) as threads:
        dear = [threads.submit(http, process.port, "POST", "/v1/tasks", body, key=hostile,
                timeout_s=120) for _ in range(12)]
        wait_for(lambda: any(reply.done() for reply in dear), 60, "the first of them")
        took = []
        while not all(reply.done() for reply in dear):
            began = time.monotonic()
            assert http(process.port, "POST", "/v1/tasks", BODY, key=mine).status == 202
            took.append(time.monotonic() - began)
        assert {reply.result().status for reply in dear} <= {202, 400,
            503}, [reply.result().body for reply in dear]
    # the first of them alone, in the transaction of all, took 14
    assert took and max(took) < 8, took


@pytest.mark.parametrize("path", ["/v1/tasks", "/v1/tasks?dry_run=true"])
def test_requests_in_strings_have_no_more_values_than_in_objects(process, make_key, path):
    """PostgreSQL read 1,600,000 messages of one array for 14 s, and other keys' arrays waited."""
    request = {"messages": [{"role": "user", "content": "a"}] * 6_600}
    tasks = [{"request": json.dumps(request)}] * 40
    reply = http(process.port, "POST", path, json.dumps(tasks), key=make_key("mine"))
    assert reply.status == 400 and "JSON values" in reply.body, reply.body
    reply = http(process.port, "POST", path, json.dumps(tasks[:2]), key=make_key("mine"))
    assert reply.status in (200, 202), reply.body


@pytest.mark.plain_build_only
def test_a_small_array_waits_for_no_large_one(url, process, make_key):
    """60 MB of one key kept another's array of two tasks waiting for 3 to 26 s."""
    hostile, mine = make_key("hostile"), make_key("mine")
    large = json.dumps([{"prompt": "x" * 3_000}] * 10_000)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        replies = [threads.submit(http, process.port, "POST", "/v1/tasks", large, key=hostile,
                timeout_s=120) for _ in range(3)]
        wait_for(lambda: query(url, "select count(*) from pg_stat_activity where state = 'active'"
                " and query ~ 'submit_array' and pid <> pg_backend_pid()") == [(1,)], 60,
            "the first of them")
        for body, waits in (([{"prompt": "x"}] * 2, False),
                ([{"prompt": "x", "metadata": {"schema_version": 1}}], True)):
            reply = http(process.port, "POST", "/v1/tasks", body, key=mine, timeout_s=60)
            assert reply.status == 202, reply.body
            assert any(reply.done() for reply in replies) == waits
        assert all(reply.result().status == 202 for reply in replies)


@pytest.mark.plain_build_only
def test_refused_arrays_of_one_key_hold_up_only_their_own_key(process, make_key, clients):
    """Each took PostgreSQL half a second, all of its sessions together, also when their clients had
    left."""
    hostile, mine = make_key("hostile"), make_key("mine")
    tasks = json.dumps([{"prompt": "abc"}] * 2_999 + [{"prompt": "x", "priority": 5_000}]).encode()
    assert len(tasks) < 64 << 10
    reply = http(process.port, "POST", "/v1/tasks", tasks, key=hostile)
    assert reply.status == 400 and "task 3000" in reply.body, reply.body
    request = head("/v1/tasks", len(tasks), hostile) + tasks
    burst = [clients(process.port) for _ in range(300)]
    for client in burst:
        client.sendall(request)
    began = time.monotonic()
    while time.monotonic() - began < 5:
        for path, body in (("/v1/tasks", BODY), ("/v1/tasks", [{"prompt": "x"}]),
                ("/v1/tasks?limit=1", None)):
            asked = time.monotonic()
            reply = http(process.port, "POST" if body else "GET", path, body, key=mine)
            assert reply.status in (200, 202), reply.body
            assert time.monotonic() - asked < 4, path
    for client in burst:
        client.close()
    asked = time.monotonic()
    assert http(process.port, "POST", "/v1/tasks", tasks, key=hostile).status == 400
    assert time.monotonic() - asked < 4, "those whose clients have left still take turns"


@pytest.mark.plain_build_only
@pytest.mark.parametrize("stay", [False, True], ids=["clients that leave", "clients that stay"])
def test_long_lists_of_one_key_hold_up_only_their_own_key(url, process, make_key, clients, stay):
    """All requests' statements waited in one line: with the lists of one key before them nobody
    else's were sent, also when their clients had left."""
    hostile, mine = make_key("hostile"), make_key("mine")
    request = head("/v1/batches?limit=100", 0, hostile, method="GET")
    with contextlib.closing(connect(url)) as other:
        other.cursor().execute("begin; lock table sluice.batch in access exclusive mode")
        burst = [clients(process.port) for _ in range(1_000)]
        for client in burst:
            client.sendall(request)
        waits = ("select count(*) from pg_stat_activity "
            "where wait_event_type = 'Lock' and query like '%list_batches%'")
        wait_for(lambda: query(url, waits)[0][0] >= 2, what="the first lists")
        assert query(url, waits) == [(2,)], "half of the four connections"
        for client in [] if stay else burst:
            client.close()
        began = time.monotonic()
        # longer than the server believes in a database that says nothing
        while time.monotonic() - began < 4:
            for path, body, key in (("/v1/tasks", BODY, mine), ("/v1/tasks?limit=1", None, mine),
                    ("/v1/tasks", BODY, hostile), ("/readyz", None, None)):
                asked = time.monotonic()
                reply = http(process.port, "POST" if body else "GET", path, body, key=key)
                assert reply.status in (200, 202), reply.body
                assert time.monotonic() - asked < 2, path
        assert query(url, waits)[0][0] <= 2, "half of them still, each for a second"
        other.cursor().execute("rollback")
    asked = time.monotonic()
    assert http(process.port, "GET", "/v1/batches?limit=100", key=hostile).status == 200
    assert time.monotonic() - asked < 4


def test_stalled_uploads_of_one_key_leave_room_for_others(process, make_key, clients):
    slow, mine = make_key("slow"), make_key("mine")
    content_type, body = form({"purpose": "batch"}, "x" * 100_000)
    stalled = [clients(process.port) for _ in range(12)]
    for client in stalled:
        client.sendall(head("/v1/files", len(body), slow, Content_Type=content_type) + body[:1000])
    wait_for(lambda: post_file(process.port, "y", key=slow).status == 503,
        what="the slow key's bound")
    assert post_file(process.port, "y", key=mine).status == 200
    stalled[0].sendall(body[1000:])
    assert status_of(stalled[0]) == 200


def test_connections_without_requests_keep_nobody_out(process, make_key, clients, many_files):
    key = make_key("mine")
    held = []
    for _ in range(10_050):
        held.append(clients(process.port))
        held[-1].sendall(b"GET /healthz HTTP/1.1\r\nX: ")
    begun = time.monotonic()
    assert http(process.port, "GET", "/healthz", timeout_s=10).status == 200
    assert http(process.port, "GET", "/v1/tasks", key=key, timeout_s=10).status == 200
    elsewhere = clients(process.port, "127.0.0.2")
    elsewhere.sendall(head("/v1/tasks", 0, key, method="GET"))
    assert status_of(elsewhere) == 200
    assert time.monotonic() - begun < 10
    assert is_closed(held[0]) and not is_closed(held[-1])


def test_waiting_requests_of_one_key_leave_room_for_others(url, process,
        make_key, clients, many_files):
    greedy, mine = make_key("greedy"), make_key("mine")
    task = submit(url, "x")
    request = head(f"/v1/tasks/{task}?wait=60s", 0, greedy, method="GET")
    for _ in range(5_001):
        last = clients(process.port)
        last.sendall(request)
    assert status_of(last) == 503
    assert http(process.port, "GET", f"/v1/tasks/{task}?wait=1ms", key=greedy).status == 503
    assert http(process.port, "GET", f"/v1/tasks/{task}?wait=1ms", key=mine).status == 200


@pytest.fixture
def large_things(url, process, make_key):
    """The paths of an ended task with an answer of 8 MB and of two files of 12 MB: of one line, and
    of lines that make parts of 1 MiB."""
    task = submit(url, "x")
    query(url, "select sluice.cancel(%s)", [task])
    query(url, "update sluice.result set answer = repeat(md5('x'), 250000) where task_id = %s",
        [task])
    key = make_key("of the files")
    files = [post_file(process.port, text, key=key)
        for text in ("y" * 12_000_000, ("y" * 999 + "\n") * 12_000)]
    assert [file.status for file in files] == [200, 200]
    line, parts = (f"/v1/files/{file.json['id']}/content" for file in files)
    return {"task": f"/v1/tasks/{task}", "events": f"/v1/tasks/{task}/events", "file": line,
        "parts": parts}


@unless_instrumented
@pytest.mark.parametrize("thing,count",
    [("task", 40), ("events", 40), ("file", 40), ("parts", 400)])
def test_answers_that_nobody_reads_are_bounded_in_memory(process, make_key,
        clients, large_things, thing, count):
    greedy, mine = make_key("greedy"), make_key("mine")
    assert http(process.port, "GET", large_things["task"], key=greedy).status == 200
    before = memory_bytes(process.pid)
    for _ in range(count):
        client = clients(process.port)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(head(large_things[thing], 0, greedy, method="GET"))
    answers = re.compile(r'^sluice_http_requests_total\{.*status="200"\} (\d+)', re.M)
    wait_for(lambda: sum(map(int, answers.findall(http(process.port, "GET", "/metrics").body)))
        >= count, 60, "all to be answered")
    wait_for(lambda: http(process.port, "GET", large_things["task"], key=greedy).status == 503, 60,
        "the greedy key's bound")
    held = memory_bytes(process.pid) - before
    print(f"{thing}: {held >> 20} MiB more, "
        f"{(memory_bytes(process.pid, 'VmHWM') - before) >> 20} at most")
    # 128 of the share, and what the allocator keeps; without a bound 320 and more
    assert held < 256 << 20
    assert http(process.port, "GET", large_things["task"], key=mine, timeout_s=20).status == 200
    assert http(process.port, "POST", "/v1/tasks", {"prompt": "x"}, key=mine).status == 202
    assert http(process.port, "POST", "/v1/tasks", {"prompt": "x"},
        key=greedy).status == 202, "a small answer has its place"


def test_a_stream_of_events_has_an_end(url, server, clients):
    task = submit(url, "x", run_at="2030-01-01")
    port = server(url, "--stream-life", "1s").port
    reply = http(port, "GET", f"/v1/tasks/{task}/events", timeout_s=20)
    assert reply.status == 200 and reply.body.startswith(
        "event: unsolved") and "ask anew" in reply.body


@pytest.mark.parametrize("path", ["/events", "?wait=60s"])
def test_what_a_revoked_key_has_open_ends(sluice, url, process, make_key, clients, path):
    key, other = make_key("mine"), make_key("other")
    task = submit(url, "the secret text", run_at="2030-01-01")
    mine, others = clients(process.port), clients(process.port)
    mine.sendall(head(f"/v1/tasks/{task}{path}", 0, key, method="GET"))
    others.sendall(head(f"/v1/tasks/{task}/events", 0, other, method="GET"))
    wait_for(lambda: "sluice_http_open_requests 3\n" in http(process.port, "GET", "/metrics").body,
        what="both to be open")
    assert sluice("key", "revoke", key[7:23], "--database-url", url).returncode == 0
    revoked = time.monotonic()
    received = b""
    while not received.startswith(b"HTTP/1.1 401 ") and (part := mine.recv(65536)):
        received += part
        assert time.monotonic() - revoked < 10, "it is still told"
    query(url, "select sluice.cancel(%s)", [task])
    assert b"secret text" not in received
    told = b""
    while b"secret text" not in told:
        part = others.recv(65536)
        assert part, "the other key's stream was cut off"
        told += part


def test_an_upload_of_a_revoked_key_ends(sluice, url, process, make_key, clients):
    key = make_key("mine")
    content_type, body = form({"purpose": "batch"}, "x" * 100_000)
    client = clients(process.port)
    client.sendall(head("/v1/files", len(body), key, Content_Type=content_type) + body[:1000])
    wait_for(lambda: "sluice_http_open_requests 2\n" in http(process.port, "GET", "/metrics").body,
        what="the upload")
    assert sluice("key", "revoke", key[7:23], "--database-url", url).returncode == 0
    wait_for(lambda: is_closed(client), 20, "the upload's end")


def test_health_has_a_listener_of_its_own(started, url, make_key):
    key = make_key("admin", "--scope", "admin")
    process = started("serve", "--database-url", url, "--listen", "127.0.0.1:0",
        "--health-listen", "127.0.0.1:0")
    process.wait_for_output("health and metrics on http://")
    port = int(re.search(r"health and metrics on http://127.0.0.1:(\d+)", process.stdout())[1])
    wait_for(lambda: http(port, "GET", "/readyz").status == 200, what="readiness")
    assert http(port, "GET", "/healthz").body == "ok\n"
    assert "sluice_http_open_requests" in http(port, "GET", "/metrics").body
    assert http(port, "GET", "/v1/tasks").status == 401
    assert http(port, "GET", "/v1/tasks", key=key).status == 404
    assert http(port, "POST", "/v1/tasks", {"prompt": "x"}, key=key).status == 404


@pytest.fixture(scope="module")
def port_without_keys(shared_url, started_once):
    return serve(started_once, shared_url).port


FOREIGN = [{"Host": "localhost:evil.com"}, {"Host": "localhost:80:evil"}, {"Host": "localhost:"},
    {"Host": "localhost.evil.com"}, {"Host": "127.0.0.1.evil.com"}, {"Host": "[::1]evil"},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "Cross-Site"}, {"Origin": "null"}, {"Origin": ""}, {"Sec-Fetch-Site": ""}]


@pytest.mark.parametrize("headers", FOREIGN, ids=lambda headers: "=".join(*headers.items()))
def test_without_keys_nothing_foreign_is_answered(port_without_keys, headers):
    assert http(port_without_keys, "GET", "/v1/tasks", headers=headers).status == 401
    assert http(port_without_keys, "GET", "/metrics", headers=headers).status == 401


@pytest.mark.parametrize("lines",
    [("Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"), ("Sec-Fetch-Site: same-origin",) * 2
        + ("Origin:",), ("Origin:", "Origin: http://evil.example")], ids=" ".join)
def test_without_keys_a_repeated_header_hides_nothing(port_without_keys, clients, lines):
    client = clients(port_without_keys)
    client.sendall(
        "\r\n".join(["GET /v1/tasks HTTP/1.1", "Host: localhost", *lines, "", ""]).encode())
    assert status_of(client) == 401


@pytest.mark.parametrize("headers", [{"Host": "localhost"}, {"Host": "localhost:1"},
        {"Host": "[::1]:8080"}, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin"}],
    ids=lambda headers: "=".join(*headers.items()))
def test_without_keys_what_is_from_here_is_answered(port_without_keys, headers):
    assert http(port_without_keys, "GET", "/v1/tasks", headers=headers).status == 200


def test_a_loopback_name_is_one_by_its_address(sluice, url):
    for listen in ("127.evil.invalid:0", "127.0.0.1.evil.invalid:0", "0.0.0.0:0"):
        refused = sluice("serve", "--without-keys", "--listen", listen, "--database-url", url)
        assert refused.returncode == 2 and "loopback" in refused.stderr, listen


@pytest.mark.parametrize("listen,warns", [("0.0.0.0:0", True), ("127.0.0.1:0", False)])
def test_plain_http_beyond_this_machine_is_warned_of(started, url, listen, warns):
    process = started("serve", "--database-url", url, "--listen", listen)
    process.wait_for_output("listening on http://")
    assert ("without TLS" in process.stderr()) == warns
    assert process.stop() == 0


@pytest.fixture
def tls_process(started, url, tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-keyout", tmp_path / "key.pem", "-out",
            tmp_path / "cert.pem"], check=True, capture_output=True)
    process = started("serve", "--database-url", url, "--listen", "127.0.0.1:0", "--tls-cert",
        tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem")
    process.wait_for_output("listening on https://")
    process.port = int(process.stdout().split(":")[-1])
    return process


def unverified():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return sum(
            map(int, stat.read().rpartition(") ")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def answers_a_second(client, for_s=2.0):
    """To requests one after the other on a connection, in the best quarter of the time: other
    programs run here, too."""
    begin, counts = time.monotonic(), [0] * 4
    while (quarter := int((time.monotonic() - begin) * 4 / for_s)) < 4:
        client.sendall(head("/healthz", 0, method="GET"))
        reply = b""
        while not reply.endswith(b"ok\n"):
            assert (part := client.recv(65536)), "it was cut off"
            reply += part
        counts[quarter] += 1
    return max(counts) * 4 / for_s


@unless_instrumented
def test_a_byte_and_silence_take_nothing_of_a_tls_listener(tls_process, clients, many_files):
    """libmicrohttpd takes a connection for ready as long as its handshake is unfinished, and tries
    it again and again."""
    asking = unverified().wrap_socket(clients(tls_process.port))
    alone = answers_a_second(asking)
    silent = [clients(tls_process.port)]
    silent[0].sendall(b"\x16")
    answers_a_second(asking, 0.1)
    before = cpu_s(tls_process.pid)
    time.sleep(2)  # what is measured is what happens meanwhile
    assert cpu_s(tls_process.pid) - before < 0.2
    for _ in range(600):
        silent.append(clients(tls_process.port))
        silent[-1].sendall(b"\x16")
    beside = answers_a_second(asking)
    print(f"{alone} answers a second alone, {beside} beside {len(silent)} silent ones")
    assert beside > alone / 4  # other tests come and go
    assert is_closed(silent[0]) and not is_closed(silent[-1])
    assert answers_a_second(unverified().wrap_socket(clients(tls_process.port, "127.0.0.2")), 0.1)
    wait_for(lambda: is_closed(silent[-1]), 20, "who asks for nothing to be closed")
    assert answers_a_second(asking, 0.1)


def test_a_slow_handshake_and_many_small_records_are_served(tls_process, clients):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls, client = unverified().wrap_bio(incoming, outgoing), clients(tls_process.port)

    def exchange(step, *arguments):
        while True:
            try:
                return step(*arguments)
            except ssl.SSLWantReadError:
                send_slowly()
                incoming.write(client.recv(65536))

    def send_slowly():
        data = outgoing.read()
        for begin in range(0, len(data), 64):
            client.sendall(data[begin:begin + 64])
            time.sleep(0.05)  # the client is slow

    exchange(tls.do_handshake)
    send_slowly()
    body = json.dumps({"prompt": "p" * 64_000}).encode()
    request = head("/v1/tasks", len(body)) + body  # without a key: 401 when all of it is there
    began = time.monotonic()
    for begin in range(0, len(request), 50):
        tls.write(request[begin:begin + 50])
    client.sendall(outgoing.read())
    assert exchange(tls.read, 65536).startswith(b"HTTP/1.1 401 ")
    assert time.monotonic() - began < 2


def chunked_head(path, key, **headers):
    return head(path, 0, key, Transfer_Encoding="chunked", **headers).replace(
        b"Content-Length: 0\r\n", b"")


def in_chunks(body, signature, size=300):
    """As clients of object stores stream, with trailers."""
    for begin in range(0, len(body), size):
        chunk = body[begin:begin + size]
        yield b"%x" % len(chunk) + signature + b"\r\n" + chunk + b"\r\n"
    yield b"0" + signature + b"\r\nX-Signature: " + b"0" * 64 + b"\r\n\r\n"


def send_what_there_is_room_for(client, data, begin):
    """Where in `data`, repeated without end, the next one begins."""
    with contextlib.suppress(BlockingIOError, ssl.SSLWantWriteError, ssl.SSLEOFError,
            ConnectionError):
        while True:
            begin = (begin + client.send(memoryview(data)[begin:])) % len(data)
    return begin


@pytest.mark.parametrize("flood", [b"1\r\n \r\n" * 10_000, b"1;" + b"a=b;" * 10_000,
    b"10000\r\n" + b" " * 65536 + b"\r\n"], ids=["bytes", "extension", "large"])
@pytest.mark.parametrize("server_of", ["process", "tls_process"])
def test_chunks_of_one_key_leave_the_front_to_others(request, make_key, clients, server_of, flood):
    """100 bodies of one-byte chunks held up another key's request for 20 s, chunk sizes without an
    end, of which libmicrohttpd reads no more, for a second."""
    port = request.getfixturevalue(server_of).port

    def connected():
        client = clients(port)
        return unverified().wrap_socket(client) if server_of == "tls_process" else client

    hostile, mine = make_key("hostile"), make_key("mine")
    flooding = {connected(): 0 for _ in range(100)}
    honest = connected()
    for client in flooding:
        client.sendall(chunked_head("/v1/tasks", hostile))
        client.setblocking(False)

    def is_taken(client, prompt, signature=b""):
        client.sendall(chunked_head("/v1/tasks", mine))
        client.sendall(b"".join(in_chunks(json.dumps({"prompt": prompt}).encode(), signature)))
        reply = b""
        while not reply.endswith(b"}\n") and (part := client.recv(65536)):
            reply += part
        return reply.startswith(b"HTTP/1.1 202 ")

    wait_for(lambda: is_taken(honest, "p"), what="the server's connection to its database")
    # libmicrohttpd 1.0.1 refuses all that have extensions, whoever sends them.
    signature = b";chunk-signature=" + b"0" * 64
    if not is_taken(connected(), "p", signature):
        signature = b""

    def flood_some():
        for client, begin in flooding.items():
            flooding[client] = send_what_there_is_room_for(client, flood, begin)

    took_s = []
    for _ in range(5):
        # Python 3.13 takes a failure for one of the thread's next call of TLS, too.
        with concurrent.futures.ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(flood_some).result()
        began = time.monotonic()
        assert is_taken(honest, "p" * 5_000, signature)
        took_s.append(time.monotonic() - began)
    print(took_s)
    assert statistics.median(took_s) < 0.5
    assert is_closed(next(iter(flooding))) == (flood[1:2] == b";")


def test_tls_takes_forward_secrecy_and_authenticated_encryption_only(tls_process):
    def handshake(ciphers, version):
        context = unverified()
        context.minimum_version = context.maximum_version = version
        context.set_ciphers(ciphers + ":@SECLEVEL=0")
        with socket.create_connection(("127.0.0.1", tls_process.port),
                30) as plain, context.wrap_socket(plain) as client:
            return client.cipher()[0]

    for weak in ("AES128-GCM-SHA256", "AES128-SHA", "AES256-SHA256", "ECDHE-RSA-AES128-SHA",
            "ECDHE-RSA-AES256-SHA384"):
        with pytest.raises(ssl.SSLError):
            handshake(weak, ssl.TLSVersion.TLSv1_2)
    for strong in ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384",
            "ECDHE-RSA-CHACHA20-POLY1305"):
        assert handshake(strong, ssl.TLSVersion.TLSv1_2) == strong
    assert handshake("ALL", ssl.TLSVersion.TLSv1_3).startswith("TLS_")


def test_errors_tell_nothing_of_the_database_server(url, server):
    port = server(url).port
    deep = '{"prompt": "x", "metadata": ' + "[" * 50_000 + "]" * 50_000 + "}"
    reply = http(port, "POST", "/v1/tasks", deep)
    assert reply.status == 400
    assert ("max_stack_depth" not in reply.body and "stack" not in reply.body
        and "kB" not in reply.body)


def test_nothing_follows_the_head_of_an_answer_in_parts_but_the_connections_end(
        process, make_key, url, clients):  # noqa: F811
    """The daemon sends the last chunk to HEAD, too: a proxy could take it for the next answer's
    beginning."""
    key = make_key("own")
    task = http(process.port, "POST", "/v1/tasks", BODY, key=key).json["id"]
    http(process.port, "DELETE", f"/v1/tasks/{task}", key=key)
    client = clients(process.port)
    client.sendall(f"HEAD /v1/tasks/{task}/events HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\n\r\n".encode())
    got = b""
    while piece := client.recv(65536):
        got += piece
    assert got.startswith(b"HTTP/1.1 200 ") and b"Connection: close\r\n" in got


def test_keys_of_an_import_are_refused_by_whatever_way_they_come(url, process, make_key):
    """The front is an administrator of the database, and its clients are not. With one of them a
    real task could be missing from an import."""
    key, name = make_key("mine"), "sluice import staging 1 2"
    for path, body, header in (("/v1/tasks", {"prompt": "x"}, name),
            ("/v1/tasks", {"prompt": "x", "idempotency_key": name}, None),
            ("/v1/tasks", [{"prompt": "x"}], name),
            ("/v1/tasks", [{"prompt": "x", "idempotency_key": name}], None)):
        reply = http(process.port, "POST", path, body, key=key,
            headers={"Idempotency-Key": header} if header else {})
        assert reply.status == 400 and "is for administrators" in reply.body, reply.body
    assert query(url, "select count(*) from sluice.task") == [(0,)]
