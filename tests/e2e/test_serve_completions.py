"""/v1/chat/completions and its like: the client waits for the model's own answer, through the
queue."""
import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from conftest import connect, query, wait_for
from conftest import http as send
from queue_tools import add_model
from scripted_backend import ScriptedBackend, response

CHAT = {"model": "chat", "messages": [{"role": "user", "content": "2+2?"}]}


@pytest.fixture
def front(pg, server):
    """A database, and a server on it."""
    class Front:
        url = pg.database()
    Front.process = server(Front.url)
    Front.port = Front.process.port
    return Front


@pytest.fixture
def chat(front, mock, worker):
    """The same with model "chat" and a worker."""
    front.mock = mock("--latency", "10ms")
    add_model(front.url, "chat", front.mock.url + "/v1", api="openai-chat")
    worker(front.url)
    return front


def test_a_chat_is_answered_as_the_model_answered_it(chat):
    reply = send(chat.port, "POST", "/v1/chat/completions", CHAT)
    assert reply.status == 200 and reply.json["object"] == "chat.completion"
    assert reply.json["choices"][0]["message"]["content"]
    task = query(chat.url, "select id, status, response from sluice.tasks")[0]
    assert task[1:] == ("solved", reply.body)
    assert reply.headers["Location"] == f"/v1/tasks/{task[0]}" and reply.headers[
        "X-Request-Id"] == f"task_{task[0]}"


def test_a_stream_is_one_chunk_and_done(chat):
    reply = send(chat.port, "POST", "/v1/chat/completions",
        CHAT | {"stream": True, "stream_options": {"include_usage": True}})
    assert reply.status == 200 and reply.headers["Content-Type"] == "text/event-stream"
    events = [line.removeprefix("data: ") for line in reply.body.split("\n\n")
        if line.startswith("data: ")]
    assert len(events) == 2 and events[1] == "[DONE]"
    chunk = json.loads(events[0])
    assert chunk["object"] == "chat.completion.chunk" and chunk["choices"][0]["delta"]["content"]
    assert chunk["choices"][0]["finish_reason"] == "stop"


ANSWERS = {
    "openai-chat": ("chat/completions", {"choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": "hi"}}], "object": "chat.completion"}),
    "openai-responses": ("responses", {"object": "response", "status": "completed",
        "output": []}),
    "anthropic-messages": ("messages", {"type": "message", "role": "assistant",
        "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"})}
DEAR_NUMBERS = "numbers whose exponents come to more than"


@pytest.mark.parametrize("api, value, count, words", [
    ("openai-chat", "[]", 1_500_000, "more than 400000 JSON values"),
    *((api, "1e-999", 60_000, DEAR_NUMBERS) for api in ANSWERS)])
def test_an_answer_that_is_dear_to_read_is_not_streamed(front, worker, api, value, count, words):
    """Of a hostile backend: PostgreSQL took 6 GB to read 32 MiB of lists, 0.9 GB and 18 s to write
    60,000 numbers."""
    path, answered = ANSWERS[api]
    padding = f"{value}," * count
    body = json.dumps({"id": "x", "model": "m"} | answered)[:-1] + f', "padding": [{padding}0]}}'
    asked = {"input": "2+2?"} if path == "responses" else CHAT | {"max_tokens": 9}

    def answer(connection, *_):
        connection.sendall(response(200, body))
    with ScriptedBackend({"2+2?": answer}) as backend:
        add_model(front.url, "chat", backend.url, api=api)
        worker(front.url)
        reply = send(front.port, "POST", f"/v1/{path}", asked | {"model": "chat", "stream": True})
        assert words in reply.body, reply.body[:1000]
        assert answered.keys().isdisjoint(json.loads(reply.body.split("data: ")[1]))
        whole = send(front.port, "POST", f"/v1/{path}", asked | {"model": "chat"})
        assert whole.status == 200 and whole.body == body


