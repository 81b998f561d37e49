"""Tasks over HTTP: submit, look, wait, list, cancel, explain, redrive."""
import concurrent.futures
import json
import re
import threading
import time
from contextlib import closing
from http.client import HTTPConnection

import pytest
from conftest import connect, http, query, wait_for
from queue_tools import add_model, submit


@pytest.fixture
def front(pg, server):
    """A database with model m, and the port of a server on it."""
    class Front:
        url = pg.database()
    add_model(Front.url, "m", "http://127.0.0.1:1")
    Front.process = server(Front.url)
    Front.port = Front.process.port
    return Front


def prompts(url):
    return [row[0] for row in query(url, "select prompt from sluice.tasks order by id")]


def test_a_task_is_submitted_and_shown(front):
    reply = http(front.port, "POST", "/v1/tasks",
        {"prompt": "2+2?", "model": "m", "metadata": {"a": 1}})
    assert reply.status == 202
    task_id = reply.json["id"]
    assert reply.json == {"id": task_id, "model": "m"}
    assert reply.headers["Location"] == f"/v1/tasks/{task_id}"
    shown = http(front.port, "GET", f"/v1/tasks/{task_id}")
    assert shown.status == 200
    assert {k: shown.json[k] for k in ("id", "status", "model", "prompt",
        "metadata", "answer")} == {
        "id": task_id, "status": "queued", "model": "m", "prompt": "2+2?",
        "metadata": {"a": 1}, "answer": None}


def test_the_studys_path_and_its_priorities(front):
    for priority, number in (("hot", 50), ("cold", 0), (-7, -7)):
        task = http(front.port, "POST", "/task", {"prompt": "x", "priority": priority}).json["id"]
        assert http(front.port, "GET", f"/v1/tasks/{task}").json["priority"] == number


def test_an_array_is_all_or_none(front):
    ids = http(front.port, "POST", "/v1/tasks", [{"prompt": str(n)} for n in range(5)]).json["ids"]
    assert len(ids) == 5 and ids == sorted(ids)
    refused = http(front.port, "POST", "/v1/tasks",
        [{"prompt": "good"}, {"prompt": "bad", "model": "nobody"}])
    assert (refused.status, refused.error) == (404, "unknown_model")
    assert "task 2" in refused.json["error"]["message"]
    assert prompts(front.url) == [str(n) for n in range(5)]


def test_a_dry_run_tells_what_tasks_would_come_to(front):
    query(front.url, "update sluice.models set rpm = 60, input_price = 1, output_price = 4")
    query(front.url, "select sluice.register_worker('by hand', 10)")
    reply = http(front.port, "POST", "/v1/tasks?dry_run=true",
        [{"prompt": "x" * 4000, "max_output_tokens": 100}] * 60)
    assert reply.status == 200
    estimate = reply.json
    assert (estimate["object"], estimate["count"]) == ("estimate", 60)
    assert estimate["input_tokens"] == 60 * 1008 and estimate["output_tokens"] == 6000
    assert estimate["cost_min"] == pytest.approx((60_480 + 4 * 60) / 1e6)
    assert estimate["cost_max"] == pytest.approx((60 * 4064 + 4 * 6000) / 1e6)
    took = query(front.url, "select extract(epoch from %s::timestamptz - clock_timestamp())",
        [estimate["expected_finish"]])[0][0]
    assert 40 < took < 80
    assert http(front.port, "POST", "/task?dry_run=true", {"prompt": "x"}).json["count"] == 1
    for wrong, body in (("dry_run=yes", {"prompt": "x"}), ("dry_run=true", [{"promt": "x"}]),
            ("dry_run=true", "neither"), ("dry_run=", [{"prompt": "x"}])):
        assert http(front.port, "POST", f"/v1/tasks?{wrong}", body).status == 400
    assert prompts(front.url) == []
    assert http(front.port, "POST", "/v1/tasks?dry_run=false", {"prompt": "x"}).status == 202


def test_a_request_object_is_stored_verbatim(front):
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    body = '{"model": "chat", "request": {"b": 1e400,  "a": [1.10], "é": "\\u00e9"}}'
    task = http(front.port, "POST", "/v1/tasks", body.encode()).json["id"]
    assert query(front.url, "select request from sluice.tasks where id = %s", [task])[0][0] == (
        '{"b": 1e400,  "a": [1.10], "é": "\\u00e9"}')


