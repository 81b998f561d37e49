"""OpenAI's batches over HTTP: from an uploaded file to one line of output for each line of
input."""
import concurrent.futures
import json

import pytest
from batch_tools import ENDED, batch, begin_batch, line, outcome, post_batch, upload, wait_status
from conftest import http as send
from conftest import query, serve, wait_for
from queue_tools import add_model
from scripted_backend import ScriptedBackend, response


class Front:
    """A database with a model "chat" that nobody serves, and a server."""

    def __init__(self, pg, start):
        self.url = pg.database()
        add_model(self.url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
        self.process = serve(start, self.url)
        self.port = self.process.port


@pytest.fixture
def front(pg, started):
    return Front(pg, started)


@pytest.fixture
def chat(front, mock, worker):
    """The same with a worker and a backend."""
    front.mock = mock("--latency", "5ms")
    query(front.url, "update sluice.models set url = %s", [front.mock.url + "/v1"])
    worker(front.url)
    return front


def test_a_dry_run_of_a_batch_begins_none(front):
    query(front.url, "update sluice.models set input_price = 1, output_price = 1")
    lines = [line(f"r-{n}", f"prompt {n}") for n in range(2000)]

    def dry_run(file):
        return send(front.port, "POST", "/v1/batches?dry_run=true", {"input_file_id": file,
            "endpoint": "/v1/chat/completions", "completion_window": "24h"})
    estimate = dry_run(upload(front.port, lines)).json
    assert estimate["count"] == 2000 and 0 < estimate["cost_min"] < estimate["cost_max"]
    assert [row["model"] for row in estimate["models"]] == ["chat"]
    refused = dry_run(upload(front.port, lines + [line("last", model="nobody")]))
    assert refused.status == 400 and "line 2001" in refused.json["error"]["message"]
    add_model(front.url, "claude", "http://127.0.0.1:1", api="anthropic-messages")
    messages = send(front.port, "POST", "/v1/messages/batches?dry_run=true", {"requests": [
        {"custom_id": str(n), "params": {"model": "claude", "max_tokens": 10}} for n in range(5)]})
    assert (messages.json["count"], messages.json["output_tokens"]) == (5, 50)
    assert query(front.url, "select (select count(*) from sluice.batch), "
        "(select count(*) from sluice.task)") == [(0, 0)]


def test_a_batch_ends_with_every_custom_id_once(chat):
    batch_id = begin_batch(chat.port, [line(f"r-{n}", f"prompt {n}") for n in range(200)],
        metadata={"team": "search"})
    ended = wait_status(chat.port, batch_id, "completed")
    assert ended["request_counts"] == {"total": 200, "completed": 200, "failed": 0}
    assert ended["metadata"] == {"team":
        "search"} and ended["errors"] is None and ended["error_file_id"] is None
    times = [ended[key] for key in ("created_at", "in_progress_at",
        "finalizing_at", "completed_at")]
    assert times == sorted(times) and ended["expires_at"] == ended["created_at"] + 86400
    outputs, errors = outcome(chat.port, ended)
    assert outputs.keys() == {f"r-{n}" for n in range(200)} and not errors
    first = outputs["r-0"]
    assert first["error"] is None and first["response"]["status_code"] == 200
    assert first["response"]["body"]["choices"][0]["message"]["content"]
    assert first["id"].startswith(
        "batch_req_") and first["response"]["request_id"].startswith("task_")
    assert len({each["id"] for each in outputs.values()}) == 200
    file = send(chat.port, "GET", f"/v1/files/{ended['output_file_id']}").json
    assert file["purpose"] == "batch_output" and file["expires_at"] > file["created_at"]
    assert query(chat.url, "select count(*) from sluice.batch_line") == [(0,)]


def test_the_body_reaches_the_backend_byte_for_byte(front, worker):
    def keep(connection, _, __):
        connection.sendall(response(200,
            '{"choices": [{"message": {"content": "a\\nb"}}],\r\n "usage": null}'))
    with ScriptedBackend({"hi": keep}) as backend:
        query(front.url, "update sluice.models set url = %s", [backend.url])
        worker(front.url)
        text = line("é", extra=1).replace('"model": "chat"',
            '"model":"chat",  "top_p": 1.10, "big": 12345678901234567890')
        ended = wait_status(front.port, begin_batch(front.port, [text]), "completed")
    assert query(front.url, "select request from sluice.tasks")[0][0] == text[
        text.index('"body": ') + 8:text.index(', "extra"')]
    outputs, _ = outcome(front.port, ended)
    assert outputs["é"]["response"]["body"]["choices"][0]["message"]["content"] == "a\nb"


def test_what_fails_is_in_the_error_file_with_its_status(front, worker):
    def refuse(connection, _, __):
        connection.sendall(response(400,
            '{"error": {"message": "no such tool", "type": "invalid_request_error"}}'))
    def answer(connection, _, __):
        connection.sendall(response(200, '{"choices": [{"message": {"content": "yes"}}]}'))
    with ScriptedBackend({"bad": refuse, "good": answer}) as backend:
        query(front.url, "update sluice.models set url = %s", [backend.url])
        worker(front.url)
        ended = wait_status(front.port,
            begin_batch(front.port, [line("a", "good"), line("b", "bad"), line("c", "good")]),
            "completed")
    assert ended["request_counts"] == {"total": 3, "completed": 2, "failed": 1}
    outputs, errors = outcome(front.port, ended)
    assert outputs.keys() == {"a", "c"} and errors.keys() == {"b"}
    assert errors["b"]["response"]["status_code"] == 400 and errors["b"]["response"]["body"][
        "error"]["message"]


def test_a_line_without_a_model_goes_to_the_default(front):
    query(front.url, "update sluice.settings set default_model = 'chat'")
    wait_status(front.port, begin_batch(front.port, [line("a", body={"messages": []})]),
        "in_progress")
    wait_for(lambda: query(front.url, "select model from sluice.tasks") == [("chat",)],
        what="the line's task")


INVALID = [
    ([line("a"), "{nonsense"], "invalid_json_line", 2), ([line("a"), "[]"], "invalid_json_line", 2),
    ([line("a"), "", line("a")], "duplicate_custom_id", 3),
    ([line("a"), line("b", url="/v1/embeddings")], "url_mismatch", 2),
    ([line("a", method="GET")], "invalid_request", 1), ([line("")], "invalid_request", 1),
    ([line(7)], "invalid_request", 1),
    ([line("a", body=[])], "invalid_request", 1), ([line("a", body={})], "invalid_request", 1),
    ([line("a", body={"model": "chat", "stream": True})], "invalid_request", 1),
    ([line("a", model="nobody")], "model_not_found", 1),
    ([line("a", model="other")], "model_not_found", 1), (["", " "], "empty_file", None),
    ([], "empty_file", None),
    ([line(str(n)) for n in range(50_001)], "too_many_tasks", None)]


@pytest.fixture(scope="module")
def shared_front(pg, started_once):
    """For files that are refused: a line without a model would go to one of another kind."""
    front = Front(pg, started_once)
    add_model(front.url, "other", "http://127.0.0.1:1/v1", api="openai-embeddings")
    query(front.url, "update sluice.settings set default_model = null")
    return front


@pytest.mark.parametrize("lines, code, number", INVALID,
    ids=[f"{n}-{each[1]}" for n, each in enumerate(INVALID)])
def test_an_invalid_file_fails_with_code_and_line_and_nothing_is_submitted(shared_front, lines,
        code, number):
    port = shared_front.port
    failed = wait_status(port, begin_batch(port, lines), "failed")
    found = failed["errors"]["data"]
    assert [(each["code"], each["line"])
        for each in found] == [(code, number)] and found[0]["message"]
    assert failed["failed_at"] and failed["output_file_id"] is None and failed[
        "error_file_id"] is None
    assert query(shared_front.url, "select count(*) from sluice.task") == [(0,)]


def test_crlf_a_byte_order_mark_blank_lines_and_a_missing_end_do_no_harm(front):
    text = "\ufeff" + line("a") + "\r\n\r\n" + line("b") + "\r\n" + line("c")
    begun = wait_status(front.port, begin_batch(front.port, [text]), "in_progress")
    assert begun["request_counts"]["total"] == 3
    wait_for(lambda: query(front.url, "select count(*) from sluice.task") == [(3,)],
        what="three tasks")


def test_a_create_repeated_with_its_key_is_the_same_batch(front):
    body = {"input_file_id": upload(front.port, [line("a", "x")]),
        "endpoint": "/v1/chat/completions", "completion_window": "24h"}
    key = {"Idempotency-Key": "once"}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(
                lambda _: send(front.port, "POST", "/v1/batches", body, headers=key), range(4)))
    assert {(reply.status, reply.json["id"]) for reply in replies} == {(200, replies[0].json["id"])}
    other = send(front.port, "POST", "/v1/batches",
        body | {"completion_window": "23h"}, headers=key)
    assert (other.status, other.error) == (422, "idempotency_key_reused")
    assert send(front.port, "POST", "/v1/batches", body).json["id"] != replies[0].json["id"]


