"""Spans of calls, as a collector receives them over OTLP/HTTP."""
import http.server
import json
import re
import threading
import time

import pytest
from conftest import Monitor, query, wait_for
from queue_tools import add_model, submit, submit_many, wait_ended

TRACE = "0af7651916cd43dd8448eb211c80319c"
SUBMITTER = "b7ad6b7169203331"
SAMPLED, UNSAMPLED = f"00-{TRACE}-{SUBMITTER}-01", f"00-{TRACE}-{SUBMITTER}-00"


class Recorder(http.server.ThreadingHTTPServer):
    """A server that notes each request and answers with what `answer` (of path and JSON) returns: a status and an object."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer):
        self.answer, self.requests = answer, []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # the worker hung up, as it should


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers, body))
        status, answer = self.server.answer(self.path, body)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


@pytest.fixture
def recorder():
    """A function that starts a Recorder."""
    servers = []

    def start(answer=lambda path, body: (200, {})):
        servers.append(Recorder(answer))
        return servers[-1]
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def model_answer(path, body):
    if path == "/batch":
        return 200, {"answers": ["yes"] * len(body["prompts"])}
    if body["messages"][0]["content"] == "bad":
        return 400, {"error": {"message": "no"}}
    return 200, {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}],
                 "usage": {"prompt_tokens": 11, "completion_tokens": 22}}


def spans_of(collector):
    return [span for _, _, body in collector.requests for resource in body["resourceSpans"]
            for scope in resource["scopeSpans"] for span in scope["spans"]]


def attributes(span):
    return {each["key"]: int(value) if kind == "intValue" else value
            for each in span["attributes"] for kind, value in each["value"].items()}


def dropped(monitor):
    return int(re.search(r"^sluice_worker_spans_dropped_total (\d+)$", monitor.get("/metrics")[1], re.M)[1])


def test_a_call_is_a_span_between_its_task_and_the_backend(pg, worker, recorder):
    url, backend, collector = pg.database(), recorder(model_answer), recorder()
    add_model(url, "m", backend.url, api="openai-chat", upstream_model="gpt-y")
    began_ns = time.time_ns()
    process = worker(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_SERVICE_NAME": "my worker",
                               "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=a%20secret"})
    task = submit(url, "a hidden prompt", traceparent=SAMPLED)
    failing = submit(url, "bad", traceparent=SAMPLED)
    for other in (UNSAMPLED, "00-malformed", None):
        submit(url, "hi", traceparent=other)
    assert wait_ended(url, 5) == {"solved": 4, "failed": 1}
    assert process.stop() == 0  # it has sent what was left
    sent = {headers["Sluice-Task"].split(":")[0]: headers.get("traceparent") for _, headers, _ in backend.requests}
    assert sorted(str(given) for given in list(sent.values())[2:]) == sorted(["00-malformed", UNSAMPLED, "None"])
    (path, headers, body), = collector.requests
    assert (path, headers["Content-Type"], headers["x-api-key"]) == ("/v1/traces", "application/json", "a secret")
    resource = attributes(body["resourceSpans"][0]["resource"])
    assert resource["service.name"] == "my worker"
    spans = {attributes(span)["sluice.task_id"]: span for span in spans_of(collector)}
    assert set(spans) == {task, failing}
    for ended, span in spans.items():
        assert (span["traceId"], span["parentSpanId"]) == (TRACE, SUBMITTER)
        assert sent[str(ended)] == f"00-{TRACE}-{span['spanId']}-01"
        assert (span["name"], span["kind"]) == ("chat gpt-y", 3)
        assert began_ns < int(span["startTimeUnixNano"]) < int(span["endTimeUnixNano"]) < time.time_ns()
    of_task = attributes(spans[task])
    assert of_task.items() >= {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-y",
        "gen_ai.usage.input_tokens": 11, "gen_ai.usage.output_tokens": 22, "http.response.status_code": 200,
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
    tasks = [{"prompt": "hi", "model": "m", "traceparent": f"00-{trace}-{SUBMITTER}-01"} for trace in traces]
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
    tasks = [{"prompt": f"prompt {number}", "model": "m", "traceparent": SAMPLED} for number in range(count)]
    query(url, "select sluice.submit_many(%s::jsonb)", [json.dumps(tasks)])


def test_a_collector_that_refuses_costs_spans_and_no_task(pg, mock, worker, recorder):
    url, backend, collector = pg.database(), mock(), recorder(lambda path, body: (503, {}))
    add_model(url, "m", backend.url)
    process = worker(url, "--http", "127.0.0.1:0", env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    monitor = Monitor(process)
    submit_traced(url, 1100)
    assert wait_ended(url, 1100) == {"solved": 1100}
    wait_for(lambda: dropped(monitor) >= 1024, 10, "the drops")
    assert process.stop() == 0
    assert process.stderr().count("spans are dropped: the collector answered 503") == 1
    assert len(spans_of(collector)) == 1100  # each was sent once


def test_a_collector_that_hangs_delays_no_task_and_the_end_only_a_little(pg, mock, worker, recorder):
    release = threading.Event()
    url, backend, collector = pg.database(), mock(), recorder(lambda path, body: (release.wait(60), (200, {}))[1])
    add_model(url, "m", backend.url)
    process = worker(url, "--http", "127.0.0.1:0", env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    monitor = Monitor(process)
    submit_traced(url, 9000)
    assert wait_ended(url, 9000) == {"solved": 9000}
    wait_for(lambda: dropped(monitor) >= 9000 - 8192 - 512, 10, "the drops")
    assert len(collector.requests) == 1
    began = time.monotonic()
    assert process.stop() == 0
    assert time.monotonic() - began < 8
    assert "span(s) dropped at the end" in process.stderr()
    release.set()


def test_variables_that_cannot_be_understood_are_named_and_the_worker_works(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    process = worker(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS": "a secret"})
    submit_many(url, ["hi"])
    assert wait_ended(url, 1) == {"solved": 1}
    assert "spans are not exported: OTEL_EXPORTER_OTLP_HEADERS is not a list" in process.stderr()
    assert "secret" not in process.stderr()
