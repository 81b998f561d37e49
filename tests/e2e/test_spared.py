"""Calls that failed through no fault of their tasks: nothing was sent, the address is wrong, the
key is refused. And tasks that are to blame: theirs alone."""
import http.server
import itertools
import json
import socket
import threading
import time

import pytest
from conftest import free_port, http as request, query, wait_for
from queue_tools import (add_model, assert_each_ended_once, statuses, submit,
    submit_many, wait_ended, wait_idle)
from scripted_backend import ScriptedBackend, response
from test_backends import completion, error, says

pytestmark = pytest.mark.plain_build_only


def unsent_calls(url):
    return query(url, "select count(*) from sluice.attempts "
        "where kind = 'returned' and error_code = 'not_sent'")[0][0]


def parked(url):
    return query(url, "select closed_detail from sluice.models where closed_until = 'infinity'")


def test_a_lone_task_waits_for_its_server_to_come_back(pg, mock, worker):
    url, port = pg.database(), free_port()
    add_model(url, "m", f"http://127.0.0.1:{port}", max_attempts=1, breaker_open="300 ms",
        backoff_base="100 ms", backoff_max="300 ms")
    task = submit(url, "is anybody there?")
    worker(url)
    wait_for(lambda: unsent_calls(url) >= 8, 30,
        "more tries than it has attempts, and than open the breaker")
    assert query(url,
        "select from_state, to_state from sluice.breaker_event order by id limit 3") == [
        ("closed", "open"), ("open", "half_open"), ("half_open", "open")]
    assert query(url, "select attempts from sluice.tasks where id = %s", [task]) == [(0,)]
    said = wait_for(lambda: next((text for text, in query(url, "select sluice.explain(%s)", [task])
        if "uncharged" in text), None))
    assert f"nothing was sent to http://127.0.0.1:{port}/solve: " in said
    mock(port=port)
    assert wait_ended(url, 1) == {"solved": 1}
    assert query(url, "select attempts from sluice.tasks where id = %s", [task]) == [(1,)]
    assert_each_ended_once(url, [task])


def test_a_batch_of_tasks_waits_too_and_the_breaker_sends_one_at_a_time(pg, mock, worker):
    url, port = pg.database(), free_port()
    add_model(url, "m", f"http://127.0.0.1:{port}", max_attempts=1, breaker_open="1 s",
        batch_max=20, hedge_after="10 ms")
    tasks = submit_many(url, [f"prompt {i}" for i in range(500)]) + [submit(url,
        "urgent", priority=50)]
    worker(url)
    wait_for(lambda: query(url,
        "select count(*) from sluice.breaker_event where to_state = 'open'")[0][0] >= 3, 30,
        "probes")
    assert statuses(url) == {}
    mock(port=port)
    assert wait_ended(url, len(tasks)) == {"solved": len(tasks)}
    assert query(url, "select distinct attempts from sluice.tasks") == [(1,)]
    assert_each_ended_once(url, tasks)


@pytest.mark.parametrize("case", ["refused", "name", "tls"])
def test_what_can_never_be_sent_ends_with_its_reason(pg, worker, case):
    with socket.create_server(("127.0.0.1", 0)) as server:
        def hang_up():
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return
        threading.Thread(target=hang_up, daemon=True).start()
        url = pg.database()
        address = {"refused": f"http://127.0.0.1:{free_port()}", "name": "http://nobody.invalid",
                   "tls": f"https://127.0.0.1:{server.getsockname()[1]}"}[case]
        query(url, "update sluice.settings set unsent_timeout = '2 s'")
        add_model(url, "m", address.replace("://", "://user:hidden@"),
            backoff_base="100 ms", breaker_open="100 ms")
        task = submit(url, "is anybody there?")
        worker(url)
        assert wait_ended(url, 1) == {"failed": 1}
        [(code, attempts, said, waited)] = query(url, "select error_code, attempts, error, "
            "finished_at - created_at >= '2 s' from sluice.tasks where id = %s", [task])
        assert (code, attempts, waited) == ("not_sent", 1, True)
        assert said.startswith("nothing could be sent for 00:00:02 (settings.unsent_timeout): "
            f"nothing was sent to {address}/solve: ")
        assert unsent_calls(url) >= 2 and "hidden" not in said


