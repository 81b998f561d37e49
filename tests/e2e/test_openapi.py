"""docs/openapi.yaml against the server: the routes, and for each the statuses, headers and bodies
that it takes and gives."""
import json
import re
import socket
import threading
from http.client import HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jsonschema
import pytest
import yaml
from batch_tools import form, line
from conftest import ROOT, Reply, connect, http, query, wait_for
from queue_tools import add_model, submit

DOCUMENT = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text())
# not in the table of routes
PROBES = {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")}
PARTS = ("allOf", "anyOf", "oneOf")
# Any other word is a slip: a comma in a description without quotes makes one.
KEYWORDS = {*PARTS, "$ref", "type", "properties", "required", "additionalProperties",
    "unevaluatedProperties", "items", "minItems", "maxItems", "enum", "const", "minimum", "maximum",
    "exclusiveMinimum", "minLength", "maxLength", "pattern", "format", "minProperties",
    "maxProperties", "propertyNames", "default", "description", "examples"}


def operations():
    """(method, path) → the operation, with the parameters of its path."""
    return {(method.upper(), path): operation
        | {"parameters": item.get("parameters", []) + operation.get("parameters", [])}
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items() if method != "parameters"}


def find(reference):
    found = DOCUMENT
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return found


def resolved(node):
    return find(node["$ref"]) if "$ref" in node else node


def takes_any_key(schema):
    return "additionalProperties" in schema or any(takes_any_key(part) for name in PARTS
        for part in schema.get(name, ()))


def inlined(schema, closes, is_whole=True):
    """`schema` without references. If `closes`, a key that it does not name is an error: clients
    ignore such keys, but what the server tells must be in the document. What stands beside a
    reference narrows it, and names nothing new."""
    narrows = "$ref" in schema
    whole = {name: value for name, value in schema.items() if name != "$ref"}
    for name in PARTS:
        if name in schema:
            whole[name] = [inlined(part, closes, False) for part in schema[name]]
    if narrows:
        whole["allOf"] = [*whole.get("allOf", []), inlined(find(schema["$ref"]), closes, False)]
    if "properties" in schema:
        whole["properties"] = {name: inlined(value, closes, not narrows)
            for name, value in schema["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            whole[name] = inlined(schema[name], closes)
    if closes and is_whole and not takes_any_key(whole):
        whole["unevaluatedProperties"] = False
    return whole


def fault(schema, value, closes=True):
    """What is wrong with `value`, or None."""
    validator = jsonschema.Draft202012Validator(inlined(schema, closes))
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    return error and f"{error.json_path}: {error.message}"


def schemas(node=DOCUMENT, path=()):
    """Every schema of the document, those within schemas included, and its place."""
    if isinstance(node, list):
        for number, part in enumerate(node):
            yield from schemas(part, (*path, number))
    elif isinstance(node, dict):
        holder = path[-1] if path else ""
        if path[:2] == ("components", "schemas") and len(path) == 3 or holder in ("schema", "items",
                "additionalProperties") or (len(path) > 1 and path[-2] in ("properties", *PARTS)):
            yield path, node
        for name, part in node.items():
            if name not in ("enum", "const", "default", "examples"):
                yield from schemas(part, (*path, name))


def references(node=DOCUMENT):
    if isinstance(node, dict):
        yield from [node["$ref"]] if "$ref" in node else []
        node = list(node.values())
    for part in node if isinstance(node, list) else ():
        yield from references(part)


def table_of_errors():
    """(status, type) of docs/http.md."""
    return {(int(status), kind) for status, kind in re.findall(r"^\| (\d{3}) \| `(\w+)` \|",
            (ROOT / "docs/http.md").read_text(), re.M)}


def test_the_document_is_sound(sluice):
    assert DOCUMENT["info"]["version"] == sluice("--version").stdout.split()[-1]
    components = {f"#/components/{kind}/{name}" for kind, named in DOCUMENT["components"].items()
        for name in named}
    unused = components - set(references()) - {f"#/components/securitySchemes/{name}"
        for name in DOCUMENT["components"]["securitySchemes"]}
    assert not unused and all(find(reference) for reference in references())
    for path, schema in schemas():
        assert set(schema) <= KEYWORDS, path
        jsonschema.Draft202012Validator.check_schema(schema)
    names = [operation["operationId"] for operation in operations().values()]
    assert len(names) == len(set(names))
    for (_, path), operation in operations().items():
        in_path = {resolved(parameter)["name"] for parameter in operation["parameters"]
            if resolved(parameter)["in"] == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path)), path
        assert operation["summary"] and operation["tags"][0] in {tag["name"]
            for tag in DOCUMENT["tags"]}


def test_the_document_has_every_route_with_its_scope_and_no_other():
    routes = {(method, pattern, scope) for method, pattern, scope in re.findall(
        r'^ +\{"([A-Z]+)", "([^"]+)", Scope::(\w+)',
        (ROOT / "src/api/routes.cc").read_text(), re.M)}
    documented = set()
    for (method, path), operation in operations().items():
        scopes = [list(way.values()) for way in operation["security"]]
        if (method, path) in PROBES:
            assert scopes == []
        else:
            # one for each way to send a key
            assert len(scopes) == 2 and scopes[0] == scopes[1], path
            documented.add((method, re.sub(r"{\w+}", "{}", path), scopes[0][0][0]))
    assert documented == routes


def test_the_documents_agree_on_the_types_of_errors():
    types = set()
    for response in DOCUMENT["components"]["responses"].values():
        for narrowed in [content["schema"].get("properties", {}).get("error")
                for content in response["content"].values()]:
            kind = narrowed["properties"]["type"] if narrowed else {"enum": []}
            types |= {kind["const"]} if "const" in kind else set(kind["enum"])
    # A completion's types are its backend's, too, and are not listed; a wrong method has no
    # operation.
    assert types == {kind for _, kind in table_of_errors()} - {"timeout", "parked",
        "method_not_allowed"}


def test_the_documents_agree_on_the_states_and_faults_of_batches():
    words = (ROOT / "docs/http.md").read_text().partition(
        "\n| status | means |")[2].partition("\n\n")[0]
    states = [each for row in re.findall(r"^\| (`.*?) \|", words, re.M)
        for each in re.findall(r"`(\w+)`", row)]
    codes = re.findall(r"`(\w+)`", words.partition("Codes:")[2].partition("\n")[0])
    schemas = DOCUMENT["components"]["schemas"]
    assert sorted(states) == sorted(schemas["BatchStatus"]["enum"])
    assert sorted(codes) == sorted(schemas["BatchError"]["properties"]["code"]["enum"])


def test_the_keys_are_those_of_the_database(pg):
    url = pg.database()

    def columns(table):
        return {row[0] for row in query(url,
            "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0",
            [table])}

    def settings(table):
        return set(query(url, "select sluice.configurable_columns(%s)", [table])[0][0])

    named = {name: set(schema.get("properties", {}))
        for name, schema in DOCUMENT["components"]["schemas"].items()}
    assert named["NewTask"] == columns("sluice.task_draft")
    assert named["Task"] | named["TaskFacts"] == columns("sluice.tasks")
    assert named["ModelSettings"] == settings("models")
    assert named["TenantSettings"] == settings("tenants")
    assert named["Pricing"] == columns("sluice.pricing")
    assert named["Price"] == columns("sluice.price_row")
    assert named["BudgetSettings"] == settings("budgets")
    assert named["Settings"] == settings("settings")
    assert named["RampRequest"] == columns("sluice.ramp_request")
    assert named["ShadowRequest"] == columns("sluice.shadow_request")
    assert named["DeadLetter"] == columns("sluice.dead_letters")
    assert named["Conditions"] == columns("sluice.conditions")
    assert named["JobFilter"] == columns("sluice.job_conditions")
    assert named["JobRequest"] == columns("sluice.job_request")
    assert named["Conditions"] | named["FailedConditions"] == columns("sluice.failed_conditions")


BACKEND_ANSWERS = {
    "/solve": {"answer": "fine"},
    "/v1/chat/completions": {"object": "chat.completion",
        "choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]},
    "/v1/responses": {"status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "fine"}]}]},
    "/v1/embeddings": {"data": [{"index": 0, "embedding": [0.5]}]},
    "/v1/messages": {"content": [{"type": "text", "text": "fine"}], "stop_reason": "end_turn"}}
# Route → the api of its models, and a body.
COMPLETIONS = {
    "/v1/chat/completions": ("openai-chat", {"messages": [{"role": "user", "content": "2+2?"}]}),
    "/v1/responses": ("openai-responses", {"input": "2+2?"}),
    "/v1/embeddings": ("openai-embeddings", {"input": "2+2?"}),
    "/v1/messages": ("anthropic-messages",
        {"max_tokens": 9, "messages": [{"role": "user", "content": "2+2?"}]})}


@pytest.fixture
def backend():
    """The address of a backend of every api, which answers 422 to "refuse" and 500 to "break"."""
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.send_response(422 if "refuse" in body else 500 if "break" in body else 200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(BACKEND_ANSWERS[self.path]).encode())

        def log_message(self, *_):
            pass
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def encoded(content_type, value):
    """(content type, body) of a request. A form's objects become name[key]=value, as the style
    deepObject says."""
    if content_type != "multipart/form-data":
        return content_type, value
    fields = {}
    for name, field in value.items():
        fields |= {f"{name}[{key}]": each for key, each in field.items()} if isinstance(field,
            dict) else {name: field}
    return form({name: field for name, field in fields.items() if name != "file"}, fields["file"])


class Caller:
    """Sends requests to a server, and holds each answer to the document."""

    def __init__(self, port, keys):
        self.port, self.keys = port, keys
        self.seen = set()  # (method, path, the response's key in the document)

    def __call__(self, status, method, path, body=None, query="", key="admin", headers=(), **names):
        sent, headers = body, dict(headers)
        if body is not None:
            content_type, request = next(
                iter(resolved(operations()[method, path]["requestBody"])["content"].items()))
            headers["Content-Type"], sent = encoded(content_type, body)
            if status in (200, 201, 202, 400):
                wrong = fault(request["schema"], body, closes=False)
                assert (wrong is not None) == (status == 400), (method, path, status, body, wrong)
        reply = http(self.port, method, path.format(**names) + query, sent,
            self.keys.get(key), headers)
        assert reply.status == status, (method, path, reply.status, reply.body)
        self.check(method, path, reply)
        return reply

    def check(self, method, path, reply):
        responses = operations()[method, path]["responses"]
        where = next(key for key in (str(reply.status), f"{reply.status // 100}XX", "default")
            if key in responses)
        self.seen.add((method, path, where))
        response = resolved(responses[where])
        content_type = reply.headers["Content-Type"].split(";")[0]
        assert content_type in response["content"], (method, path, content_type)
        value = reply.json if content_type == "application/json" else reply.body
        wrong = fault(response["content"][content_type]["schema"], value)
        assert wrong is None, (method, path, reply.status, wrong, reply.body)
        if reply.status >= 400 and path != "/readyz" and not where.endswith("XX"):
            assert (reply.status, reply.error) in table_of_errors(), (method, path,
                reply.status, reply.error)
        for name, header in response.get("headers", {}).items():
            given = reply.headers[name]
            if given is not None or resolved(header).get("required"):
                assert fault(resolved(header)["schema"], given) is None, (method, path, name, given)

    def unseen(self):
        return {(*route, where) for route, operation in operations().items()
            for where in operation["responses"]} - self.seen


@pytest.fixture
def call(pg, server, sluice, worker, backend):
    """A Caller on a database with a worker, models and keys: admin, read, submit, and t: a
    tenant's. What model "waits" gets stays unfinished."""
    url = pg.database()
    for name in ("m", "waits"):
        add_model(url, name, backend, paused=name == "waits")
    for api, _ in COMPLETIONS.values():
        add_model(url, api, backend + ("" if api.startswith("anthropic") else "/v1"),
            api=api, max_attempts=1)
    process = server(url, "--stream-life", "2s", keys=True)
    keys = {}
    for name, flags in {"admin": ("--scope", "admin"), "read": ("--scope", "read"), "submit":
            ("--scope", "submit"), "t": ("--tenant", "t", "--scope", "submit,read")}.items():
        keys[name] = sluice("key", "create", name, *flags, "--database-url", url).stdout.strip()
    worker(url)
    caller = Caller(process.port, keys)
    caller.url, caller.backend = url, backend
    return caller


def call_for_tasks(call):
    tasks, task = "/v1/tasks", "/v1/tasks/{id}"
    new = {"prompt": "2+2?", "model": "m", "priority": "hot", "metadata": {"a": 1},
        "run_at": "2000-01-01T00:00:00Z", "max_attempts": 2}
    call(202, "POST", "/task", new)
    for path in ("/task", tasks):
        call(200, "POST", path, new, query="?dry_run=true")
    solved = call(202, "POST", tasks, new).json["id"]
    assert call(200, "GET", task, query="?wait=60s", id=solved).json["status"] == "solved"
    waiting = call(202, "POST", tasks, [{"prompt": "x", "model": "waits"},
            {"request": {"prompt": "x"}, "model": "waits"}]).json["ids"][0]
    call(200, "GET", task, id=waiting)
    assert len(call(200, "GET", tasks).json["data"]) == 4
    call(200, "GET", tasks,
        query="?status=solved&model=m&tenant=default&limit=2&after=1000&batch_id=1")
    call(200, "GET", task + "/explain", id=waiting)
    call(400, "POST", task + "/redrive", id=waiting)
    call(200, "DELETE", task, id=waiting)
    call(200, "GET", task + "/events", id=waiting)
    call(202, "POST", task + "/redrive", id=waiting)
    for path in ("/timeline", "/texts"):
        call(200, "GET", task + path, id=solved)
        call(200, "GET", task + path, id=waiting)
    assert call(200, "GET", tasks + "/search", query="?limit=2").json["next_before"]
    call(200, "GET", tasks + "/search", query="?status=solved&model=m&tenant=default&batch_id=1"
        "&priority=50&since=2000-01-01&until=2999-01-01&error_code=x&metadata_key=a"
        "&metadata_value=1&text=2&before=1000")
    call(400, "GET", tasks + "/search", query="?colour=red")
    unfinished = submit(call.url, "x", "waits")
    call(400, "POST", task + "/forget", id=unfinished)
    call(200, "DELETE", task, id=unfinished)
    call(200, "POST", task + "/forget", id=unfinished)
    for path in (tasks, "/task"):
        wrong = [{"prompt": "x", **key}
            for key in ({"max_attempts": 0}, {"colour": 1}, {"priority": "warm"})]
        for body in ({}, *wrong, [], 7, [{"model": "m"}]):
            call(400, "POST", path, body)
        call(404, "POST", path, {"prompt": "x", "model": "nobody"})
        call(202, "POST", path, {"prompt": "x", "model": "waits"},
            headers={"Idempotency-Key": path})
        call(422, "POST", path, {"prompt": "y", "model": "waits"},
            headers={"Idempotency-Key": path})
    call(400, "GET", tasks, query="?limit=0")
    call(400, "GET", task, query="?wait=soon", id=solved)
    call(403, "GET", tasks, query="?tenant=u", key="t")
    for method, path in ((method, path) for method, path in operations() if "{id}" in path):
        for prefix in ("", "file-", "batch_", "msgbatch_"):
            call(404, method, path, id=f"{prefix}999999")


def limits_told(reply):
    return {name.lower() for name in reply.headers if name.lower().startswith("x-ratelimit-")}


def call_for_completions(call):
    limits = {name for name in DOCUMENT["components"]["responses"]["Completed"]["headers"]
        if name.startswith("x-ratelimit-")}
    for path, (api, body) in COMPLETIONS.items():
        headers = {"Sluice-Priority": "hot", "traceparent": "00-1", "Sluice-Affinity-Key": "chat"}
        assert limits_told(call(200, "POST", path, body | {"model": api}, headers=headers)) == set()
        call(200, "PATCH", "/v1/models/{name}", {"rpm": 6000, "tpm": 1_000_000}, name=api)
        assert limits_told(call(200, "POST", path, body | {"model": api})) == limits
        call(404, "POST", path, body | {"model": "m"})
        call(400, "POST", path, [])
        refused = call(422, "POST", path, body | {"model": api, "user": "refuse"})
        assert refused.headers["X-Should-Retry"] == "false" and limits_told(refused) == limits
        call(502, "POST", path, body | {"model": api, "user": "break"})
    for path, (api, body) in COMPLETIONS.items():
        if api != "openai-embeddings":
            stream = call(200, "POST", path, body | {"model": api, "stream": True})
            assert stream.headers["Content-Type"] == "text/event-stream", path


FILES, FILE, CONTENT = "/v1/files", "/v1/files/{id}", "/v1/files/{id}/content"
BATCHES, BATCH = "/v1/batches", "/v1/batches/{id}"
MESSAGE_BATCHES, MESSAGE_BATCH = "/v1/messages/batches", "/v1/messages/batches/{id}"


def call_for_files(call):
    new = {"purpose": "batch", "file": line("a") + "\n"}
    made = call(200, "POST", FILES,
        new | {"expires_after": {"anchor": "created_at", "seconds": 3600}}).json
    assert made["expires_at"] == made["created_at"] + 3600
    last = call(200, "POST", FILES, {"purpose": "batch", "file": ""}).json
    assert call(200, "GET", FILES).json["data"] == [last, made]
    assert call(200, "GET", FILES,
        query=f"?limit=1&order=asc&purpose=batch&after={made['id']}").json["data"] == [last]
    assert call(200, "GET", FILES, query="?purpose=batch_output").json["first_id"] is None
    assert call(200, "GET", FILE, id=made["id"]).json == made
    assert call(200, "GET", CONTENT, id=made["id"]).body == new["file"]
    call(200, "DELETE", FILE, id=made["id"])
    lifetimes = ({"seconds": 3600}, {"anchor": "created_at", "seconds": 3599})
    for key in ({"purpose": "fine-tune"}, *({"expires_after": each} for each in lifetimes)):
        call(400, "POST", FILES, new | key)
    for wrong in ("limit=0", "limit=10001", "order=up", "after=7"):
        call(400, "GET", FILES, query=f"?{wrong}")


def begin_batch(call, lines, **changes):
    """The id of a new batch, and that of its file."""
    file = call(200, "POST", FILES, {"purpose": "batch", "file": "\n".join(lines)}).json["id"]
    body = {"input_file_id": file, "endpoint": "/v1/chat/completions",
        "completion_window": "24h"} | changes
    return call(200, "POST", BATCHES, body).json["id"], file


def wait_for_batch(call, batch_id, state):
    """Waits until a batch of either API is in this state; the batch."""
    path = MESSAGE_BATCH if batch_id.startswith("msg") else BATCH

    def look():
        batch = call(200, "GET", path, id=batch_id).json
        return batch if batch.get("status", batch.get("processing_status")) == state else None
    return wait_for(look, 60, f"batch {batch_id} to be {state}")


def call_for_batches(call):
    add_model(call.url, "paused-chat", call.backend + "/v1", api="openai-chat", paused=True)
    lifetime = {"anchor": "created_at", "seconds": 7200}
    mixed = [line("a", model="openai-chat"), line("b", "refuse", model="openai-chat")]
    batch, _ = begin_batch(call, mixed, metadata={"team": "search"}, output_expires_after=lifetime)
    ended = wait_for_batch(call, batch, "completed")
    assert ended["request_counts"] == {"total": 2, "completed": 1, "failed": 1}
    for name in ("output_file_id", "error_file_id"):
        call(200, "GET", FILE, id=ended[name])
        assert call(200, "GET", CONTENT,
            id=ended[name]).headers["Content-Type"] == "application/octet-stream"
    call(400, "POST", BATCH + "/cancel", id=batch)
    failed, _ = begin_batch(call, [line("a", model="paused-chat"), "{", line("a", model="nobody")])
    assert {each["code"] for each in wait_for_batch(call, failed, "failed")["errors"]["data"]} == {
        "invalid_json_line", "model_not_found", "duplicate_custom_id"}
    empty, _ = begin_batch(call, [])
    assert wait_for_batch(call, empty, "failed")["errors"]["data"][0]["line"] is None
    expired, _ = begin_batch(call, [line("a", model="paused-chat")], completion_window="1s")
    wait_for_batch(call, expired, "expired")
    cancelled, file = begin_batch(call, [line("a", model="paused-chat")])
    wait_for_batch(call, cancelled, "in_progress")
    call(200, "POST", BATCH + "/cancel", id=cancelled)
    wait_for_batch(call, cancelled, "cancelled")
    assert call(200, "GET", BATCHES).json["last_id"] == batch
    assert call(200, "GET", BATCHES,
        query=f"?limit=2&after={cancelled}").json["first_id"] == expired
    new = {"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h"}
    assert call(200, "POST", BATCHES, new, query="?dry_run=true").json["object"] == "estimate"
    call(404, "POST", BATCHES, new | {"input_file_id": "file-999999"})
    metadata = ({"k": 1}, {"k" * 65: "v"}, {"k": "v" * 513}, {str(n): "v" for n in range(17)}, [])
    for key in ({"endpoint": "/v1/messages"}, {"completion_window": None},
            {"output_expires_after": {"seconds": 7200}},
            {"output_expires_after": lifetime | {"seconds": 1}},
            *({"metadata": each} for each in metadata)):
        call(400, "POST", BATCHES, new | key)
    call(400, "POST", BATCHES, [])
    for wrong in ("limit=0", "limit=101", "after=7"):
        call(400, "GET", BATCHES, query=f"?{wrong}")


def call_for_message_batches(call):
    add_model(call.url, "paused-messages", call.backend, api="anthropic-messages", paused=True)

    def requests(*models):
        return {"requests": [{"custom_id": f"r-{n}",
            "params": COMPLETIONS["/v1/messages"][1] | {"model": model}}
                             for n, model in enumerate(models)]}
    mixed = requests("anthropic-messages", "anthropic-messages")
    mixed["requests"][1]["params"]["system"] = "refuse"
    batch = call(200, "POST", MESSAGE_BATCHES, mixed).json["id"]
    counts = wait_for_batch(call, batch, "ended")["request_counts"]
    assert (counts["succeeded"], counts["errored"]) == (1, 1)
    results = call(200, "GET", MESSAGE_BATCH + "/results", id=batch)
    assert {json.loads(each)["result"]["type"]
        for each in results.body.splitlines()} == {"succeeded", "errored"}
    call(400, "POST", MESSAGE_BATCH + "/cancel", id=batch)
    cancelled = call(200, "POST", MESSAGE_BATCHES, requests("paused-messages")).json["id"]
    call(400, "GET", MESSAGE_BATCH + "/results", id=cancelled)
    call(400, "DELETE", MESSAGE_BATCH, id=cancelled)
    assert call(200, "POST", MESSAGE_BATCH + "/cancel", id=cancelled).json["cancel_initiated_at"]
    assert wait_for_batch(call, cancelled, "ended")["request_counts"]["canceled"] == 1
    assert call(200, "GET", MESSAGE_BATCHES).json["last_id"] == batch
    assert call(200, "GET", MESSAGE_BATCHES,
        query=f"?limit=1&after_id={cancelled}").json["first_id"] == batch
    assert call(200, "GET", MESSAGE_BATCHES,
        query=f"?limit=1&before_id={batch}").json["first_id"] == cancelled
    call(200, "POST", MESSAGE_BATCHES, requests("anthropic-messages"), query="?dry_run=true")
    call(200, "DELETE", MESSAGE_BATCH, id=batch)
    for body in ({}, {"requests": []}, {"requests": [7]}, {"requests": [{"custom_id": "a"}]}, []):
        call(400, "POST", MESSAGE_BATCHES, body)
    for params in ([], {"model": 7}):
        call(400, "POST", MESSAGE_BATCHES, {"requests": [{"custom_id": "a", "params": params}]})
    call(400, "POST", MESSAGE_BATCHES,
        {"requests": [{"custom_id": "", "params": {"model": "paused-messages"}}]})
    for wrong in ("limit=0", "limit=1001", "after_id=7", "before_id=batch_1"):
        call(400, "GET", MESSAGE_BATCHES, query=f"?{wrong}")


def call_for_configuration(call):
    model, tenant = "/v1/models/{name}", "/v1/tenants/{name}"
    for path in (model, "/model-config/{name}"):
        call(200, "PUT", path, {"url": call.backend, "rpm": 60, "timeout": "5s",
            "hedge_after": None}, name="new")
        for body in ({"rpm": 60}, {"url": "no address"},
                {"url": call.backend, "paused": "perhaps"}, []):
            call(400, "PUT", path, body, name="newer")
    call(200, "PATCH", model, {"tpm": 1000}, name="new")
    for body in ({"rpm": -1}, {"rpm": "many"}, {"url": None}, {"secret": "sk-a-real-one"},
            {"colour": 1}):
        call(400, "PATCH", model, body, name="new")
    call(404, "PATCH", model, {"tpm": 1000}, name="nobody")
    assert "rpm" in call(200, "GET", model, name="new").json and "rpm" not in call(200, "GET",
        model, key="read", name="new").json
    call(200, "GET", model, name="any")
    call(200, "GET", "/v1/models")
    call(400, "GET", "/v1/models", query="?x=%zz")
    call(200, "POST", model + "/pause", name="new")
    call(200, "POST", model + "/resume", name="new")
    for closing in ({"until": "2999-01-01T00:00:00Z", "reason": "holidays"}, {}):
        call(200, "POST", model + "/close", closing, name="new")
        call(200, "GET", model, name="new")
    call(400, "POST", model + "/close", [], name="new")
    for path in (model, model + "/pause", model + "/resume"):
        call(404, "GET" if path == model else "POST", path, name="nobody")
    call(404, "POST", model + "/close", {}, name="nobody")
    call(200, "PUT", "/v1/routes/{name}", {"m": 0.3, "new": 0.7}, name="fast")
    call(400, "PUT", "/v1/routes/{name}", {"m": -1}, name="fast")
    call(200, "GET", "/v1/routes")
    call(200, "PUT", tenant, {"weight": 2, "rpm": 60, "role": None},
        name="a tenant".replace(" ", "%20"))
    call(200, "PATCH", tenant, {"weight": 3}, name="a%20tenant")
    call(200, "GET", tenant, name="a%20tenant")
    call(200, "GET", "/v1/tenants")
    for method in ("PUT", "PATCH"):
        for body in ({"weight": 0}, {"colour": 1}, []):
            call(400, method, tenant, body, name="a%20tenant")
    call(404, "GET", tenant, name="nobody")
    call_for_fallbacks(call)
    call_for_prices(call)
    call_for_budgets(call)
    call_for_deletions(call)
    call_for_settings_and_keys(call)
    call_for_revisions(call)
    call_for_trials(call)
    call(404, "PATCH", tenant, {"weight": 3}, name="nobody")


def call_for_prices(call):
    price = "/v1/prices/{name}"
    call(200, "PUT", price, {"input": 0.15, "cached_input": None, "output": 0.6}, name="new")
    for body in ({"input": -1}, {"input": "x"}, {"colour": 1}, []):
        call(400, "PUT", price, body, name="new")
    call(404, "PUT", price, {"input": 1}, name="nobody")
    call(200, "GET", price, name="new")
    call(404, "GET", price, name="nobody")
    call(200, "GET", "/v1/prices")


def call_for_fallbacks(call):
    fallbacks = "/v1/fallbacks/{name}"
    call(200, "PUT", fallbacks, {"context_too_long": "m"}, name="new")
    call(400, "PUT", fallbacks, {"context_too_long": 1}, name="new")
    call(404, "PUT", fallbacks, {"context_too_long": "m"}, name="nobody")
    call(200, "GET", fallbacks, name="new")
    call(404, "GET", fallbacks, name="nobody")
    call(200, "GET", "/v1/fallbacks")
    call(200, "PUT", "/v1/routes/{name}", {"m": 1, "new": {"tier": 2}}, name="tiered")
    call(200, "GET", "/v1/routes/{name}", name="tiered")


def call_for_budgets(call):
    budget = "/v1/budgets/{name}"
    call(200, "PUT", budget, {"scope": "system", "limit_nanos": 50_000_000_000,
        "is_hard": False}, name="b")
    call(200, "PATCH", budget, {"period": "rolling", "rolling": "1 day"}, name="b")
    for method in ("PUT", "PATCH"):
        for body in ({"scope": "planet"}, {"colour": 1}, []):
            call(400, method, budget, body, name="b")
    call(404, "PATCH", budget, {"period": "day"}, name="nobody")
    call(200, "GET", budget, name="b")
    call(404, "GET", budget, name="nobody")
    call(200, "GET", "/v1/budgets")
    call(200, "DELETE", budget, name="b")
    call(404, "DELETE", budget, name="nobody")


def call_for_deletions(call):
    for kind, body in (("models", {"url": call.backend}), ("routes", {"m": 1}),
            ("tenants", {"weight": 1})):
        path = f"/v1/{kind}/{{name}}"
        call(200, "PUT", path, body, name="doomed")
        assert call(200, "DELETE", path, name="doomed").json == {"name": "doomed", "deleted": True}
        call(404, "DELETE", path, name="doomed")
    call(200, "GET", "/v1/routes/{name}", name="fast")
    call(404, "GET", "/v1/routes/{name}", name="nobody")
    call(200, "PATCH", "/v1/routes/{name}", {"prefer": "latency"}, name="fast")
    call(400, "PATCH", "/v1/routes/{name}", {"prefer": "speed"}, name="fast")
    call(404, "PATCH", "/v1/routes/{name}", {"prefer": "cost"}, name="nobody")
    call(200, "GET", "/v1/routes/{name}/choice", name="fast")
    call(404, "GET", "/v1/routes/{name}/choice", name="nobody")
    add_model(call.url, "alone", call.backend, paused=True)
    submit(call.url, "x", "alone")
    assert "unfinished tasks: 1" in call(409, "DELETE", "/v1/models/{name}",
        name="alone").json["error"]["message"]
    call(200, "PATCH", "/v1/settings", {"default_model": "fast"})
    call(409, "DELETE", "/v1/routes/{name}", name="fast")


def call_for_settings_and_keys(call):
    settings = call(200, "GET", "/v1/settings").json
    call(200, "PUT", "/v1/settings", settings | {"default_model": None})
    for method in ("PUT", "PATCH"):
        for body in ({"max_unfinished": 0}, {"colour": 1}, {"events": "perhaps"}, []):
            call(400, method, "/v1/settings", body)
    made = call(201, "POST", "/v1/keys", {"name": "k"}).json
    call(201, "POST", "/v1/keys", {"name": "k", "tenant": "t", "scopes": ["read"]})
    for body in ({}, {"name": ""}, {"name": "k", "scopes": ["all"]}, {"name": "k", "key": "x"}):
        call(400, "POST", "/v1/keys", body)
    page = call(200, "GET", "/v1/keys", query="?limit=1").json
    call(200, "GET", "/v1/keys", query=f"?after={page['next']}")
    call(400, "GET", "/v1/keys", query="?limit=0")
    call(200, "DELETE", "/v1/keys/{id}", id=made["id"])
    call(404, "DELETE", "/v1/keys/{id}", id=made["id"])
    call(200, "GET", "/v1/overview")
    call(200, "GET", "/v1/models/{name}/limits", name="m")
    call(404, "GET", "/v1/models/{name}/limits", name="nobody")
    call(200, "GET", "/v1/audit", query="?limit=2&before=1000")
    call(400, "GET", "/v1/audit", query="?limit=0")
    call(200, "GET", "/v1/queues")
    call(200, "GET", "/v1/queues/{name}", name="m")
    call(404, "GET", "/v1/queues/{name}", name="nobody")
    call(200, "GET", "/v1/workers")
    call(200, "GET", "/v1/doctor")
    assert "event: overview" in call(200, "GET", "/v1/live").body


def call_for_trials(call):
    ramp = {"route": "tried", "model": "waits"}
    call(200, "PUT", "/v1/routes/{name}", {"m": 1, "waits": 0}, name="tried")
    assert call(201, "POST", "/v1/ramps", ramp | {"share": 0.5, "step_time": "1 minute",
        "p95_margin": None, "reason": "to see"}).json["weight"] > 0
    for body in (ramp | {"share": 2}, ramp | {"colour": 1}, []):
        call(400, "POST", "/v1/ramps", body)
    call(404, "POST", "/v1/ramps", {"route": "tried"})
    for verb in ("pause", "resume", "stop"):
        path = f"/v1/ramps/{{name}}/{verb}"
        call(400, "POST", path, {"colour": 1}, name="tried")
        call(200, "POST", path, {"reason": "no"}, name="tried")
        call(404, "POST", path, name="nobody")
    assert call(200, "GET", "/v1/ramps").json["data"][0]["state"] == "stopped"
    shadow = {"kind": "models", "name": "m", "changes": {"rpm": 3000}}
    for body in ({}, shadow | {"kind": "settings"}, shadow | {"changes": {}}, []):
        call(400, "POST", "/v1/shadows", body)
    call(404, "POST", "/v1/shadows", {"kind": "models", "changes": {"rpm": 3000}})
    for verb in ("drop", "apply"):
        number = call(201, "POST", "/v1/shadows", shadow | {"reason": "to see"}).json["id"]
        assert call(200, "GET", "/v1/shadows/{id}", id=number).json["hours"] == []
        path = f"/v1/shadows/{{id}}/{verb}"
        call(400, "POST", path, {"colour": 1}, id=number)
        call(200, "POST", path, {"reason": "seen"}, id=number)
        call(404, "POST", path, id=number)
    assert call(200, "GET", "/v1/shadows").json["data"][0]["state"] == "applied"
    call(404, "GET", "/v1/shadows/{id}", id=999)


def call_for_revisions(call):
    revisions, revert = "/v1/revisions", "/v1/revisions/{id}/revert"
    for rpm in (6000, 7000):
        call(200, "PATCH", "/v1/models/{name}", {"rpm": rpm}, name="m")
    last, older = call(200, "GET", revisions,
        query="?kind=models&name=m&limit=2&before=99999").json["data"]
    call(400, "GET", revisions, query="?kind=keys")
    call(409, "POST", revert, {"force": False}, id=older["id"])
    call(400, "POST", revert, {"colour": 1}, id=last["id"])
    call(200, "POST", revert, {}, id=last["id"])
    call(200, "POST", revert, {"force": True}, id=older["id"])
    call_for_history(call)


def call_for_history(call):
    query(call.url, "select sluice.keep_history(clock_timestamp() + interval '1 minute')")
    assert call(200, "GET", "/v1/history", query="?step=day&by=model,tenant").json["data"]
    call(200, "GET", "/v1/history", query="?step=hour&by=tenant&format=csv")
    assert call(200, "GET", "/v1/history", query="?step=day&by=key").json["data"]
    call(200, "GET", "/v1/history", query="?step=hour&by=key&format=csv")
    for wrong in ("step=week", "by=key", "by=route", "since=noon", "format=xml", "colour=red"):
        call(400, "GET", "/v1/history", query="?" + wrong)


def call_for_bulk(call):
    submit(call.url, "x", "waits", metadata='{"bulk": 1}')
    assert call(200, "POST", "/v1/tasks/cancel",
        {"model": "waits", "metadata": {"bulk": 1}}).json == {"cancelled": 1}
    call(200, "POST", "/v1/tasks/redrive", {"model": "waits", "error_like": "%",
        "error_code": "x", "tenant": "nobody"})
    call(200, "POST", "/v1/tasks/forget", {"metadata": {"bulk": 1}, "since": "2020-01-01T00:00:00Z",
        "until": "2999-01-01T00:00:00Z"})
    for action in ("cancel", "redrive", "forget"):
        for body in ({}, {"colour": 1}, {"batch_id": "one"}, {"since": 7}, []):
            call(400, "POST", f"/v1/tasks/{action}", body)
        call(404, "POST", f"/v1/tasks/{action}", {"model": "nobody"})
    call(200, "GET", "/v1/dead-letters",
        query="?model=m&tenant=default&limit=2&after=1000&batch_id=1")
    call(400, "GET", "/v1/dead-letters", query="?limit=0")
    failed = submit(call.url, "refuse", "m")
    wait_for(lambda: query(call.url, "select 1 from sluice.result where task_id = %s", [failed]))
    assert call(200, "GET", "/v1/dead-letters/groups",
        query="?model=m&tenant=default&since=2000-01-01T00:00:00Z&before=1000").json["data"]
    call(400, "GET", "/v1/dead-letters/groups", query="?since=once")


def call_for_jobs(call):
    request = {"action": "cancel", "filter": {"model": "waits", "metadata": {"nobody": 1}}}
    call(200, "POST", "/v1/jobs", request | {"dry_run": True})
    number = call(201, "POST", "/v1/jobs", request).json["id"]
    for body in ({}, request | {"action": "explode"}, request | {"colour": 1},
            request | {"priority": 101}, request | {"filter": {"batch_id": "one"}},
            request | {"filter": {"ids": ["one"]}}, request | {"filter": {"ids": []}}, []):
        call(400, "POST", "/v1/jobs", body)
    call(200, "POST", "/v1/jobs", {"action": "redrive", "to": "waits", "dry_run": True,
        "filter": {"ids": ["1", 2]}})
    call(404, "POST", "/v1/jobs", request | {"filter": {"model": "nobody"}})
    call(200, "GET", "/v1/jobs", query="?limit=2&before=1000")
    call(400, "GET", "/v1/jobs", query="?limit=0")
    call(200, "GET", "/v1/jobs/{id}", id=number)
    call(200, "POST", "/v1/jobs/{id}/cancel", id=number)
    call(400, "POST", "/v1/jobs/{id}/undo", id=number)  # nothing was done
    submit(call.url, "x", "waits", metadata='{"jobs": 1}')
    number = call(201, "POST", "/v1/jobs", {"action": "prioritise", "priority": 7, "filter":
        {"metadata": {"jobs": 1}}}).json["id"]
    wait_for(lambda: call(200, "GET", "/v1/jobs/{id}", id=number).json["state"] == "done", 30,
        "the job")
    call(200, "POST", "/v1/jobs/{id}/undo", id=number)
    for method, path in (("GET", ""), ("POST", "/cancel"), ("POST", "/undo")):
        call(404, method, "/v1/jobs/{id}" + path, id=999)


def call_where_there_is_no_room(call):
    """The refusals of what is well formed: too large, the tenant's cap, the system's bound."""
    paths = {"/v1/tasks": {"prompt": "x" * 100, "model": "waits"},
        "/task": {"prompt": "x" * 100, "model": "waits"}}
    query(call.url, "update sluice.settings set request_bytes_max = 50")
    for path, body in paths.items():
        call(413, "POST", path, body)
    query(call.url, "update sluice.settings set request_bytes_max = default")
    query(call.url, "insert into sluice.tenants (name, max_unfinished) values ('t', 1)")
    submit(call.url, "x", "waits", tenant="t")
    paths |= {path: body | {"model": api} for path, (api, body) in COMPLETIONS.items()}
    for path, body in paths.items():
        call(429, "POST", path, body, key="t")
    query(call.url, "update sluice.settings set max_unfinished = 1")
    for path, body in paths.items():
        call(503, "POST", path, body)
    # A batch whose lines find no room goes on reading its file.
    call(400, "DELETE", FILE, id=begin_batch(call, [line("a", model="paused-chat")])[1])


def call_where_the_tenant_has_its_most(call):
    params = COMPLETIONS["/v1/messages"][1] | {"model": "paused-messages"}
    query(call.url, "update sluice.settings set tenant_max_batches = 0")
    file = call(200, "POST", FILES, {"purpose": "batch", "file": line("a")}).json["id"]
    call(429, "POST", BATCHES, {"input_file_id": file, "endpoint": "/v1/chat/completions",
        "completion_window": "24h"})
    call(429, "POST", MESSAGE_BATCHES, {"requests": [{"custom_id": "a", "params": params}]})
    query(call.url, "update sluice.settings set tenant_max_batches = default, tenant_max_files = 0")
    call(429, "POST", FILES, {"purpose": "batch", "file": "x"})
    query(call.url, "update sluice.settings set tenant_max_files = null")


def call_where_there_is_no_room_for_files(call):
    lines = (b"x" * 3999 + b"\n") * 50_000
    call(413, "POST", FILES, {"purpose": "batch", "file": lines + b"x"})
    file = call(200, "POST", FILES, {"purpose": "batch", "file": "x"}).json["id"]
    query(call.url, "create or replace function sluice.files_bytes_max() returns bigint "
        "language sql as 'select 1'")
    call(503, "POST", FILES, {"purpose": "batch", "file": "x"})
    call(503, "POST", BATCHES, {"input_file_id": file, "endpoint": "/v1/chat/completions",
        "completion_window": "24h"})
    params = COMPLETIONS["/v1/messages"][1] | {"model": "paused-messages"}
    call(503, "POST", MESSAGE_BATCHES, {"requests": [{"custom_id": "a", "params": params}]})


def send_unchecked(call, method, path, *headers):
    """A request with these headers alone; the reply."""
    with socket.create_connection(("127.0.0.1", call.port), 20) as connection:
        head = (f"{method} {path.format(id=1, name='m')} HTTP/1.1", "Host: localhost", *headers)
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n")
        response = HTTPResponse(connection, method=method)
        response.begin()
        return Reply(response)


def call_against_the_rules_of_http(call):
    """What the HTTP server itself refuses, whoever asks."""
    reply = send_unchecked(call, "POST", "/v1/tasks", "Content-Length: 0", "Content-Length: 0")
    assert reply.status == 400
    call.check("POST", "/v1/tasks", reply)
    for method, path in operations():
        if method in ("POST", "PUT", "PATCH"):
            reply = send_unchecked(call, method, path)
            assert reply.status == 411 and "411" in operations()[method, path]["responses"], (
                method, path)
            call.check(method, path, reply)
    reply = http(call.port, "POST", "/v1/tasks", b" " * ((64 << 20) + 1), call.keys["submit"])
    assert reply.status == 413
    call.check("POST", "/v1/tasks", reply)


def call_without_the_right(call):
    for (method, path), operation in operations().items():
        if operation["security"]:
            scope = operation["security"][0]["bearer"][0]
            call(401, method, path, key=None, id=1, name="m")
            call(403, method, path, key="submit" if scope == "read" else "read", id=1, name="m")


def call_without_a_database(call):
    session = connect(call.url)
    session.autocommit = False
    try:
        # the server's probe waits for it
        session.cursor().execute("lock table sluice.api_key in access exclusive mode")
        wait_for(lambda: http(call.port, "GET", "/readyz").status == 503, what="readiness to end")
        call(503, "GET", "/readyz")
        call(503, "POST", "/v1/tasks", {"prompt": "x"})
        call(503, "GET", "/v1/tasks")
    finally:
        session.close()


def test_every_answer_of_the_document_is_given_as_it_says(call):
    for _, path in PROBES:
        call(200, "GET", path, key=None)
    call_for_tasks(call)
    call_for_bulk(call)
    call_for_jobs(call)
    call_for_completions(call)
    call_for_files(call)
    call_for_batches(call)
    call_for_message_batches(call)
    call_for_configuration(call)
    call_without_the_right(call)
    call_against_the_rules_of_http(call)
    call_where_the_tenant_has_its_most(call)
    call_where_there_is_no_room(call)
    call_where_there_is_no_room_for_files(call)
    call_without_a_database(call)
    assert call.unseen() == set()