def test_an_idempotency_key_makes_one_task(front):
    def post(prompt, key):
        return http(front.port, "POST", "/v1/tasks", {"prompt": prompt},
            headers={"Idempotency-Key": key})
    first = post("a", "k")
    assert post("a", "k").json == first.json
    other = post("b", "k")
    assert (other.status, other.error) == (422, "idempotency_key_reused")
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda n: post("same", f"key {n % 4}").json["id"], range(64)))
    assert len(set(replies)) == 4
    array = [http(front.port, "POST", "/v1/tasks", [{"prompt": "x"}, {"prompt": "y"}],
                  headers={"Idempotency-Key": "array"}).json for _ in range(2)]
    assert array[0] == array[1]
    assert len(prompts(front.url)) == 1 + 4 + 2


REFUSED = [
    ("", 400, "invalid_request"),
    ("nonsense", 400, "invalid_request"),
    ("7", 400, "invalid_request"),
    ('{"prompt": "x"', 400, "invalid_request"),
    ('{"prompt": "x"},{"prompt": "y"}', 400, "invalid_request"),
    ('{"prompt": "x"} trailing', 400, "invalid_request"),
    ('{"prompt": "x", "colour": 1}', 400, "invalid_request"),
    ('{"prompt": "x", "priority": 101}', 400, "invalid_request"),
    ('{"prompt": "x", "priority": "warm"}', 400, "invalid_request"),
    ("{}", 400, "invalid_request"),
    ('{"prompt": "\\u0000"}', 400, "invalid_request"),
    (b'{"prompt": "\xff"}', 400, "invalid_request"),
    ('{"prompt": "x", "model": "nobody"}', 404, "unknown_model"),
    ('{"prompt": "x", "metadata": ' + "[" * 100_000 + "]" * 100_000 + "}", 400, "invalid_request"),
    ("[" * 100_000 + "]" * 100_000, 400, "invalid_request"),
    ("[]", 400, "invalid_request"),
    ("[1]", 400, "invalid_request"),
    ('{"prompt": "x"}\0', 400, "invalid_request"),
    ('[{"prompt": "x"}\0]', 400, "invalid_request")]


# A faulty body, the key at fault, and the words of the error.
FAULTS = [
    ({"priority": "urgent"}, "priority", ['priority "urgent"', "-100 to 100", "hot"]),
    ({"priority": 101}, "priority", ["101", "-100 and 100"]),
    ({"deadline": "soon"}, "deadline", ['deadline "soon"', "2030-01-01"]),
    ({"deadline": "2020-01-01T00:00:00Z"}, "deadline", ["2020", "past"]),
    ({"prompt": 42}, "prompt", ["a JSON number", "not a string"]),
    ({"prompt": ""}, "prompt", ["empty"]),
    ({"prompt": None}, "prompt", ["exactly one"]), ({"prompt": ["x"]}, "prompt", ["a JSON array"]),
    ({"max_attempts": 0}, "max_attempts", ["0", "between 1 and 100"]),
    ({"colour": 1}, "colour", ['"colour"', "priority"]),
    ({"metadata": [1]}, "metadata", ["array", "object"]), ({"tenant": ""}, "tenant", ["1 to 200"]),
    ({"batch_id": "one"}, "batch_id", ['"one"', "whole number"]),
    ({"request": "{"}, "prompt", ["exactly one"]),
    ({"model": "nobody"}, "model", ['"nobody"', "Known are any, m"]),
]


def test_a_refused_task_is_told_its_key_and_what_is_allowed(front):
    for change, param, words in FAULTS:
        for body in ({"prompt": "x", **change}, [{"prompt": "y"}, {"prompt": "x", **change}]):
            reply = http(front.port, "POST", "/v1/tasks", body)
            error = reply.json["error"]
            assert reply.status == (404 if param == "model"
                else 400) and error["param"] == param, reply.body
            assert all(word in f"{error['message']} {error['hint']}" for word in words), reply.body
            assert not re.search("violates|invalid input syntax|constraint", reply.body)
            assert isinstance(body, dict) or "task 2" in error["message"]
    malformed = http(front.port, "POST", "/v1/tasks", '{"prompt": nope}').json["error"]
    assert "not valid JSON" in malformed["message"]
    assert prompts(front.url) == []