def test_streams_of_answers_with_many_parts_hold_up_nobody_else(front, worker):
    """Of a hostile backend: their events took hours to make, and all connections of the front."""
    part = json.dumps({"type": "output_text", "text": ""})
    body = json.dumps({"id": "x", "object": "response", "status": "completed", "output": [
        {"id": "m", "type": "message", "content": []}]}).replace(
            "[]", f"[{','.join([part] * 20_000)}]")

    def answer(connection, *_):
        connection.sendall(response(200, body))
    with ScriptedBackend({"2+2?": answer}) as backend:
        add_model(front.url, "chat", backend.url, api="openai-responses")
        worker(front.url)
        with ThreadPoolExecutor() as streams:
            replies = [streams.submit(send, front.port, "POST", "/v1/responses",
                {"input": "2+2?", "model": "chat", "stream": True}) for _ in range(4)]
            while not all(reply.done() for reply in replies):
                assert send(front.port, "GET", "/v1/tasks").status == 200
        for reply in replies:
            assert reply.result().status == 200
            assert reply.result().body.count("event: response.output_text.done") == 20_000


def test_the_answer_says_what_is_left_of_the_models_limits(chat):
    assert not [name for name in send(chat.port, "POST", "/v1/chat/completions", CHAT).headers
        if name.startswith("x-ratelimit")]
    query(chat.url, "update sluice.models set rpm = 600, burst = 1, tpm = 60000")
    found = dict(send(chat.port, "POST", "/v1/chat/completions", CHAT).headers)
    assert found["x-ratelimit-limit-requests"] == "600" and found[
        "x-ratelimit-limit-tokens"] == "60000"
    assert found["x-ratelimit-remaining-requests"] in ("0",
        "1") and 0 < int(found["x-ratelimit-remaining-tokens"]) < 60000
    assert found["x-ratelimit-reset-requests"].endswith(
        "ms") and found["x-ratelimit-reset-tokens"].endswith("ms")


def test_an_idempotency_key_pays_once(chat):
    replies = [
        send(chat.port, "POST", "/v1/chat/completions", CHAT, headers={"Idempotency-Key": "k"})
        for _ in range(3)]
    assert {reply.status
        for reply in replies} == {200} and len({reply.body for reply in replies}) == 1
    wait_for(chat.mock.arrivals, what="the mock's log")
    assert len(chat.mock.arrivals()) == 1


def test_headers_give_the_priority_and_the_affinity_key(front):
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    threads = [threading.Thread(target=send,
            args=(front.port, "POST", "/v1/chat/completions", CHAT),
            kwargs={"headers": {"Sluice-Priority": given, "traceparent": f"00-{given}",
                "Sluice-Affinity-Key": f'"{given}"'}})
        for given in ("hot", "cold", "-7")]
    for thread in threads:
        thread.start()
    wait_for(lambda: sorted(row[0] for row in query(front.url,
        "select priority from sluice.tasks")) == [-7, 0, 50],
             what="three tasks")
    assert {row[0] for row in query(front.url, "select traceparent from sluice.task")} == {"00-hot",
        "00-cold", "00--7"}
    assert {row[0] for row in query(front.url, "select affinity_key from sluice.tasks")} == {
        '"hot"', '"cold"', '"-7"'}
    for given in ("warm", "00", "0" * 5000, "-0", "101", "1.5"):
        refused = send(front.port, "POST", "/v1/chat/completions", CHAT,
            headers={"Sluice-Priority": given})
        error = refused.json["error"]
        assert refused.status == 400 and error["message"].startswith(
            f'the header Sluice-Priority is "{given[:50]}'), refused.body
        assert (error["param"], error["hint"]) == ("Sluice-Priority",
            "It is hot, cold or a whole number from -100 to 100.")
    query(front.url, "select sluice.cancel_all('chat')")
    for thread in threads:
        thread.join(20)


REFUSED = [
    ("/v1/chat/completions", {"messages": []}, 404),
    ("/v1/chat/completions", {"model": "nobody"}, 404),
    ("/v1/chat/completions", {"model": "plain"}, 404),
    ("/v1/messages", {"model": "chat"}, 404),
    ("/v1/responses", {"model": "chat"}, 404),
    ("/v1/embeddings", {"model": "chat"}, 404),
    ("/v1/embeddings", {"model": "chat", "stream": True}, 400),
    ("/v1/chat/completions", "", 400),
    ("/v1/chat/completions", "[]", 400),
    ("/v1/chat/completions", '{"model": "chat"}, "tenant": "a"', 400),
    ("/v1/chat/completions", '{"model": "chat"}}, {"prompt": "x"', 400),
    ("/v1/chat/completions", '{"model": "chat", "x": "\\u0000"}', 400)]


def test_what_cannot_be_answered_is_refused_and_nothing_is_stored(front):
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    add_model(front.url, "plain", "http://127.0.0.1:1")
    for path, body, status in REFUSED:
        assert send(front.port, "POST", path, body).status == status, (path, body)
    assert query(front.url, "select count(*) from sluice.tasks") == [(0,)]


