"""Versions of payloads: checked at submit, given to workers that serve them, and shown."""
import json

import pytest
from conftest import http, query
from queue_tools import add_model, submit, wait_ended

SCHEMA = {"type": "object", "required": ["messages"], "properties": {
    "messages": {"type": "array", "items": {"properties": {"role": {"enum": ["user"]}}}}}}


@pytest.fixture
def url(pg, mock):
    """A database with model m, whose payloads are of version 1 or 2."""
    url = pg.database()
    add_model(url, "m", mock("--latency", "1ms").url)
    query(url, "insert into sluice.payload_schema (target, version, schema) values "
        "('m', '1', null), ('m', '2', %s), ('any', '1', null)", [json.dumps(SCHEMA)])
    return url


def version_of(url, task):
    return query(url, "select schema_version from sluice.tasks where id = %s", [task])[0][0]


def test_a_worker_gets_the_versions_that_it_serves(url, worker):
    old = [submit(url, "old", schema_version="1"), submit(url, "old", "any", schema_version="1")]
    plain = submit(url, "plain")
    query(url, "insert into sluice.payload_schema (target, version) values ('m', '3')")
    waiting = submit(url, "newer", schema_version="3")
    worker(url, "--schema-version", "1,2")
    assert wait_ended(url, 3) == {"solved": 3}
    assert {row[0] for row in query(url, "select task_id from sluice.result")} == {*old, plain}
    assert "no live worker serves schema version 3" in query(url, "select sluice.explain(%s)",
        [waiting])[0][0]
    assert query(url, "select unserved_versions from sluice.queues") == [(["3"],)]
    assert query(url, "select schema_versions from sluice.workers") == [(["1", "2"],)]
    worker(url, "--schema-version", "3")
    assert wait_ended(url, 4) == {"solved": 4}
    assert [version_of(url, task) for task in (plain, old[0], waiting)] == [None, "1", "3"]


def test_a_worker_that_names_none_serves_all_and_one_ends_without_others(url, worker):
    submit(url, "x", schema_version="1")
    once = worker(url, "--once", "--schema-version", "2")
    assert once.wait(60) == 0
    assert query(url, "select count(*) from sluice.result")[0][0] == 0
    worker(url)
    assert wait_ended(url, 1) == {"solved": 1}


def test_a_payload_is_checked_over_http(url, server):
    port = server(url).port

    def post(body):
        return http(port, "POST", "/v1/tasks", body)
    good = {"messages": [{"role": "user"}]}
    task = post({"model": "m", "request": good, "schema_version": "2"}).json["id"]
    assert http(port, "GET", f"/v1/tasks/{task}").json["schema_version"] == "2"
    assert http(port, "GET", "/v1/tasks").json["data"][0]["schema_version"] == "2"
    bad = {"messages": [{"role": "user"}, {"role": "secret"}]}
    refused = post({"model": "m", "request": bad, "schema_version": "2"})
    assert (refused.status, refused.json["error"]["param"]) == (400, "request")
    assert "$.messages[1].role is none of the enum" in refused.json["error"]["message"]
    assert "secret" not in refused.body
    many = post([{"model": "m", "request": good, "schema_version": "2"},
        {"model": "m", "prompt": "x", "schema_version": "9"}])
    assert (many.status, many.json["error"]["param"]) == (400, "schema_version")
    assert many.json["error"]["message"] == 'task 2: "m" has no schema version "9"'
    assert http(port, "POST", "/v1/tasks?dry_run=true",
        [{"model": "m", "request": bad, "schema_version": "2"}]).status == 400
    assert query(url, "select count(*) from sluice.tasks")[0][0] == 1