def test_a_task_without_a_model_goes_to_the_default_and_the_answer_says_where(front):
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat", paused=True)
    for default in ("m", "any"):
        query(front.url, "update sluice.settings set default_model = %s", [default])
        one = http(front.port, "POST", "/v1/tasks", {"prompt": "x"}).json
        assert one["model"] == default
        assert http(front.port, "POST", "/v1/tasks",
            [{"prompt": "x"}, {"prompt": "x", "model": "chat"}]).json["models"] == [default, "chat"]
        explained = http(front.port, "GET", f"/v1/tasks/{one['id']}/explain").json["explanation"]
        assert ("queued for route any" if default == "any" else "queued for m") in explained
    query(front.url, "update sluice.settings set default_model = null")
    for body in ({"prompt": "x"}, [{"prompt": "x"}], {"prompt": "x", "model": None}):
        refused = http(front.port, "POST", "/v1/tasks", body)
        assert (refused.status, refused.error, refused.json["error"]["param"]) == (404,
            "unknown_model", "model")
        assert "Name one of any, chat, m, or set" in refused.json["error"]["hint"]
    assert http(front.port, "POST", "/v1/chat/completions",
        {"messages": []}).error == "unknown_model"
    query(front.url, "update sluice.settings set default_model = 'm'")
    assert "speaks solve" in http(front.port, "POST", "/v1/chat/completions",
        {"messages": []}).json["error"]["message"]


def test_a_migrated_database_has_no_default(pg, sluice):
    url = pg.empty_database()
    assert sluice("migrate", "--database-url", url).returncode == 0
    refused = sluice("submit", "--prompt", "x", "--database-url", url)
    assert (refused.returncode == 1 and "names no model" in refused.stderr
        and "default_model" in refused.stderr)


def test_what_cannot_be_a_task_is_refused_and_nothing_is_stored(front):
    for body, status, error in REFUSED:
        reply = http(front.port, "POST", "/v1/tasks", body)
        assert (reply.status, reply.error) == (status, error), body[:80]
        assert prompts(front.url) == []
    assert http(front.port, "POST", "/v1/tasks", {"prompt": "next"}).status == 202


def test_tasks_that_are_submitted_together_are_refused_one_by_one(front):
    def post(number):
        model = "nobody" if number % 7 == 0 else "m"
        return number, http(front.port, "POST", "/v1/tasks",
            {"prompt": str(number), "model": model}).status
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        replies = list(pool.map(post, range(200)))
    assert all(status == (404 if number % 7 == 0 else 202) for number, status in replies)
    assert sorted(map(int, prompts(front.url))) == [n for n in range(200) if n % 7]


def test_poison_in_a_header_hurts_its_sender_alone(front):
    def post(number):
        poisoned = number % 5 == 0
        headers = {"Idempotency-Key": b"\xff" if poisoned else str(number), "traceparent": b"\xff"
            if poisoned else b"00-1"}
        path, body = ("/v1/tasks", {"prompt": str(number)}) if number % 2 else (
            "/v1/chat/completions", {"model": "chat"})
        return http(front.port, "POST", path, body, headers=headers, timeout_s=60)
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        waiting = [pool.submit(post, number) for number in range(50)]
        wait_for(lambda: query(front.url, "select count(*) from sluice.tasks") == [(40,)],
            what="the others' tasks")
        query(front.url, "select sluice.cancel_all('chat')")
        statuses = [reply.result().status for reply in waiting]
    assert statuses == [400 if n % 5 == 0 else 202 if n % 2 else 409 for n in range(50)]


def test_while_the_database_does_not_answer_requests_are_refused_at_once(front):
    session = connect(front.url)
    session.autocommit = False
    try:
        session.cursor().execute("lock table sluice.api_key in access exclusive mode")
        wait_for(lambda: http(front.port, "GET", "/readyz").status == 503, what="readiness to end")
        begun = time.monotonic()
        refused = http(front.port, "POST", "/v1/tasks", {"prompt": "x"})
        assert (refused.status, refused.error) == (503,
            "unavailable") and time.monotonic() - begun < 5
        assert http(front.port, "GET", "/metrics").status == 200
    finally:
        session.close()
    wait_for(lambda: http(front.port, "POST", "/v1/tasks", {"prompt": "x"}).status == 202,
        what="the database")