def test_a_deadline_ends_what_cannot_be_sent(pg, worker):
    url = pg.database()
    add_model(url, "m", f"http://127.0.0.1:{free_port()}", breaker_open="100 ms")
    worker(url)
    wait_idle(url)
    query(url, "select sluice.submit('hello', 'm', deadline => clock_timestamp() + interval '2 s')")
    assert wait_ended(url, 1) == {"expired": 1}
    assert unsent_calls(url) >= 1


def test_a_wrong_path_costs_no_task_and_the_right_one_is_tried_by_one_call(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "100%:200ms-200ms")
    add_model(url, "m", backend.url.replace("http://", "http://user:hidden@"), api="openai-chat")
    tasks = submit_many(url, [f"prompt {i}" for i in range(3000)])
    worker(url)
    wait_for(lambda: parked(url), 30, "parking")
    assert parked(url)[0][0].startswith(
        f"refused: calls go to {backend.url}/chat/completions: HTTP 404")
    wait_for(lambda: query(url, "select count(*) from sluice.lease") == [(0,)],
        30, "the end of all calls")
    assert statuses(url) == {}
    assert query(url, "select max(attempts) from sluice.tasks") == [(0,)]
    # Opened without a change: calls for five more tasks, one at a time, and it is parked again. On
    # a slow machine some more: a task's wait may be over before the fifth has been called, and a
    # model whose row is locked is parked by the next call.
    [(last,)] = query(url, "select max(id) from sluice.attempt")
    query(url, "select sluice.resume('m')")
    wait_for(lambda: parked(url), 30, "parking again")
    [(calls, called)] = query(url,
        "select count(*), count(distinct task_id) from sluice.attempt where id > %s", [last])
    assert 5 <= called <= calls <= 10, (calls, called)
    assert statuses(url) == {}
    query(url, "update sluice.models set url = %s", [backend.url + "/v1"])
    assert wait_ended(url, len(tasks)) == {"solved": len(tasks)}
    assert query(url, "select distinct attempts from sluice.tasks") == [(1,)]
    arrivals = sorted(arrival["t_ns"] for arrival in backend.arrivals() if arrival["status"] == 200)
    assert arrivals[1] - arrivals[0] >= 200_000_000, "the first call went alone"
    assert_each_ended_once(url, tasks)


def test_a_path_that_is_wrong_for_one_task_is_that_tasks_failure(pg, worker):
    url = pg.database()
    with ScriptedBackend({"good": says(200, completion()),
            "lost": says(404, error("no such file"))}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", backoff_base="10 ms",
            backoff_max="100 ms", max_in_flight=2)
        tasks = submit_many(url, [name for _ in range(10) for name in ("good", "good",
            "lost", "good", "good")])
        worker(url)
        assert wait_ended(url, len(tasks)) == {"solved": 40, "failed": 10}
        assert query(url, "select distinct error_code, attempts, error from sluice.dead_letters "
            "join sluice.tasks using (id, error, error_code, attempts)") == [("http_404", 1,
                    f"calls go to {backend.url}/chat/completions: HTTP 404: no such file")]
        assert backend.calls.count("lost") == 30
        assert parked(url) == []


def test_a_task_that_a_guardrail_refuses_closes_the_model_for_nobody(pg, worker):
    url = pg.database()
    with ScriptedBackend({"good": says(200, completion()),
            "poison": says(403, "<html>blocked</html>")}) as backend:
        add_model(url, "m", backend.url, api="openai-chat",
            backoff_base="10 ms", backoff_max="10 ms")
        worker(url)
        poison = submit(url, "poison", tenant="attacker")
        assert wait_ended(url, 1) == {"failed": 1}
        assert backend.calls == ["poison"] * 3
        assert query(url, "select error_code, attempts from sluice.tasks where id = %s",
            [poison]) == [("http_403", 1)]
        assert parked(url) == []
        submit(url, "good")
        assert wait_ended(url, 2) == {"failed": 1, "solved": 1}