def test_a_cancelled_task_is_409_and_not_to_be_repeated(front):
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    replies = []
    bodies = (CHAT, CHAT | {"stream": True})
    threads = [threading.Thread(target=lambda body=body: replies.append(
                send(front.port, "POST", "/v1/chat/completions", body))) for body in bodies]
    for thread in threads:
        thread.start()
    wait_for(lambda: query(front.url, "select count(*) from sluice.tasks") == [(2,)],
        what="the tasks")
    query(front.url, "select sluice.cancel_all('chat')")
    for thread in threads:
        thread.join(20)
    whole, stream = sorted(replies, key=lambda reply: reply.status, reverse=True)
    assert (whole.status, whole.headers["X-Should-Retry"]) == (409, "false")
    assert stream.status == 200 and '"error"' in stream.body and "[DONE]" not in stream.body


def test_a_backends_refusal_reaches_the_client(front, worker):
    def refuse(connection, *_):
        connection.sendall(response(422, '{"error": {"message": "too odd"}}'))
    with ScriptedBackend({"2+2?": refuse}) as backend:
        add_model(front.url, "chat", backend.url, api="openai-chat", max_attempts=1)
        worker(front.url)
        reply = send(front.port, "POST", "/v1/chat/completions", CHAT)
    assert reply.status == 422 and reply.headers["X-Should-Retry"] == "false"
    assert "too odd" in reply.json["error"]["message"]


@pytest.mark.plain_build_only
def test_a_long_wait_is_kept_alive_and_outlives_its_client(front, mock, worker):
    add_model(front.url, "chat", mock("--latency", "100ms").url + "/v1", api="openai-chat")
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)
    connection.request("POST", "/v1/chat/completions", json.dumps(CHAT | {"stream": True}))
    reply = connection.getresponse()
    begun = time.monotonic()
    assert reply.status == 200 and reply.readline().startswith(b": ")
    assert time.monotonic() - begun < 20
    connection.close()
    worker(front.url)
    wait_for(lambda: query(front.url, "select status from sluice.tasks") == [("solved",)],
        what="the answer")


@pytest.mark.plain_build_only
@pytest.mark.parametrize("stream", [False, True])
def test_who_waits_for_a_parked_model_is_told_so(front, stream):
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    query(front.url, "select sluice.close_model('chat', 'infinity', 'no money left')")
    reply = send(front.port, "POST", "/v1/chat/completions", CHAT | {"stream": stream})
    assert reply.status == (200 if stream else 503) and "until somebody resumes it" in reply.body
    assert '"type":"parked"' in reply.body and "money" not in reply.body
    assert stream or reply.headers["X-Should-Retry"] == "false"
    assert query(front.url, "select status from sluice.tasks") == [("queued",)]


@pytest.mark.plain_build_only
def test_who_waits_goes_on_while_the_database_cannot_say_how_the_task_ended(front, mock, worker):
    add_model(front.url, "chat", mock().url + "/v1", api="openai-chat")
    connection = http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)
    connection.request("POST", "/v1/chat/completions", json.dumps(CHAT | {"stream": True}))
    reply = connection.getresponse()
    with closing(connect(front.url)) as holder, holder.cursor() as cursor:
        cursor.execute("begin; lock table sluice.result")
        wait_for(lambda: query(front.url, "select pg_terminate_backend(pid) from pg_stat_activity "
            "where query like '%%from sluice.completion(%%' and state = 'active' "
            "and pid <> pg_backend_pid()"), what="the look")
        assert reply.readline().startswith(b": the task has not ended yet")
        cursor.execute("rollback")
    worker(front.url)
    assert b"[DONE]" in reply.read()
    assert query(front.url, "select count(*) from sluice.tasks") == [(1,)]


def test_a_drain_tells_who_waits_where_the_answer_will_be(front):
    add_model(front.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    replies = []
    waiting = threading.Thread(target=lambda: replies.append(send(front.port, "POST",
        "/v1/chat/completions", CHAT)))
    waiting.start()
    wait_for(lambda: query(front.url, "select count(*) from sluice.tasks") == [(1,)],
        what="the task")
    assert front.process.stop() == 0
    waiting.join(20)
    assert (replies[0].status, replies[0].error) == (504, "timeout")
    assert replies[0].headers["Location"].startswith("/v1/tasks/")