def test_a_full_model_is_503_with_the_time_to_come_back(front):
    query(front.url, "update sluice.models set max_unfinished = 3, rpm = 6")
    replies = [http(front.port, "POST", "/v1/tasks", {"prompt": str(n)}) for n in range(10)]
    refused = [reply for reply in replies if reply.status == 503]
    assert refused and all(reply.error == "overloaded" for reply in refused)
    assert all(1 <= int(reply.headers["Retry-After"]) <= 60 for reply in refused)
    assert len(prompts(front.url)) == len(replies) - len(refused)


@pytest.mark.parametrize("cheap_ms", (60000, -1))
def test_at_critical_pressure_http_is_refused_and_sql_is_not(front, cheap_ms):
    query(front.url, "create or replace function sluice.count_cheap_ms() returns int "
        f"language sql immutable parallel safe as 'select {cheap_ms}'")
    query(front.url, "update sluice.models set max_unfinished = 20")
    statuses = [http(front.port, "POST", "/v1/tasks", {"prompt": str(n)}).status for n in range(20)]
    assert statuses == [202] * 17 + [503] * 3
    refused = http(front.port, "POST", "/v1/tasks", [{"prompt": "x"}])
    assert (refused.status, refused.error) == (503,
        "overloaded") and 1 <= int(refused.headers["Retry-After"]) <= 60
    # However long the front's counts took, SQL goes by their number.
    assert query(front.url, "select sluice.counter('load', id) from sluice.models") == [(17,)]
    submit(front.url, "from SQL")


def test_a_tenant_over_its_cap_is_429(front):
    query(front.url, "insert into sluice.tenants (name, max_unfinished) values ('t', 1)")
    statuses = [http(front.port, "POST", "/v1/tasks", {"prompt": "x", "tenant": "t"}).status
        for _ in range(3)]
    assert statuses == [202, 429, 429]


def test_a_wait_ends_with_the_task(front, mock, worker):
    query(front.url, "update sluice.models set url = %s", [mock("--latency", "1s").url])
    task = http(front.port, "POST", "/v1/tasks", {"prompt": "x"}).json["id"]
    begun = time.monotonic()
    early = http(front.port, "GET", f"/v1/tasks/{task}?wait=200ms")
    assert early.json["status"] == "queued" and 0.2 <= time.monotonic() - begun < 10
    worker(front.url)
    shown = http(front.port, "GET", f"/v1/tasks/{task}?wait=30s")
    assert shown.json["status"] == "solved" and shown.json["answer"]
    assert http(front.port, "GET", f"/v1/tasks/{task}?wait=30s").json == shown.json


def events_of(reply):
    return [dict(line.split(": ", 1) for line in event.split("\n"))
        for event in reply.body.split("\n\n") if event.startswith("event: ")]


def test_events_tell_each_state_and_the_end(front, mock, worker):
    query(front.url, "update sluice.models set url = %s", [mock("--latency", "1s").url])
    task = http(front.port, "POST", "/v1/tasks", {"prompt": "x"}).json["id"]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        streamed = pool.submit(http, front.port, "GET", f"/v1/tasks/{task}/events")
        wait_for(lambda: open_requests(front) >= 2, what="the stream")
        worker(front.url)
        events = events_of(streamed.result(60))
    assert events[0]["event"] == "queued" and json.loads(events[0]["data"])["id"] == task
    assert events[-1]["event"] == "solved" and json.loads(events[-1]["data"])["answer"]
    ended = events_of(http(front.port, "GET", f"/v1/tasks/{task}/events"))
    assert [event["event"] for event in ended] == ["solved"]
    assert http(front.port, "GET", "/v1/tasks/999999/events").status == 404


