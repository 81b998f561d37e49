"""The official SDKs, unchanged but for their base URL, and Python's as it writes on the wire."""
import pytest
from batch_tools import form
from conftest import http as send
from conftest import query, wait_for
from npm_tools import needs_npm, run_script
from queue_tools import add_model
from scripted_backend import ScriptedBackend, response

pytestmark = pytest.mark.plain_build_only


@pytest.fixture
def front(pg, server, mock, worker, sluice):
    """A server with keys, models "chat" that answers and "paused" that does not, and the key of a
    tenant."""
    class Front:
        url = pg.database()
    backend = mock("--latency", "5ms").url + "/v1"
    for name in ("chat", "paused"):
        add_model(Front.url, name, backend, api="openai-chat", paused=name == "paused")
    worker(Front.url)
    Front.port = server(Front.url, keys=True).port
    made = sluice("key", "create", "sdk", "--tenant", "t", "--scope", "submit,read",
        "--database-url", Front.url)
    Front.key = made.stdout.strip()
    wait_for(lambda: send(Front.port, "GET", "/v1/models", key=Front.key).status == 200,
        what="the key's force")
    return Front


@needs_npm
@pytest.mark.parametrize("sdk", ["openai5", "openai6"])
@pytest.mark.parametrize("scenario", ["uploads", "batch", "pages", "cancel", "expiry", "validation",
    "errors", "completions", "retries"])
def test_openais_sdk(front, sdk, scenario):
    if scenario == "retries":
        query(front.url, "insert into sluice.tenants (name, max_unfinished) values ('t', 1)")
        query(front.url, "select sluice.submit('x', 'paused', tenant => 't')")
    run_script("openai_batches.mjs", sdk, f"http://127.0.0.1:{front.port}/v1", front.key, scenario)


@needs_npm
@pytest.mark.parametrize("sdk", ["openai5", "openai6"])
def test_openais_sdk_reads_responses(front, sdk):
    def answer(connection, _, __):
        connection.sendall(response(200,
                '{"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", '
                '"model": "m", "output": [{"id": "msg_1", "type": "message", "role": "assistant", '
                '"status": "completed", "content": [{"type": "output_text", "text": "yes", '
                '"annotations": []}]}], "usage": {"input_tokens": 1, "output_tokens": '
                '1, "total_tokens": 2}}'))
    with ScriptedBackend({"2+2?": answer}) as backend:
        add_model(front.url, "answers", backend.url, api="openai-responses")
        run_script("openai_batches.mjs", sdk, f"http://127.0.0.1:{front.port}/v1",
            front.key, "responses")


@needs_npm
def test_anthropics_sdk(front, worker):
    def answer(connection, _, __):
        connection.sendall(response(200,
                '{"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", '
                '"stop_reason": "end_turn", "content": [{"type": "text", "text": "yes"}], "usage": '
                '{"input_tokens": 1, "output_tokens": 1}}'))
    with ScriptedBackend({"hi": answer}) as backend:
        for name in ("claude", "resting"):
            add_model(front.url, name, backend.url.removesuffix("/v1"), api="anthropic-messages",
                paused=name == "resting")
        run_script("anthropic_batches.mjs", f"http://127.0.0.1:{front.port}", front.key)


def test_pythons_sdk_on_the_wire(front):
    """As openai-python 1.x and httpx write it."""
    headers = {"Accept": "application/json", "User-Agent": "OpenAI/Python 1.109.1",
        "X-Stainless-Lang": "python", "X-Stainless-Retry-Count": "0",
        "X-Stainless-Read-Timeout": "600", "Accept-Encoding": "gzip, deflate"}
    line = ('{"custom_id":"a","method":"POST","url":"/v1/chat/completions",'
            '"body":{"model":"chat","messages":[{"role":"user","content":"x"}]}}')
    content_type, body = form({"purpose": "batch"}, line)
    file = send(front.port, "POST", "/v1/files", body, key=front.key,
        headers=headers | {"Content-Type": content_type})
    assert file.status == 200 and file.headers["Content-Type"] == "application/json"
    batch = ('{"completion_window":"24h","endpoint":"/v1/chat/completions",'
        f'"input_file_id":"{file.json["id"]}"}}')
    made = send(front.port, "POST", "/v1/batches", batch, key=front.key,
        headers=headers | {"Content-Type": "application/json"})
    path = f"/v1/batches/{made.json['id']}"
    ended = wait_for(lambda: (b := send(front.port, "GET", path, key=front.key,
                headers=headers).json)["status"] == "completed" and b, 60, "it")
    output = send(front.port, "GET", f"/v1/files/{ended['output_file_id']}/content", key=front.key,
                  headers=headers | {"Accept": "application/binary"})
    assert '"custom_id":"a"' in output.body
    listed = send(front.port, "GET", "/v1/batches?limit=1", key=front.key, headers=headers).json
    assert listed["has_more"] is False and listed["data"][0] == ended
    cancelled = send(front.port, "POST", path + "/cancel", key=front.key, headers=headers)
    assert cancelled.status == 400