def test_what_no_batch_can_be_is_refused(front):
    file = upload(front.port, [line("a")])
    for wrong in ({"input_file_id": "file-99"}, {"input_file_id": "7"}, {"input_file_id": None}):
        assert post_batch(front.port, file, **wrong).status == 404
    for wrong in (
            {"endpoint": "/v1/images"},
            {"endpoint": None},
            {"endpoint": "/v1/messages"},
            {"completion_window": "0s"},
            {"completion_window": "soon"},
            {"completion_window": "1 year"},
            {"completion_window": None},
            {"metadata": {"k": 1}},
            {"metadata": {"k" * 65: "v"}},
            {"metadata": {"k": "v" * 513}},
            {"metadata": []},
            {"metadata": {str(n): "v" for n in range(17)}},
            {"output_expires_after": {"anchor": "created_at", "seconds": 1}}):
        assert post_batch(front.port, file, **wrong).status == 400, wrong
    for wrong in ("", "[]", "{", '"x"'):
        assert send(front.port, "POST", "/v1/batches", wrong).status == 400
    assert query(front.url, "select count(*) from sluice.batch") == [(0,)]


def test_a_cancelled_batch_keeps_what_was_done(chat):
    query(chat.url, "update sluice.models set rpm = 60, burst = 5")
    batch_id = begin_batch(chat.port, [line(f"r-{n}") for n in range(100)])
    wait_for(lambda: batch(chat.port, batch_id)["request_counts"]["completed"] >= 2, 30,
        "some answers")
    cancelling = send(chat.port, "POST", f"/v1/batches/{batch_id}/cancel").json
    assert cancelling["status"] == "cancelling" and cancelling["cancelling_at"]
    ended = wait_status(chat.port, batch_id, "cancelled")
    outputs, errors = outcome(chat.port, ended)
    assert len(outputs) >= 2 and outputs.keys() | errors.keys() == {f"r-{n}" for n in range(100)}
    assert {each["error"]["code"] for each in errors.values()} == {"batch_cancelled"}
    assert ended["request_counts"] == {"total": 100, "completed": len(outputs), "failed": 0}
    again = send(chat.port, "POST", f"/v1/batches/{batch_id}/cancel")
    assert again.status == 400 and "cancelled already" in again.json["error"]["message"]


