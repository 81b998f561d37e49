"""Configuration over HTTP: models, routes and tenants are replaced, changed, paused; workers follow."""
import pathlib
import re

import pytest
from conftest import http, query
from queue_tools import add_model, submit, wait_ended


@pytest.fixture
def url(pg):
    return pg.database()


@pytest.fixture
def call(url, server):
    port = server(url).port
    return lambda method, path, body=None, **more: http(port, method, path, body, **more)


def test_a_model_is_made_changed_and_replaced(call):
    made = call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1", "rpm": 60, "timeout": "5s"})
    assert made.status == 200 and made.json["timeout"] == "00:00:05"
    changed = call("PATCH", "/v1/models/m", {"tpm": 1000}).json
    assert (changed["rpm"], changed["tpm"], changed["timeout"]) == (60, 1000, "00:00:05")
    replaced = call("PUT", "/model-config/m", {"url": "http://127.0.0.1:2"}).json
    assert (replaced["rpm"], replaced["tpm"], replaced["timeout"]) == (None, None, "00:05:00")
    shown = call("GET", "/v1/models/m").json
    assert shown.items() >= replaced.items()
    assert {"id": "m", "object": "model", "owned_by": "sluice"}.items() <= shown.items()


def test_what_a_model_cannot_be_is_refused_and_changes_nothing(call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1", "rpm": 60})
    before = call("GET", "/v1/models/m").json
    for body in ({"rpm": -1}, {"rpm": "many"}, {"colour": 1}, {"id": 7}, {"paused": "perhaps"}, [], 7, "text", "{",
                 {"url": None}, {"secret": "sk-a-real-one"}, {"timeout": "soon"}):
        for method, path in (("PATCH", "/v1/models/m"), ("PUT", "/v1/models/m"), ("PUT", "/model-config/m")):
            reply = call(method, path, body)
            assert (reply.status, reply.error) == (400, "invalid_request"), body
            assert "sk-a-real-one" not in reply.body
    assert call("GET", "/v1/models/m").json == before
    assert call("PATCH", "/v1/models/nobody", {"rpm": 1}).status == 404
    assert call("GET", "/v1/models/nobody").status == 404
    assert call("POST", "/v1/models/nobody/pause").status == 404


def test_a_worker_follows_without_restart(url, call, mock, worker):
    add_model(url, "m", mock().url)
    assert call("POST", "/v1/models/m/pause").json == {"name": "m", "paused": True}
    worker(url)
    task = submit(url, "x")
    assert "paused" in call("GET", f"/v1/tasks/{task}/explain").json["explanation"]
    assert call("GET", "/v1/models/m").json["paused"] is True
    assert call("POST", "/v1/models/m/resume").status == 200
    assert wait_ended(url, 1) == {"solved": 1}


def test_a_model_is_closed_until_a_time(call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1"})
    assert call("POST", "/v1/models/m/close", {"until": "2999-01-01T00:00:00Z", "reason": "holidays"}).status == 200
    shown = call("GET", "/v1/models/m").json
    assert shown["closed_until"].startswith("2999-01-01") and shown["closed_reason"] == "holidays"
    assert call("POST", "/v1/models/m/close", {}).json == {"name": "m", "closed_until": "infinity"}
    for body in ("", "[]", '{"until": "never ever"}'):
        assert call("POST", "/v1/models/m/close", body).status == 400, body


def test_a_route_gets_exactly_these_models(call):
    for name in ("a", "b"):
        call("PUT", f"/v1/models/{name}", {"url": "http://127.0.0.1:1"})
    assert call("PUT", "/v1/routes/fast", {"a": 0.3, "b": 0.7}).json == {"a": 0.3, "b": 0.7}
    assert call("PUT", "/v1/routes/fast", {"b": 1}).status == 200
    assert call("GET", "/v1/routes").json["fast"] == {"b": 1}
    assert {m["id"] for m in call("GET", "/v1/models").json["data"]} == {"a", "b", "any", "fast"}
    assert call("GET", "/v1/models/fast").json["id"] == "fast"
    for body in ({"nobody": 1}, {"a": -1}, {"a": "much"}, [], "{"):
        assert call("PUT", "/v1/routes/fast", body).status == 400, body
    assert call("PUT", "/v1/routes/fast", {}).status == 200
    assert "fast" not in call("GET", "/v1/routes").json


def test_a_tenant_is_made_and_changed(url, call):
    made = call("PUT", "/v1/tenants/a%20b%2Fc", {"weight": 2, "max_unfinished": 5})
    assert made.status == 200 and made.json["name"] == "a b/c"
    assert call("PATCH", "/v1/tenants/a%20b%2Fc", {"weight": 3}).json["max_unfinished"] == 5
    assert query(url, "select weight, max_unfinished from sluice.tenants where name = 'a b/c'") == [(3, 5)]
    assert [t["name"] for t in call("GET", "/v1/tenants").json["data"]] == ["a b/c"]
    assert call("GET", "/v1/tenants/a%20b%2Fc").json["weight"] == 3
    assert call("PATCH", "/v1/tenants/nobody", {"weight": 3}).status == 404
    assert call("PUT", "/v1/tenants/x", {"weight": 0}).status == 400


def test_changes_are_on_record(url, call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1"})
    call("POST", "/v1/models/m/pause")
    assert query(url, "select action, object from sluice.audit order by id") == [("replace models", "m"), ("pause", "m")]


def test_the_document_names_every_route_and_no_other():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    routes = set(re.findall(r'^ +\{"([A-Z]+)", "([^"]+)", Scope', (root / "src/api/routes.cc").read_text(), re.M))
    documented = set()
    for line in (root / "docs/http.md").read_text().splitlines():
        if line.startswith("| `"):
            named = re.findall(r"`([A-Z]+) (/\S+?)`|`…(/\w+)`", line.split("|")[1])
            for method, path, ending in named:
                if ending:  # `POST …/pause`, `…/resume`
                    method, path = named[0][0], named[0][1].rsplit("/", 1)[0] + ending
                documented.add((method, re.sub(r"\{\w+\}", "{}", path)))
    assert documented - {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")} == routes