def test_many_waits_share_the_connections_and_all_end(front):
    ids = http(front.port, "POST", "/v1/tasks",
        [{"prompt": str(n)} for n in range(100)]).json["ids"]
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        waits = [pool.submit(http, front.port, "GET", f"/v1/tasks/{task}?wait=60s") for task in ids]
        wait_for(lambda: open_requests(front) > 100, what="100 waits")
        sessions = query(front.url, "select count(*) from pg_stat_activity "
            "where application_name = 'sluice' and datname = current_database()")[0][0]
        # four, one for the server itself, one for what takes seconds, one for arrays
        assert sessions <= 7
        query(front.url, "select sluice.cancel_all(model => 'any')")
        assert {wait.result(20).json["status"] for wait in waits} == {"cancelled"}


def open_requests(front):
    metrics = http(front.port, "GET", "/metrics").body
    return float(metrics.split("\nsluice_http_open_requests ")[1].split()[0])


def test_lists_page_through_all_and_filter(front):
    ids = http(front.port, "POST", "/v1/tasks", [{"prompt": str(n)} for n in range(45)]).json["ids"]
    seen, after = [], ""
    while True:
        page = http(front.port, "GET", f"/v1/tasks?limit=10{after}").json
        seen += [task["id"] for task in page["data"]]
        if not page["has_more"]:
            break
        after = f"&after={page['next']}"
    assert seen == sorted(ids, reverse=True)
    assert "prompt" not in page["data"][0]
    http(front.port, "DELETE", f"/v1/tasks/{ids[3]}")
    assert [t["id"] for t in http(front.port, "GET",
        "/v1/tasks?status=cancelled").json["data"]] == [ids[3]]
    assert http(front.port, "GET", "/v1/tasks?model=other").json["data"] == []
    assert http(front.port, "GET", "/v1/tasks?tenant=other").json["data"] == []
    for wrong in ("limit=0", "limit=x", "limit=101", "status=lost", "after=x", "colour=red",
            "batch_id=x", "after=%zz"):
        assert http(front.port, "GET", f"/v1/tasks?{wrong}").status == 400, wrong


def test_a_task_is_explained_cancelled_and_redriven(front):
    task = submit(front.url, "x")
    path = f"/v1/tasks/{task}"
    assert "no live worker" in http(front.port, "GET", f"{path}/explain").json["explanation"]
    assert http(front.port, "POST", f"{path}/redrive").status == 400  # still unfinished
    assert http(front.port, "DELETE", path).json == {"id": task, "status": "cancelled"}
    assert http(front.port, "POST", f"{path}/redrive").status == 202
    assert http(front.port, "GET", path).json["status"] == "queued"


def test_unknown_ids_paths_and_methods(front):
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/explain"), ("POST", "/redrive"),
            ("GET", "?wait=1s"), ("GET", "/events")):
        for task in ("999999", "0", "-1", "x", "1e3", "9" * 30, "1%2F2", "%00"):
            assert http(front.port, method, f"/v1/tasks/{task}{path}").status == 404, (method, task,
                path)
    def said(method, path, *body):
        return http(front.port, method, path, *body).json["error"]["message"]
    assert said("GET", "/v1/tasks/999999") == "there is no task 999999"
    assert said("GET", "/v1/tasks/x") == 'there is no task "x"'
    assert said("GET", "/v1/nothing") == 'there is no path "/v1/nothing"'
    assert said("GET", "/v1/" + "n" * 900) == f'there is no path "/v1/{"n" * 46}…"'
    assert said("POST", "/v1/tasks", '{"prompt": "x", ') == (
        "not a JSON object: it ends at byte 16, before the object does")
    assert http(front.port, "GET", "/v1/nothing").status == 404
    assert "the console, for browsers, at /console/" in (
        http(front.port, "GET", "/").json["error"]["hint"])
    assert http(front.port, "GET", "/v1/tasks/").status == 404
    wrong = http(front.port, "PUT", "/v1/tasks")
    assert (wrong.status, wrong.headers["Allow"]) == (405, "POST, GET")


def test_a_drain_answers_who_waits_and_exits_0(front):
    task = submit(front.url, "x")
    waiting = threading.Thread(target=lambda: replies.append(http(front.port, "GET",
        f"/v1/tasks/{task}?wait=60s")))
    replies = []
    waiting.start()
    wait_for(lambda: open_requests(front) >= 2, what="the wait")
    assert front.process.stop() == 0
    waiting.join(20)
    assert replies[0].json["status"] == "queued"