def test_an_expired_batch_says_so_of_what_was_not_done(front):
    batch_id = begin_batch(front.port, [line("a"), line("b")], completion_window="1s")
    ended = wait_status(front.port, batch_id, "expired")
    outputs, errors = outcome(front.port, ended)
    assert not outputs and errors.keys() == {"a", "b"}
    assert {each["error"]["code"] for each in errors.values()} == {"batch_expired"}
    assert ended["expired_at"] >= ended["expires_at"] == ended["created_at"] + 1


def test_a_batch_larger_than_the_queue_waits_for_room_and_loses_nothing(chat):
    query(chat.url, "update sluice.settings set max_unfinished = 30")
    ended = wait_status(chat.port, begin_batch(chat.port, [line(f"r-{n}") for n in range(150)]),
        "completed", deadline_s=90)
    outputs, _ = outcome(chat.port, ended)
    assert len(outputs) == 150


def test_lists_are_paged_newest_first(front):
    query(front.url, "select sluice.pause('chat')")
    file = upload(front.port, [line("a")])
    ids = [post_batch(front.port, file).json["id"] for _ in range(5)]
    def page(arguments):
        reply = send(front.port, "GET", f"/v1/batches?{arguments}").json
        return [each["id"] for each in reply["data"]], reply["has_more"]
    assert page("limit=2") == ([ids[4], ids[3]], True)
    assert page(f"limit=3&after={ids[3]}") == ([ids[2], ids[1], ids[0]], False)
    for wrong in ("limit=0", "limit=101", "after=7", "after=msgbatch_1"):
        assert send(front.port, "GET", f"/v1/batches?{wrong}").status == 400
    assert send(front.port, "DELETE", f"/v1/files/{file}").status in (200, 400)
    wait_for(lambda: send(front.port, "GET", f"/v1/files/{file}").status == 404
        or send(front.port, "DELETE", f"/v1/files/{file}").status == 200,
        what="nobody to read it any more")
    assert all(batch(front.port, each)["status"] == "in_progress" for each in ids)


def test_two_servers_share_the_work(chat, server):
    other = server(chat.url).port
    ids = [begin_batch(port, [line(f"r-{n}") for n in range(50)]) for port in (chat.port, other)
        for _ in range(4)]
    for batch_id in ids:
        outputs, _ = outcome(other, wait_status(chat.port, batch_id, "completed"))
        assert len(outputs) == 50


def message(custom_id, **changes):
    return {"custom_id": custom_id, "params": {"model": "claude", "max_tokens": 10,
        "messages": [{"role": "user", "content": "hi"}]}} | changes