def test_a_tenant_whose_requests_are_refused_parks_the_model_for_nobody_else(pg, worker):
    """Its tasks wait while only it is refused, and fail when another was served meanwhile."""
    url = pg.database()
    with ScriptedBackend({"good": says(200, completion()),
            "flagged": says(403, error("your input was flagged"))}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", backoff_base="10 ms",
            backoff_max="100 ms")
        query(url, "update sluice.settings set heartbeat_timeout = '3 s'")
        worker(url)
        # While it is alone its refusals park the model, until another tenant asks for it.
        for _ in range(3):
            submit(url, "flagged", tenant="hostile")
        wait_for(lambda: parked(url), 20, "parking")
        submit(url, "good", tenant="other")
        wait_for(lambda: statuses(url).get("solved") == 1, 20, "the other tenant's answer")
        # Then the model has a witness.
        took = []
        for _ in range(20):
            for _ in range(3):
                submit(url, "flagged", tenant="hostile")
            begun = time.monotonic()
            task = submit(url, "good", tenant="other")
            wait_for(lambda: query(url, "select status from sluice.tasks where id = %s", [task])
                == [("solved",)], 20, "the other tenant's answer")
            took.append(time.monotonic() - begun)
            assert parked(url) == []
        assert sorted(took)[10] < 1, took
        # A task refused beside a model that works fails.
        def other_is_served():
            submit(url, "good", tenant="other")
            return statuses(url).get("failed") == 63
        wait_for(other_is_served, 30, "the end of what was refused")
        assert parked(url) == []


def test_a_revoked_key_costs_no_tenant_a_task(pg, worker):
    """Though one that is at work alone cannot know whether it is to blame."""
    url = pg.database()
    answers = {}

    def refuse_once(*request):
        answers["is"] = says(200, completion())
        says(403, error("no such key"))(*request)
    with ScriptedBackend({"any": lambda *request: answers["is"](*request)}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", backoff_base="10 ms",
            backoff_max="1 s", max_in_flight=4)
        query(url, "update sluice.settings set heartbeat_timeout = '3 s'")
        worker(url)
        # A refusal, so that the next success is heard; one, for a third would end the task.
        answers["is"] = refuse_once
        first = submit(url, "any", tenant="two")
        assert wait_ended(url, 1) == {"solved": 1}
        assert query(url, "select witness from sluice.refusal") == [("two",)]
        answers["is"] = says(403, error("no such key"))
        calls = len(backend.calls)
        # At once: the first of them alone would be refused three times, and fail.
        tasks = [task for task, in query(url, "select sluice.submit_many(%s)", [json.dumps(
            [{"prompt": "any", "model": "m", "tenant": "one"}] * 20)])]
        wait_for(lambda: len(backend.calls) >= calls + 100, 30, "five calls of each")
        assert parked(url) == [] and statuses(url) == {"solved": 1}
        # A second tenant's refusals say that it is the model.
        tasks += [submit(url, "any", tenant=tenant) for tenant in ("two", "three", "three")]
        wait_for(lambda: parked(url), 20, "parking")
        answers["is"] = says(200, completion())
        query(url, "select sluice.resume('m')")
        assert wait_ended(url, 24) == {"solved": 24}
        assert_each_ended_once(url, [first, *tasks])


def test_a_request_larger_than_its_quota_fails_alone_and_throttles_nobody(pg, worker):
    url = pg.database()
    too_large = error("Request too large for gpt-4o in organization org-x on tokens per min (TPM): "
                      "Limit 30000, Requested 50000.",
                      "tokens", "rate_limit_exceeded")
    with ScriptedBackend({"good": says(200, completion()),
            "large": says(429, too_large)}) as backend:
        add_model(url, "m", backend.url, api="openai-chat")
        worker(url)
        large = submit(url, "large")
        tasks = submit_many(url, ["good"] * 10)
        assert wait_ended(url, 11) == {"failed": 1, "solved": 10}
        assert query(url, "select error_code, attempts from sluice.tasks where id = %s",
            [large]) == [("http_429", 1)]
        assert backend.calls.count("large") == 1
        assert query(url, "select closed_until from sluice.models") == [(None,)]
        assert_each_ended_once(url, [large, *tasks])