def test_a_database_that_restarts_is_503_and_then_works_again(pg, server):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    port = server(url).port
    pg.stop()
    try:
        wait_for(lambda: http(port, "GET", "/readyz").status == 503, what="readiness to end")
        refused = http(port, "POST", "/v1/tasks", {"prompt": "x"})
        assert (refused.status, refused.error) == (503,
            "unavailable") and int(refused.headers["Retry-After"]) > 0
        assert http(port, "GET", "/healthz").status == 200
    finally:
        pg.start()
    wait_for(lambda: http(port, "GET", "/readyz").status == 200, what="readiness")
    assert http(port, "POST", "/v1/tasks", {"prompt": "x"}).status == 202
    assert prompts(url) == ["x"]


def breaker_state(port):
    return re.search(r"^sluice_http_database_breaker_state (\d)",
        http(port, "GET", "/metrics").body, re.M)[1]


def test_after_failures_in_a_row_the_breaker_refuses_until_the_database_works_again(pg, server):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    port = server(url, "--breaker-failures", "2", "--breaker-open", "6s",
        "--db-connections", "4").port
    holder = connect(url)
    holder.autocommit = False
    holder.cursor().execute("lock table sluice.task in access exclusive mode")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        lost = [pool.submit(http, port, "GET", "/v1/tasks") for _ in range(2)]
        waiting = ("select pid from pg_stat_activity "
            "where wait_event_type = 'Lock' and datname = current_database()")
        wait_for(lambda: len(query(url, waiting)) == 2, what="both to wait")
        query(url, f"select pg_terminate_backend(pid) from ({waiting}) w")
        assert {reply.result().status for reply in lost} <= {503, 504}
    holder.close()
    assert breaker_state(port) == "2"
    wait_for(lambda: http(port, "GET", "/readyz").status == 200, what="connections")
    refused = http(port, "POST", "/v1/tasks", {"prompt": "x"})
    assert (refused.status, refused.error) == (503,
        "unavailable") and 1 <= int(refused.headers["Retry-After"]) <= 6
    assert "again and again" in refused.json["error"]["message"]
    wait_for(lambda: breaker_state(port) == "1", what="the time to try")
    for _ in range(2):
        assert http(port, "POST", "/v1/tasks", {"prompt": "after"}).status == 202
    assert breaker_state(port) == "0"
    assert prompts(url) == ["after", "after"]


def test_prompts_and_answers_are_in_no_log(front):
    http(front.port, "POST", "/v1/tasks", {"prompt": "my secret words",
        "priority": "my secret words"})
    http(front.port, "GET", "/v1/tasks/my%20secret%20words?x=my%20secret%20words")
    assert "secret" not in front.process.stderr() and "secret" not in http(front.port, "GET",
        "/metrics").body


def test_metrics_count_by_route(front):
    http(front.port, "POST", "/v1/tasks", {"prompt": "x"})
    http(front.port, "GET", "/v1/tasks/123456")
    http(front.port, "GET", "/a/path/of/the/client")
    metrics = http(front.port, "GET", "/metrics").body
    assert 'sluice_http_requests_total{method="POST",route="/v1/tasks",status="202"} 1' in metrics
    assert 'sluice_http_requests_total{method="GET",route="/v1/tasks/{}",status="404"} 1' in metrics
    assert "of/the/client" not in metrics
    assert json.loads(http(front.port, "GET", "/readyz").body) == {"ready": True}


@pytest.mark.parametrize("method, path, body", [("GET", "/v1/tasks/{}?wait=60s", ""),
    ("POST", "/v1/chat/completions", '{"model": "m", "messages": []}')])
def test_a_wait_whose_client_has_gone_gives_its_place_back(front, method, path, body):
    query(front.url, "update sluice.models set api = 'openai-chat', paused = true")
    task = query(front.url, "select sluice.submit('x', 'm')")[0][0]
    alone = open_requests(front)
    with closing(HTTPConnection("127.0.0.1", front.port, timeout=30)) as waiting:
        waiting.request(method, path.format(task), body)
        wait_for(lambda: open_requests(front) == alone + 1, 20, "the wait")
    wait_for(lambda: open_requests(front) == alone, 20, "its place")
