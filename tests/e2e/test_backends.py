"""What model APIs answer, decent or not: every task gets its right end, and the worker stays as it
was."""
import json
import subprocess
import time

import pytest
from conftest import memory_bytes, query, wait_for
from queue_tools import add_model, assert_each_ended_once, submit, submit_many, wait_ended
from scripted_backend import EVENTS, ScriptedBackend, reset, response

GIGABYTE = 1 << 30
# Of the worker, while it is sent a gigabyte three times: an answer may take 32 MiB, and twice that
# while it grows.
GROWTH_BYTES_MAX = 200 << 20


def completion(text="fine", **more):
    return json.dumps({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
        **more})


def error(message="no", kind=None, code=None):
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}})


def says(*arguments, **named):
    """A script that sends one response."""
    return lambda connection, *_: connection.sendall(response(*arguments, **named))


def sends(data):
    """A script that sends these bytes and closes."""
    return lambda connection, *_: connection.sendall(data)


def event(data):
    return b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"


def delta(text, finish=None):
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})


STREAM_HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: {EVENTS}\r\nConnection: close\r\n\r\n".encode()


def endless(head, piece):
    def script(connection, *_):
        connection.sendall(head)
        for _ in range(GIGABYTE // len(piece)):
            connection.sendall(piece)
    return script


def slow_loris(connection, *_):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def slow_headers(connection, *_):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-Slow: 1\r\n")
        time.sleep(0.05)


def reset_in_body(connection, *_):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"choices\":")
    reset(connection)


def reset_in_stream(connection, *_):
    connection.sendall(STREAM_HEAD + delta("half"))
    reset(connection)


# A task that fails for good at once: name → (script, error_code).
FAILING = {
    "moved": (says(302, "", headers=["Location: http://127.0.0.1:9/"]), "http_302"),
    "bad_request": (says(400, error(kind="invalid_request_error")), "http_400"),
    "too_long": (says(400, error(code="context_length_exceeded")), "context_too_long"),
    "filtered": (says(400, error(code="content_filter")), "content_refused"),
    "no_model": (says(404, '{"error":"model not found, try pulling it first"}'), "http_404"),
    "large": (says(413, "<html>too large</html>", content_type="text/html"), "http_413"),
    "unsupported": (says(415), "http_415"),
    "unprocessable": (says(422, '{"detail":[{"msg":"field required"}]}'), "http_422"),
    "no_retry": (says(503, "", headers=["x-should-retry: false"]), "http_503"),
    "stream_bad": (says(200, event({"error": {"message": "x", "type": "invalid_request_error"}}),
            EVENTS), "http_400"),
    "gigabyte": (
        endless(f"HTTP/1.1 200 OK\r\nContent-Length: {GIGABYTE}\r\n\r\n".encode(), b"x" * 65536),
        "response_too_large"),
    "endless_stream": (endless(STREAM_HEAD, delta("x" * 60000)), "response_too_large"),
    "endless_line": (endless(STREAM_HEAD, b"x" * 65536), "response_too_large"),
    "endless_headers": (endless(b"HTTP/1.1 200 OK\r\n", b"X-Filler: " + b"x" * 1000 + b"\r\n"),
        "response_too_large")}