class OnePath(http.server.ThreadingHTTPServer):
    """A backend of api solve that has one path; 404 for others. `calls`: (path, number of
    prompts)."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, path):
        self.calls = calls = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                prompts = body.get("prompts", [body.get("prompt")])
                calls.append((self.path, len(prompts)))
                answer = {"answers": prompts} if "prompts" in body else {"answer": prompts[0]}
                data = json.dumps(answer).encode() if self.path == path else b""
                self.send_response(200 if self.path == path else 404)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.mark.parametrize("path, batch_max",
    itertools.product(["/solve", "/single", "/batch"], [1, 20]))
def test_a_backend_that_offers_one_path_gets_all_its_calls_there(pg, worker,
        sluice, path, batch_max):
    url = pg.database()
    with OnePath(path) as backend:
        set_model = sluice("model", "set", "m", f"url={backend.url}", f"batch_max={batch_max}",
            f"paths={{{path}}}", "--database-url", url)
        assert set_model.returncode == 0, set_model.stderr
        tasks = submit_many(url, [f"prompt {i}" for i in range(100)]) + [submit(url,
            "urgent", priority=10)]
        worker(url)
        assert wait_ended(url, len(tasks)) == {"solved": len(tasks)}
        assert {called for called, _ in backend.calls} == {path}
        assert max(prompts for _, prompts in backend.calls) <= (batch_max
            if path == "/batch" else 1)
        assert sum(prompts for _, prompts in backend.calls) == len(tasks)
        backend.shutdown()


def test_paths_are_set_over_http_and_others_refused(pg, server):
    url = pg.database()
    port = server(url).port
    put = request(port, "PUT", "/v1/models/m",
        {"url": "http://127.0.0.1:1", "paths": ["/single", "/batch"]})
    assert (put.status, put.json["paths"]) == (200, ["/single", "/batch"])
    assert query(url, "select paths from sluice.models") == [(["/single", "/batch"],)]
    assert request(port, "PATCH", "/v1/models/m", {"paths": ["/other"]}).status == 400
    assert request(port, "PATCH", "/v1/models/m", {"paths": None}).json["paths"] is None
    assert "calls_changed_at" not in request(port, "GET", "/v1/models/m").json


def test_no_spelling_of_a_secret_is_stored(pg, worker):
    url, key = pg.database(), "sk-proj/never-stored-0123"
    spelled = "".join(f"\\u{ord(c):04x}" for c in key)
    pieces = "".join("data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]})
        + "\n\n" for piece in ["your key is ", key[:7], key[7:15], key[15:]])
    scripts = {
        "error": lambda c,
        h,
        _: c.sendall(response(400, '{"error":{"message":"no such key: %s"}}' % spelled)),
        "slash": lambda c,
        h,
        _: c.sendall(response(200, completion(key).replace("/", "\\/"))),
        "answer": lambda c,
        h,
        _: c.sendall(response(200, completion("KEY").replace("KEY", spelled))),
        "nested": lambda c,
        h,
        _: c.sendall(response(200,
                completion('{"key":"KEY"}').replace("KEY", spelled.replace("\\", "\\\\")))),
        "stream": lambda c,
        h,
        _: c.sendall(response(200, pieces + "data: [DONE]\n\n", "text/event-stream"))}
    with ScriptedBackend(scripts) as backend:
        add_model(url, "m", backend.url, api="openai-chat", secret="env:SLUICE_SECRET_M")
        submit_many(url, list(scripts))
        process = worker(url, "--secret-host",
            f"env:SLUICE_SECRET_M={backend.url.removesuffix('/v1')}", env={"SLUICE_SECRET_M": key})
        assert wait_ended(url, len(scripts)) == {"solved": 4, "failed": 1}
        stored = query(url, """
            select coalesce(prompt, '') || ' ' || coalesce(answer,
            '') || ' ' || coalesce(response, '') || ' ' || coalesce(error, '')
            from sluice.tasks""")
        for text, in stored:
            assert ("[secret]" in text and "never-stored" not in text
                and "u0073" not in text.lower()), text
        assert "never-stored" not in process.stderr()