def test_anthropics_batches_end_with_every_result(front, worker):
    def answer(connection, _, __):
        connection.sendall(response(200,
            '{"type": "message", "content": [{"type": "text", "text": "yes"}], "usage": '
            '{"input_tokens": 1, "output_tokens": 1}}'))
    with ScriptedBackend({"hi": answer}) as backend:
        add_model(front.url, "claude", backend.url.removesuffix("/v1"), api="anthropic-messages")
        worker(front.url)
        made = send(front.port, "POST", "/v1/messages/batches",
            {"requests": [message(f"m-{n}") for n in range(20)]}).json
        assert made["type"] == "message_batch" and made[
            "processing_status"] == "in_progress" and made["results_url"] is None
        assert made["request_counts"] == {"processing": 20, "succeeded": 0, "errored": 0,
            "canceled": 0, "expired": 0}
        path = f"/v1/messages/batches/{made['id']}"
        ended = wait_for(lambda: (b := send(front.port, "GET", path).json)["processing_status"]
            == "ended" and b, 60, "the end")
    assert ended["request_counts"] == {"processing": 0, "succeeded": 20, "errored": 0,
        "canceled": 0, "expired": 0}
    results = [json.loads(text)
        for text in send(front.port, "GET", ended["results_url"]).body.splitlines()]
    assert {each["custom_id"] for each in results} == {f"m-{n}"
        for n in range(20)} and len(results) == 20
    assert results[0]["result"]["type"] == "succeeded" and results[0]["result"]["message"][
        "content"][0]["text"] == "yes"
    assert send(front.port, "GET", f"/v1/batches/{made['id']}").status == 404
    assert send(front.port, "GET", "/v1/messages/batches?limit=1").json["first_id"] == made["id"]
    assert send(front.port, "DELETE", path).json == {"id": made["id"],
        "type": "message_batch_deleted"}
    assert send(front.port, "GET", path).status == 404


def test_anthropics_batch_is_cancelled_and_refused(front):
    add_model(front.url, "claude", "http://127.0.0.1:1", api="anthropic-messages")
    query(front.url, "select sluice.pause('claude')")
    made = send(front.port, "POST", "/v1/messages/batches",
        {"requests": [message("a"), message("b")]}).json
    path = f"/v1/messages/batches/{made['id']}"
    assert send(front.port, "GET", path + "/results").status == 400
    assert send(front.port, "DELETE", path).status == 400
    assert send(front.port, "POST", path + "/cancel").json["processing_status"] == "canceling"
    ended = wait_for(lambda: (b := send(front.port, "GET", path).json)["processing_status"]
        == "ended" and b, 60, "the end")
    assert ended["request_counts"]["canceled"] == 2
    results = [json.loads(text)["result"]
        for text in send(front.port, "GET", path + "/results").body.splitlines()]
    assert results == [{"type": "canceled"}] * 2
    for requests in ([], None, [message("a"), message("a")], [message("a", params=[])],
            [message("a", params={"model": "nobody"})], [7]):
        refused = send(front.port, "POST", "/v1/messages/batches", {"requests": requests})
        assert refused.status == 400, refused.body
    assert query(front.url, "select count(*) from sluice.batch") == [(1,)]


def test_another_tenants_files_and_batches_are_not_there(front, server, sluice):
    file = upload(front.port, [line("a")])
    batch_id = post_batch(front.port, file).json["id"]
    key = sluice("key", "create", "b", "--tenant", "b", "--scope", "submit,read", "--database-url",
        front.url).stdout.strip()
    port = server(front.url, keys=True).port
    wait_for(lambda: send(port, "GET", "/v1/files", key=key).status == 200, what="the key's force")
    for method, path in (("GET", f"/v1/files/{file}"), ("GET", f"/v1/files/{file}/content"),
            ("DELETE", f"/v1/files/{file}"), ("GET", f"/v1/batches/{batch_id}"),
            ("POST", f"/v1/batches/{batch_id}/cancel")):
        assert send(port, method, path, key=key).status == 404, path
    assert post_batch(port, file, key=key).status == 404
    add_model(front.url, "claude", "http://127.0.0.1:1", api="anthropic-messages")
    messages = "/v1/messages/batches/" + send(front.port, "POST", "/v1/messages/batches",
        {"requests": [message("a")]}).json["id"]
    for method, path in (("GET", messages), ("DELETE", messages), ("POST", messages + "/cancel"),
            ("GET", messages + "/results")):
        assert send(port, method, path, key=key).status == 404, path
    for path in ("/v1/files", "/v1/batches", "/v1/messages/batches"):
        assert send(port, "GET", path, key=key).json["data"] == []
    assert batch(front.port, batch_id)["status"] not in ENDED
