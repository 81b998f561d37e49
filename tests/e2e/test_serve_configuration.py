"""Configuration over HTTP: models, routes and tenants are replaced, changed, paused; workers
follow."""
import concurrent.futures
import contextlib
import pathlib
import re

import pytest
from conftest import connect, http, query, wait_for
from queue_tools import add_model, submit, wait_ended

pytestmark = pytest.mark.plain_build_only


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
    changed = call("PATCH", "/v1/models/m", {"tpm": 1000, "keep_response": True}).json
    assert (changed["rpm"], changed["tpm"], changed["timeout"], changed["keep_response"]) == (60,
        1000, "00:00:05", True)
    replaced = call("PUT", "/model-config/m", {"url": "http://127.0.0.1:2"}).json
    assert (replaced["rpm"], replaced["tpm"], replaced["timeout"]) == (None, None, "00:05:00")
    shown = call("GET", "/v1/models/m").json
    assert shown.items() >= replaced.items()
    assert {"id": "m", "object": "model", "owned_by": "sluice"}.items() <= shown.items()


def test_what_a_model_cannot_be_is_refused_and_changes_nothing(call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1", "rpm": 60})
    before = call("GET", "/v1/models/m").json
    for body in ({"rpm": -1}, {"rpm": "many"}, {"colour": 1}, {"id": 7}, {"paused": "perhaps"}, [],
            7, "text", "{", {"url": None}, {"secret": "sk-a-real-one"}, {"timeout": "soon"}):
        for method, path in (("PATCH", "/v1/models/m"), ("PUT", "/v1/models/m"),
                ("PUT", "/model-config/m")):
            reply = call(method, path, body)
            assert (reply.status, reply.error) == (400, "invalid_request"), body
            assert "sk-a-real-one" not in reply.body
    assert call("GET", "/v1/models/m").json == before
    assert call("PATCH", "/v1/models/nobody", {"rpm": 1}).status == 404
    assert call("GET", "/v1/models/nobody").status == 404
    assert call("POST", "/v1/models/nobody/pause").status == 404


def columns(url, table):
    return [row[0] for row in query(url, "select unnest(sluice.configurable_columns(%s))", [table])]


def test_a_put_takes_every_column_that_a_get_shows(url, call):
    """Whatever columns there are: each alone, and all together, as they are shown; and each is
    kept."""
    changed = {"rpm": 60, "tpm": 6000, "burst": 2, "secret": "env:KEY", "upstream_model": "big",
        "hedge_after": "00:00:20", "paused": True, "closed_until": "infinity",
        "closed_reason": "because", "max_in_flight": 7, "max_unfinished": 70, "input_price": 1.5,
        "output_price": 2.5, "role": "nobody", "default_model": "any"}
    for table, path, needed in (("models", "/v1/models/m", {"url": "http://127.0.0.1:1"}),
            ("models", "/model-config/m", {"url": "http://127.0.0.1:1"}),
            ("tenants", "/v1/tenants/m", {}), ("settings", "/v1/settings", {})):
        shown = call("PUT", path, needed).json
        assert set(columns(url, table)) == set(shown)
        for column, value in shown.items():
            assert call("PUT", path, needed | {column: value}).json == shown, column
        assert call("PUT", path, shown).json == shown
        for column in set(changed) & set(shown):
            value = changed[column]
            assert call("PUT", path, shown | ({"rpm": 600} if "rpm" in shown else {})
                | {column: value}).json[column] == value, column
        call("PUT", path, shown)


def test_a_refusal_names_the_key_the_value_and_what_is_allowed(call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1"})
    for method, path, body, param, words in (
            ("PATCH", "/v1/models/m", {"tpm": 5, "rpm": "many"}, "rpm",
                ['rpm "many"', "whole number"]),
            ("PATCH", "/v1/models/m", {"rpm": -1}, "rpm", ["rpm -1", "between 1 and 6 million"]),
            ("PATCH", "/v1/models/m", {"timeout": "soon"}, "timeout",
                ['timeout "soon"', "duration", '"30 s"']),
            ("PATCH", "/v1/models/m", {"hedge_max": 11}, "hedge_max", ["hedge_max 11", "1 to 10"]),
            ("PATCH", "/v1/models/m", {"api": "soap"}, "api", ['"soap"', "openai-chat"]),
            ("PATCH", "/v1/models/m", {"url": "nowhere"}, "url", ['url "nowhere"', "http://"]),
            ("PATCH", "/v1/models/m", {"url": None}, "url", ["url cannot be null"]),
            ("PATCH", "/v1/models/m", {"secret": "sk-a-real-one"}, "secret",
                ["secret is refused", "env:NAME"]),
            ("PATCH", "/v1/models/m", {"colour": 1}, "colour", ['"colour"', "rpm"]),
            ("PUT", "/v1/models/n", {"rpm": 1}, "url", ["url is missing"]),
            ("PUT", "/v1/models/n", "{", None, ["not a JSON object"]),
            ("PUT", "/v1/models/n", '{"rpm": nope}', None, ["not valid JSON"]),
            ("PUT", "/v1/models/any", {"url": "http://127.0.0.1:1"}, "name", ['"any"', "route"]),
            ("PUT", "/v1/routes/r", {"m": 1, "nobody": 1}, "nobody",
                ['no model "nobody"', "any, m"]),
            ("PUT", "/v1/routes/r", {"m": "much"}, "m", ['"much"', "number of at least 0"]),
            ("PATCH", "/v1/tenants/t", {"weight": 0}, None, []),
            ("PUT", "/v1/tenants/t", {"weight": 0}, "weight", ["weight 0", "positive"]),
            ("PATCH", "/v1/settings", {"default_model": "nobody"}, "default_model",
                ['"nobody"', "any, m"]),
            ("PATCH", "/v1/settings", {"retention": "-1 day"}, "retention",
                ['retention "-1 day"', "positive"]),
            ("PATCH", "/v1/settings", {"retention": 7}, "retention",
                ["retention 7 has no unit", '"7 days"']),
            ("PUT", "/v1/models/n", {"url": "http://127.0.0.1:1", "timeout": " 300 "}, "timeout",
                ['timeout " 300 "', "unit"]),
            ("POST", "/v1/models/m/close", {"until": "soon"}, "until",
                ['until "soon"', "2030-01-01"]),
            ("POST", "/v1/tasks/cancel", {"batch_id": "one"}, "batch_id",
                ['batch_id "one"', "whole number"]),
            ("GET", "/v1/tasks?limit=many", None, "limit", ['"many"', "1 to 100"]),
            ("GET", "/v1/tasks?status=lost", None, "status", ['"lost"', "solved"]),
            ("GET", "/v1/tasks?colour=1", None, "colour", ['"colour"', "status"])):
        reply = call(method, path, body)
        if param is None and not words:
            assert reply.status == 404
            continue
        error = reply.json["error"]
        assert (reply.status, error["type"], error["param"]) == (400,
            "invalid_request", param), reply.body
        assert all(word in f"{error['message']} {error['hint']}" for word in words), reply.body
        assert not re.search(r"violates|invalid input syntax|constraint|sk-a-real",
            reply.body), reply.body


def test_what_is_no_more_used_is_deleted(url, call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1", "paused": True})
    tasks = [submit(url, "x") for _ in range(3)]
    refused = call("DELETE", "/v1/models/m")
    assert (refused.status, refused.error) == (409,
        "conflict") and "unfinished tasks: 3" in refused.json["error"]["message"]
    assert "cancel them" in refused.json["error"]["hint"]
    assert call("POST", "/v1/tasks/cancel", {"model": "m"}).json == {"cancelled": len(tasks)}
    call("PATCH", "/v1/settings", {"default_model": "m"})
    assert "default_model" in call("DELETE", "/v1/models/m").json["error"]["message"]
    call("PATCH", "/v1/models/m", {"name": "n"})
    assert call("GET", "/v1/settings").json["default_model"] == "n"
    call("PATCH", "/v1/settings", {"default_model": None})
    assert call("DELETE", "/v1/models/n").json == {"name": "n", "deleted": True}
    assert call("GET", "/v1/models/n").status == call("DELETE", "/v1/models/n").status == 404


def test_a_deletion_beside_a_long_tick_gives_up_and_says_why(url, call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1"})
    with contextlib.closing(connect(url)) as tick:
        tick.cursor().execute("select pg_advisory_lock(sluice.lock_class('tick'), 0)")
        refused = call("DELETE", "/v1/models/m")
        assert (refused.status, refused.error, refused.json["error"]["code"]) == (503,
            "unavailable", "55P03")
        assert "Delete it again later" in refused.json["error"]["hint"]
    assert call("DELETE", "/v1/models/m").json == {"name": "m", "deleted": True}


def test_gauges_do_not_wait_behind_bulk_work(url, call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1"})
    submit(url, "x")
    with contextlib.closing(connect(url)) as other, concurrent.futures.ThreadPoolExecutor(
            1) as pool:
        other.cursor().execute("begin; lock table sluice.audit in exclusive mode")
        cancelled = pool.submit(call, "POST", "/v1/tasks/cancel", {"model": "m"})
        wait_for(lambda: query(url, "select count(*) from pg_stat_activity "
                "where datname = current_database() and wait_event_type = 'Lock'") == [(1,)],
            what="the bulk work to wait")
        assert 'sluice_queue_depth{model="m"' in call("GET", "/metrics").body
        other.cursor().execute("rollback")
        assert cancelled.result(60).json == {"cancelled": 1}


def test_what_works_is_shown(url, call, mock, worker):
    add_model(url, "m", mock("--error-rate", "1").url, max_attempts=1)
    process = worker(url)
    task = submit(url, "x")
    assert wait_ended(url, 1) == {"failed": 1}
    (queue,) = call("GET", "/v1/queues").json["data"]
    assert queue == call("GET",
        "/v1/queues/m").json and queue["model"] == "m" and queue["unfinished"] == 0
    assert [w["name"] for w in call("GET", "/v1/workers").json["data"]
        if w["alive"]] and process.running()
    letters = call("GET", "/v1/dead-letters?model=m").json
    assert [each["id"] for each in letters["data"]] == [task] and letters["data"][0]["error"]
    query(url, "update sluice.models set paused = true")
    assert call("POST", "/v1/tasks/redrive",
        {"error_like": "nothing like it"}).json == {"redriven": 0}
    assert call("POST", "/v1/tasks/redrive", {"model": "m"}).json == {"redriven": 1}
    assert call("GET", "/v1/dead-letters").json["data"] == []


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
    assert call("POST", "/v1/models/m/close",
        {"until": "2999-01-01T00:00:00Z", "reason": "holidays"}).status == 200
    shown = call("GET", "/v1/models/m").json
    assert shown["closed_until"].startswith("2999-01-01") and shown["closed_reason"] == "holidays"
    assert call("POST", "/v1/models/m/close", {}).json == {"name": "m", "closed_until": "infinity"}
    for body in ("", "[]", '{"until": "never ever"}', {"when": 1}):
        assert call("POST", "/v1/models/m/close", body).status == 400, body


def test_a_route_gets_exactly_these_models(call):
    for name in ("a", "b"):
        call("PUT", f"/v1/models/{name}", {"url": "http://127.0.0.1:1"})
    assert call("PUT", "/v1/routes/fast", {"a": 0.3, "b": 0.7}).json == {"a": 0.3, "b": 0.7}
    assert call("PUT", "/v1/routes/fast", {"b": 1}).status == 200
    assert call("GET", "/v1/routes").json["fast"] == {"b": 1}
    assert call("PATCH", "/v1/models/a", {"input_price": 0}).status == 200
    assert {m["id"]: m["has_price"] for m in call("GET", "/v1/models").json["data"]} == {
        "a": True, "b": False, "any": None, "fast": None}
    assert call("PUT", "/v1/prices/b", {"per_request": 0.01}).status == 200
    assert {m["id"]: m["has_price"] for m in call("GET", "/v1/models").json["data"]}["b"] is True
    assert call("GET", "/v1/models/fast").json["id"] == "fast"
    for body in ({"nobody": 1}, {"a": -1}, {"a": "much"}, [], "{"):
        assert call("PUT", "/v1/routes/fast", body).status == 400, body
    assert call("PATCH", "/v1/routes/fast", {"prefer": "cost"}).json == {
        "route": "fast", "prefer": "cost"}
    choice = call("GET", "/v1/routes/fast/choice").json
    assert choice["prefer"] == "cost" and [m["price"] for m in choice["models"]] == [0.01]
    for body in ({"prefer": "speed"}, {"prefer": None}, {}, {"by": "cost"}, []):
        assert call("PATCH", "/v1/routes/fast", body).status == 400, body
    assert call("PATCH", "/v1/routes/none", {"prefer": "cost"}).status == 404
    assert call("GET", "/v1/routes/none/choice").status == 404
    assert call("PUT", "/v1/routes/fast", {}).status == 200
    assert "fast" not in call("GET", "/v1/routes").json


def test_a_tenant_is_made_and_changed(url, call):
    made = call("PUT", "/v1/tenants/a%20b%2Fc", {"weight": 2, "max_unfinished": 5})
    assert made.status == 200 and made.json["name"] == "a b/c"
    assert call("PATCH", "/v1/tenants/a%20b%2Fc", {"weight": 3}).json["max_unfinished"] == 5
    assert query(url, "select weight, max_unfinished from sluice.tenants "
        "where name = 'a b/c'") == [(3, 5)]
    assert [t["name"] for t in call("GET", "/v1/tenants").json["data"]] == ["a b/c"]
    assert call("GET", "/v1/tenants/a%20b%2Fc").json["weight"] == 3
    assert call("PATCH", "/v1/tenants/nobody", {"weight": 3}).status == 404
    assert call("PUT", "/v1/tenants/x", {"weight": 0}).status == 400


def test_changes_are_on_record(url, call):
    call("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1"})
    call("POST", "/v1/models/m/pause")
    assert query(url, "select action, object from sluice.audit order by id") == [("replace models",
        "m"), ("pause", "m")]


def test_the_document_names_every_route_and_no_other():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    routes = set(re.findall(r'^ +\{"([A-Z]+)", "([^"]+)", Scope',
            (root / "src/api/routes.cc").read_text(), re.M))
    documented = set()
    for line in (root / "docs/http.md").read_text().splitlines():
        if line.startswith("| `"):
            named = re.findall(r"`([A-Z]+) (/\S+?)`|`…(/\w+)`", line.split("|")[1])
            for method, path, ending in named:
                if ending:  # `POST …/pause`, `…/resume`
                    method, path = named[0][0], named[0][1].rsplit("/", 1)[0] + ending
                documented.add((method, re.sub(r"\{\w+\}", "{}", path)))
    without_key = {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics"),
        ("GET", "/console/…"), *((method, "/console/session") for method in ("GET", "POST",
            "DELETE"))}
    assert documented - without_key == routes
