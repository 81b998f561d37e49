"""Spans of calls and of HTTP requests, as a collector receives them over OTLP/HTTP."""
import json
import re
import socket
import threading
import time

from conftest import Monitor, http as request, query, wait_for
from queue_tools import add_model, submit, submit_many, wait_ended
# noqa: F401 (a fixture)
from span_tools import SAMPLED, SUBMITTER, TRACE, UNSAMPLED, attributes, recorder, spans_of


def model_answer(path, body):
    if path == "/batch":
        return 200, {"answers": ["yes"] * len(body["prompts"])}
    if body["messages"][0]["content"] == "bad":
        return 400, {"error": {"message": "no"}}
    return 200, {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}],
                 "usage": {"prompt_tokens": 11, "completion_tokens": 22}}


def dropped(monitor):
    return int(re.search(r"^sluice_worker_spans_dropped_total (\d+)$",
            monitor.get("/metrics")[1], re.M)[1])


def test_a_call_is_a_span_between_its_task_and_the_backend(pg, worker, recorder):
    url, backend, collector = pg.database(), recorder(model_answer), recorder()
    add_model(url, "m", backend.url, api="openai-chat", upstream_model="gpt-y")
    began_ns = time.time_ns()
    process = worker(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_SERVICE_NAME": "my worker", "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=a%20secret"})
    task = submit(url, "a hidden prompt", traceparent=SAMPLED)
    failing = submit(url, "bad", traceparent=SAMPLED)
    untraced = {str(submit(url, "hi", traceparent=given)): given
        for given in (UNSAMPLED, "00-malformed", None)}
    assert wait_ended(url, 5) == {"solved": 4, "failed": 1}
    assert process.stop() == 0  # it has sent what was left
    sent = {headers["Sluice-Task"].split(":")[0]: headers.get("traceparent")
        for _, headers, _ in backend.requests}
    assert {number: given for number, given in sent.items() if number in untraced} == untraced
    (path, headers, body), = collector.requests
    assert (path, headers["Content-Type"], headers["x-api-key"]) == ("/v1/traces",
        "application/json", "a secret")
    resource = attributes(body["resourceSpans"][0]["resource"])
    assert resource["service.name"] == "my worker"
    spans = {attributes(span)["sluice.task_id"]: span for span in spans_of(collector)}
    assert set(spans) == {task, failing}
    for ended, span in spans.items():
        assert (span["traceId"], span["parentSpanId"]) == (TRACE, SUBMITTER)
        assert sent[str(ended)] == f"00-{TRACE}-{span['spanId']}-01"
        assert (span["name"], span["kind"]) == ("chat gpt-y", 3)
        assert began_ns < int(span["startTimeUnixNano"]) < int(
            span["endTimeUnixNano"]) < time.time_ns()
    of_task = attributes(spans[task])
    assert of_task.items() >= {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-y",
        "gen_ai.usage.input_tokens": 11, "gen_ai.usage.output_tokens": 22,
        "http.response.status_code": 200,
        "sluice.model": "m", "sluice.attempt": 1, "sluice.outcome": "solved"}.items()
    assert 0 <= of_task["sluice.queued_ms"] < (time.time_ns() - began_ns) / 1e6
    of_failing = attributes(spans[failing])
    assert (of_failing["error.type"], of_failing["http.response.status_code"]) == ("http_400", 400)
    assert (spans[task]["status"], spans[failing]["status"]) == ({}, {"code": 2})
    assert "hidden" not in json.dumps(body)
    assert "secret" not in process.stderr() + process.stdout()


def test_each_task_of_a_batch_has_a_span_in_its_own_trace(pg, worker, recorder):
    url, backend, collector = pg.database(), recorder(model_answer), recorder()
    add_model(url, "m", backend.url, batch_max=3, batch_wait="30 s")
    traces = [f"{number:032x}" for number in (1, 2, 3)]
    tasks = [{"prompt": "hi", "model": "m", "traceparent": f"00-{trace}-{SUBMITTER}-01"}
        for trace in traces]
    query(url, "select sluice.submit_many(%s::jsonb)", [json.dumps(tasks)])
    process = worker(url, env={"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": collector.url + "/own/path"})
    assert wait_ended(url, 3) == {"solved": 3}
    assert process.stop() == 0
    assert collector.requests[0][0] == "/own/path"
    spans = spans_of(collector)
    assert sorted(span["traceId"] for span in spans) == traces
    assert {span["name"] for span in spans} == {"text_completion m"}
    carried = {path: headers["traceparent"] for path, headers, _ in backend.requests}
    first = next(span for span in spans if span["traceId"] == traces[0])
    assert carried == {"/batch": f"00-{traces[0]}-{first['spanId']}-01"}
    assert {attributes(span)["sluice.batch_size"] for span in spans} == {3}


def test_without_a_collector_a_traceparent_goes_on_as_it_came(pg, worker, recorder):
    url, backend = pg.database(), recorder(model_answer)
    add_model(url, "m", backend.url, api="openai-chat")
    monitor = Monitor(worker(url, "--http", "127.0.0.1:0"))
    submit(url, "hi", traceparent=SAMPLED)
    assert wait_ended(url, 1) == {"solved": 1}
    assert backend.requests[0][1]["traceparent"] == SAMPLED
    assert dropped(monitor) == 0


def submit_traced(url, count):
    tasks = [{"prompt": f"prompt {number}", "model": "m", "traceparent": SAMPLED}
        for number in range(count)]
    query(url, "select sluice.submit_many(%s::jsonb)", [json.dumps(tasks)])


def test_a_collector_that_refuses_costs_spans_and_no_task(pg, mock, worker, recorder):
    url, backend, collector = pg.database(), mock(), recorder(lambda path, body: (503, {}))
    add_model(url, "m", backend.url)
    process = worker(url, "--http", "127.0.0.1:0",
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    monitor = Monitor(process)
    submit_traced(url, 1100)
    assert wait_ended(url, 1100) == {"solved": 1100}
    wait_for(lambda: dropped(monitor) >= 1024, 30, "the drops")
    assert process.stop() == 0
    assert process.stderr().count("spans are dropped: the collector answered 503") == 1
    assert len(spans_of(collector)) == 1100  # each was sent once


def test_a_collector_that_hangs_delays_no_task_and_the_end_only_a_little(pg,
        mock, worker, recorder):
    release = threading.Event()
    url, backend, collector = pg.database(), mock(), recorder(lambda path,
        body: (release.wait(60), (200, {}))[1])
    add_model(url, "m", backend.url)
    process = worker(url, "--http", "127.0.0.1:0",
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    monitor = Monitor(process)
    began = time.monotonic()
    submit_traced(url, 9000)
    assert wait_ended(url, 9000, 120) == {"solved": 9000}
    wait_for(lambda: dropped(monitor) >= 9000 - 8192 - 512, 20, "the drops")
    # each is given up after 10 s
    assert 1 <= len(collector.requests) <= 1 + (time.monotonic() - began) / 10
    began = time.monotonic()
    assert process.stop() == 0
    assert time.monotonic() - began < 20  # two are for the spans
    assert "dropped at the end" in process.stderr()
    release.set()


def test_variables_that_cannot_be_understood_are_named_and_the_worker_works(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    process = worker(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
        "OTEL_EXPORTER_OTLP_HEADERS": "a secret"})
    submit_many(url, ["hi"])
    assert wait_ended(url, 1) == {"solved": 1}
    assert "spans are not exported: OTEL_EXPORTER_OTLP_HEADERS is not a list" in process.stderr()
    assert "secret" not in process.stderr()


CHAT = {"model": "m", "messages": [{"role": "user", "content": "a hidden prompt"}]}


def by_name(spans):
    return {span["name"]: span for span in spans}


def traceparents(url):
    return [row[0] for row in query(url, "select traceparent from sluice.task order by id")]


def milliseconds(span):
    return (int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])) / 1e6


def http_metric(front, name):
    """None: there is none of that name."""
    found = re.search(rf"^sluice_http_{name} (\d+)$",
        request(front.port, "GET", "/metrics").body, re.M)
    return found and int(found[1])


def test_a_trace_goes_from_a_client_through_server_and_worker_to_the_backend(pg,
        server, worker, recorder):
    url, backend, collector = pg.database(), recorder(model_answer), recorder()
    add_model(url, "m", backend.url, api="openai-chat", upstream_model="gpt-y")
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    front, calls = server(url, env=env), worker(url, env=env)
    reply = request(front.port, "POST", "/v1/chat/completions?x=hidden", CHAT,
        headers={"traceparent": SAMPLED})
    assert (reply.status, calls.stop(), front.stop()) == (200, 0, 0)  # they have sent what was left
    services = {attributes(resource["resource"])["service.name"]
        for _, _, body in collector.requests for resource in body["resourceSpans"]}
    assert services == {"sluice-serve", "sluice-worker"}
    spans = by_name(spans_of(collector))
    assert set(spans) == {"POST /v1/chat/completions", "chat gpt-y"}
    of_request, of_call = spans["POST /v1/chat/completions"], spans["chat gpt-y"]
    assert {span["traceId"] for span in spans.values()} == {TRACE}
    assert (of_request["parentSpanId"], of_request["kind"],
        of_request["status"]) == (SUBMITTER, 2, {})
    assert attributes(of_request) == {"http.request.method": "POST", "http.route":
        "/v1/chat/completions", "url.scheme": "http", "http.response.status_code": 200}
    assert traceparents(url) == [f"00-{TRACE}-{of_request['spanId']}-01"]
    assert of_call["parentSpanId"] == of_request["spanId"]
    assert backend.requests[0][1]["traceparent"] == f"00-{TRACE}-{of_call['spanId']}-01"
    assert int(of_request["startTimeUnixNano"]) < int(of_call["startTimeUnixNano"])
    assert int(of_call["endTimeUnixNano"]) < int(of_request["endTimeUnixNano"])
    assert "hidden" not in json.dumps([body for _, _, body in collector.requests])


def test_tasks_are_children_of_the_request_that_submits_them_unless_they_say_otherwise(pg,
        server, recorder):
    url, collector = pg.database(), recorder()
    add_model(url, "m", "http://127.0.0.1:1")
    front = server(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    task, own = {"prompt": "hi", "model": "m"}, f"00-{TRACE}-{'1' * 16}-00"
    for body, header in ((task, SAMPLED), ([task, task | {"traceparent": own}], SAMPLED),
            (task | {"traceparent": own}, SAMPLED), (task, UNSAMPLED), (task, "00-malformed"),
            (task, "no traceparent"), (task, "")):
        assert request(front.port, "POST", "/v1/tasks", body,
            headers={"traceparent": header}).status == 202
    assert request(front.port, "GET", "/readyz", headers={"traceparent": SAMPLED}).status == 200
    assert request(front.port, "GET", "/nowhere", headers={"traceparent": SAMPLED}).status == 404
    assert front.stop() == 0
    # in the order of their ends
    single, array, _ = (f"00-{TRACE}-{span['spanId']}-01" for span in spans_of(collector))
    assert traceparents(url) == [single, array, own, own, UNSAMPLED, "00-malformed", None, None]


def test_without_a_collector_the_header_is_the_tasks_traceparent(pg, server):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    front = server(url)
    for body in ({"prompt": "hi", "model": "m"}, [{"prompt": "hi", "model": "m"}]):
        assert request(front.port, "POST", "/v1/tasks", body,
            headers={"traceparent": SAMPLED}).status == 202
    assert traceparents(url) == [SAMPLED, SAMPLED]
    assert http_metric(front, "spans_exported_total") is None


def test_a_repeated_request_of_another_trace_finds_the_first_ones_tasks(pg, server, recorder):
    url, collector = pg.database(), recorder()
    add_model(url, "m", "http://127.0.0.1:1")
    front = server(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    task = {"prompt": "hi", "model": "m"}
    for key, body in (("one", task), ("some", [task, task])):
        replies = [request(front.port, "POST", "/v1/tasks", body,
                headers={"Idempotency-Key": key, "traceparent": trace})
            for trace in (SAMPLED, SAMPLED.replace(TRACE, "1" * 32), UNSAMPLED)]
        assert [reply.status for reply in replies] == [202] * 3
        assert len({reply.body for reply in replies}) == 1
    assert len(traceparents(url)) == 3


def test_a_span_says_what_became_of_its_request(pg, server, worker, recorder):
    url, collector = pg.database(), recorder()
    backend = recorder(lambda path, body: (500, {}) if body["messages"][0]["content"] == "broken"
        else model_answer(path, body))
    add_model(url, "m", backend.url, api="openai-chat", max_attempts=1)
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    front, _ = server(url, env=env), worker(url)
    told = {}
    for content in ("bad", "broken"):
        body = {"model": "m", "messages": [{"role": "user", "content": content}]}
        told[content] = request(front.port, "POST", "/v1/chat/completions", body,
            headers={"traceparent": SAMPLED}).status
    assert told == {"bad": 400, "broken": 502}
    task = "4711471147114711"  # a shorter one stands in a span's times now and then
    assert request(front.port, "GET", f"/v1/tasks/{task}",
        headers={"traceparent": SAMPLED}).status == 404
    assert front.stop() == 0
    spans = {attributes(span)["http.response.status_code"]: span for span in spans_of(collector)}
    assert {status: span["status"] for status, span in spans.items()} == {400: {},
        404: {}, 502: {"code": 2}}
    assert {status: attributes(span).get("error.type")
        for status, span in spans.items()} == {400: None, 404: None, 502: "502"}
    assert spans[404]["name"] == "GET /v1/tasks/{}" and task not in json.dumps(spans)


def test_the_span_of_a_wait_ends_when_the_wait_does(pg, server, worker, recorder):
    url, backend, collector = pg.database(), recorder(model_answer), recorder()
    add_model(url, "m", backend.url, api="openai-chat")
    front = server(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    task = submit(url, "hi")
    waits = {f"/v1/tasks/{task}?wait=60s": ("GET", None), f"/v1/tasks/{task}/events": ("GET", None),
             "/v1/chat/completions": ("POST", CHAT | {"stream": True})}
    threads = [threading.Thread(target=request, args=(front.port, method, path, body),
        kwargs={"headers": {"traceparent": SAMPLED}})
               for path, (method, body) in waits.items()]
    for thread in threads:
        thread.start()
    wait_for(lambda: http_metric(front, "open_requests") == 4, what="three that wait")
    began_ns = time.time_ns()
    worker(url)
    for thread in threads:
        thread.join(60)
    assert front.stop() == 0
    spans = by_name(spans_of(collector))
    assert set(spans) == {"GET /v1/tasks/{}", "GET /v1/tasks/{}/events",
        "POST /v1/chat/completions"}
    for span in spans.values():
        assert int(span["startTimeUnixNano"]) < began_ns < int(span["endTimeUnixNano"])


def begin_request(port, line, *headers):
    """A connection on which a traced request has been sent, without its body."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall("\r\n".join((f"{line} HTTP/1.1", "Host: 127.0.0.1",
        f"traceparent: {SAMPLED}", *headers, "", "")).encode())
    return connection


def test_a_client_that_leaves_and_a_server_that_ends_end_their_spans(pg, server, recorder):
    url, collector = pg.database(), recorder()
    add_model(url, "m", "http://127.0.0.1:1", api="openai-chat")
    front = server(url, "--drain-timeout", "100ms",
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    assert http_metric(front, "spans_exported_total") == http_metric(front,
        "spans_dropped_total") == 0
    with begin_request(front.port, f"GET /v1/tasks/{submit(url, 'hi')}/events") as leaves:
        assert leaves.recv(100)
    wait_for(lambda: http_metric(front, "spans_exported_total") == 1, what="its span")
    with begin_request(front.port, "POST /v1/files",
            "Content-Type: multipart/form-data; boundary=x", "Content-Length: 9") as stays:
        wait_for(lambda: http_metric(front, "open_requests") == 2, what="the upload to begin")
        assert front.stop() == 0
        assert stays.recv(100) == b""
    left, cut_off = spans_of(collector)
    assert (left["name"], attributes(left)["http.response.status_code"],
        left["status"]) == ("GET /v1/tasks/{}/events", 200, {})
    assert (cut_off["name"], attributes(cut_off)["error.type"],
        cut_off["status"]) == ("POST /v1/files", "cut_off", {"code": 2})