# One that is tried twice, with max_attempts 2.
RETRIED = {
    "timeout_408": (says(408), "http_408"),
    "conflict": (says(409), "http_409"),
    "early": (says(425), "http_425"),
    "internal": (says(500, error(kind="server_error")), "http_500"),
    "gateway": (says(502, "<html>Bad Gateway</html>", content_type="text/html"), "http_502"),
    "busy": (says(503, '{"error":"server busy, please try again.  '
            'maximum pending requests exceeded"}'), "http_503"),
    "loading": (says(503, '{"error":{"code":503,"message":"Loading '
            'model","type":"unavailable_error"}}'), "http_503"),
    "gateway_timeout": (says(504), "http_504"),
    "cloudflare": (says(520), "http_520"),
    "yes_retry": (says(400, "", headers=["x-should-retry: true"]), "http_400"),
    "html": (says(200, "<html>welcome</html>", content_type="text/html"), "bad_response"),
    "empty": (says(200), "bad_response"),
    "truncated": (says(200, completion()[:-5]), "bad_response"),
    "no_choices": (says(200, "{}"), "bad_response"),
    "deep": (says(200, b'{"choices":' + b"[" * 1000000), "bad_response"),
    "not_utf8": (says(200, b'{"choices":[{"message":{"content":"\xff\xfe"}}]}'), "bad_response"),
    "stream_error": (says(200, delta("half")
            + event({"error": {"message": "x", "type": "server_error"}}), EVENTS), "http_500"),
    "stream_cut": (sends(STREAM_HEAD + delta("half")), "broken_stream"),
    "stream_garbled": (sends(STREAM_HEAD + event(b'{"choices":') + event(b"[DONE]")),
        "broken_stream"),
    "stream_reset": (reset_in_stream, "unanswered"),
    "reset": (reset_in_body, "unanswered"),
    "hangs_up": (sends(b""), "unanswered"),
    "short": (sends(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"), "unanswered"),
    "no_http": (sends(b"\x16\x03\x01\x00garbage \xff\xfe\r\n\r\n"), "unanswered"),
    "garbage_headers": (sends(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n" + completion().encode()),
        "unanswered"),
    "bad_chunks": (sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "unanswered"),
    "loris": (slow_loris, "timeout"),
    "loris_headers": (slow_headers, "timeout")}

SOLVED = {
    "plain": says(200, completion()),
    "stream": sends(STREAM_HEAD + delta("fi") + delta("ne", "stop")
        + event({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}})
        + event(b"[DONE]")),
    "cut": says(200, completion().replace('"stop"', '"length"')),
    "odd_headers": sends(
        b"HTTP/1.1 200 OK\r\n\xff\xfe: \x01\r\n: nameless\r\nX-RateLimit-Remaining-Tokens: many\r\n"
        b"Connection: close\r\n\r\n" + completion().encode()),
    "huge_usage": says(200, json.dumps({"choices": [{"message": {"content": "fine"}}],
                "usage": {"prompt_tokens": 10**18, "completion_tokens": -7}}))}


def test_every_failure_of_a_backend_has_its_end_and_leaves_no_trace_in_the_worker(pg, worker):
    url = pg.database()
    scripts = SOLVED | {name: script for name, (script, _) in {**FAILING, **RETRIED}.items()}
    with ScriptedBackend(scripts) as backend:
        for name in scripts:
            add_model(url, name, backend.url, api="openai-chat", max_attempts=2,
                backoff_base="10 milliseconds", backoff_max="10 milliseconds",
                timeout="2 seconds" if "loris" in name else "60 seconds", breaker_failures=1000)
        process = worker(url)
        tasks = {name: submit(url, name, name) for name in SOLVED}
        assert wait_ended(url, len(SOLVED)) == {"solved": len(SOLVED)}
        before = memory_bytes(process.pid, "VmHWM")
        tasks |= {name: submit(url, name, name) for name in {**FAILING, **RETRIED}}
        assert wait_ended(url, len(tasks), 120) == {"solved": len(SOLVED),
            "failed": len(FAILING) + len(RETRIED)}
        assert memory_bytes(process.pid, "VmHWM") - before < GROWTH_BYTES_MAX

        found = {row[0]: row[1:] for row in query(url,
            "select model, error_code, attempts from sluice.tasks")}
        expected = {name: (None, 1) for name in SOLVED} | {"cut": ("length", 1)}
        expected |= {name: (code, 1) for name, (_, code) in FAILING.items()}
        expected |= {name: (code, 2) for name, (_, code) in RETRIED.items()}
        assert found == expected
        assert query(url, "select count(*) from sluice.models "
            "where closed_until is not null") == [(0,)]
        assert_each_ended_once(url, list(tasks.values()))
        assert process.running()
        again = submit(url, "plain", "plain")
        wait_for(lambda: query(url, "select answer from sluice.tasks where id = %s", [again])
            == [("fine",)], 20, "the last")
        assert process.stop() == 0


@pytest.mark.parametrize("name, headers, from_s, to_s", [
    ("seconds", ["Retry-After: 30"], 25, 30),
    ("exact", ["Retry-After: 90", "retry-after-ms: 20500"], 15, 21),
    ("date", ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT"],
        25, 30),
    ("absurd", ["Retry-After: 99999999999999999999999"], 3500, 3600),
    ("reset", ["x-ratelimit-remaining-requests: 0", "x-ratelimit-reset-requests: 6m0s"], 350, 360)])
def test_a_429_closes_the_model_for_as_long_as_the_backend_says(pg, worker,
        name, headers, from_s, to_s):
    url = pg.database()
    with ScriptedBackend(
            {name: says(429, error(code="rate_limit_exceeded"), headers=headers)}) as backend:
        add_model(url, "m", backend.url, api="openai-chat")
        task = submit(url, name)
        worker(url)
        wait_for(lambda: query(url, "select closed_until is not null from sluice.models")[0][0],
            20, "closing")
        seconds = query(url,
            "select extract(epoch from closed_until - clock_timestamp()) from sluice.models")[0][0]
        assert from_s < seconds <= to_s
        assert query(url, "select status, attempts from sluice.task(%s)", [task]) == [("queued", 0)]


@pytest.mark.parametrize("name, script", [
    ("key", says(401, error(code="invalid_api_key"))),
    ("region", says(403)),
    ("bill", says(402)),
    ("quota", says(429, error(kind="insufficient_quota", code="insufficient_quota"),
            headers=["Retry-After: 1"])),
    ("credit", says(400, error("Your credit balance is too low to access the API",
                kind="invalid_request_error")))])
def test_keys_and_bills_park_the_model_and_cost_the_tasks_nothing(pg, worker, name, script):
    url = pg.database()
    scripts = {name: script}
    with ScriptedBackend(scripts) as backend:
        add_model(url, "m", backend.url, api="openai-chat")
        submit_many(url, [name] * 2)
        process = worker(url)
        wait_for(lambda: query(url, "select closed_until = 'infinity' from sluice.models")[0][0],
            20, "parking")
        wait_for(lambda: 'model "m" is parked (' in process.stderr(),
            what="the worker's word on it")
        assert query(url, "select from_state, to_state from sluice.breaker_events "
            "where to_state = 'parked'") == [("closed", "parked")]
        wait_for(lambda: query(url, "select count(*) from sluice.lease") == [(0,)],
            20, "the end of the calls")
        assert query(url, "select attempts, finished_at from sluice.tasks") == [(0, None)] * 2
        assert "HTTP 4" in query(url, "select closed_reason from sluice.models")[0][0]
        # An operator has paid.
        scripts[name] = says(200, completion())
        query(url, "select sluice.resume('m')")
        assert wait_ended(url, 2) == {"solved": 2}
        assert query(url, "select attempts from sluice.tasks") == [(1,)] * 2


def test_a_secret_is_changed_by_its_file_and_never_stored_or_logged(pg, worker, tmp_path):
    url = pg.database()
    key_file = tmp_path / "key"

    def write_key(key):
        (tmp_path / "new").write_text(key + "\n")
        (tmp_path / "new").chmod(0o600)
        (tmp_path / "new").rename(key_file)

    def check(connection, headers, _):
        given = headers.get("authorization", "none")
        good = given == "bearer sk-good-and-rotated"
        connection.sendall(response(200, completion()) if good
            else response(401, error(f"no such key: {given}")))

    with ScriptedBackend({"hello": check}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", secret=f"file:{key_file}")
        task = submit(url, "hello")
        process = worker(url, "--secret-dir", tmp_path, "--secret-host",
            f"file:{key_file}={backend.url.removesuffix('/v1')}")
        parked = lambda text: wait_for(lambda: query(url, "select 1 from sluice.models "
                "where closed_until = 'infinity' and closed_detail like %s", [f"%{text}%"]), 20,
            text)
        parked("cannot be read")
        write_key("sk-wrong-original")
        key_file.chmod(0o644)
        query(url, "select sluice.resume('m')")
        parked("chmod")
        key_file.chmod(0o600)
        query(url, "select sluice.resume('m')")
        parked("no such key")
        assert backend.calls == ["hello"]
        write_key("sk-good-and-rotated")
        query(url, "select sluice.resume('m')")
        assert wait_ended(url, 1) == {"solved": 1}
        assert query(url, "select attempts from sluice.task(%s)", [task]) == [(1,)]
        assert "sk-" not in process.stderr()
        assert b"sk-" not in open(f"/proc/{process.pid}/cmdline", "rb").read()
        dump = subprocess.run(["pg_dump", "--data-only", url], capture_output=True,
            text=True, check=True).stdout
        assert "hello" in dump and "sk-" not in dump


def test_bad_answers_are_tried_three_times_at_most(pg, worker):
    url = pg.database()
    with ScriptedBackend({"html": says(200, "<html>")}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", max_attempts=50,
            backoff_base="1 millisecond", backoff_max="1 millisecond", breaker_failures=1000)
        submit(url, "html")
        worker(url)
        assert wait_ended(url, 1) == {"failed": 1}
        assert backend.calls == ["html"] * 3


def test_a_thousand_chat_tasks_are_solved_in_streams_and_their_usage_recorded(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "1ms-20ms")
    add_model(url, "m", backend.url + "/v1", api="openai-chat", input_price=2, output_price=10)
    ids = submit_many(url, [f"prompt number {i}" for i in range(1000)])
    worker(url)
    assert wait_ended(url, 1000) == {"solved": 1000}
    assert_each_ended_once(url, ids)
    assert query(url, """
        select count(*) from sluice.tasks
        where answer = 'm: ' || encode(sha256(convert_to(prompt, 'UTF8')), 'hex')
          and input_tokens = length(prompt) / 4 + 1 and output_tokens = length(answer) / 4 + 1
          and cost = (2 * input_tokens + 10 * output_tokens) / 1e6
          and response::json #>> '{choices,0,message,content}' = answer""") == [(1000,)]


def test_cached_and_reasoning_tokens_have_their_prices(pg, worker):
    url = pg.database()
    usage = {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 800},
        "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 40}}
    answer = json.dumps({"choices": [{"message": {"content": "yes"}}], "usage": usage})
    with ScriptedBackend({"hi": says(200, answer)}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", input_price=2, output_price=10)
        query(url, "update sluice.prices set cached_input = 500000000")
        submit(url, "hi")
        worker(url)
        assert wait_ended(url, 1) == {"solved": 1}
    assert query(url, "select input_tokens, cached_tokens, reasoning_tokens, cost::text "
        "from sluice.tasks") == [(1000, 800, 40, "0.0013")]


def test_a_verbatim_request_reaches_the_backend_byte_for_byte(pg, worker):
    url = pg.database()
    seen = []

    def record(connection, headers, body):
        seen.append(body)
        connection.sendall(response(200, completion()))

    with ScriptedBackend({"hi": record}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", upstream_model="gpt-real")
        request = ('{"messages":[{"role":"user","content":"hi"}],"model":"x",'
                   '"seed":123456789012345678901234567890,"model":"y"}')
        query(url, "select sluice.submit(model => 'm', request => %s)", [request])
        worker(url)
        assert wait_ended(url, 1) == {"solved": 1}
    assert seen == [json.loads(request.replace('"x"', '"gpt-real"').replace('"y"', '"gpt-real"'))]
