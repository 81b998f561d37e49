"""Keys of the HTTP front: scopes, tenants, revocation; what a key may not see is not there."""
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse

import pytest
from conftest import connect, http, query, wait_for
from key_tools import make_key, process, url, wait_for_refusal  # noqa: F401 (fixtures)
from queue_tools import submit


# Method, path ({} is a task of tenant a), body, and the scope that it needs.
ROUTES = [
    ("POST", "/v1/tasks", {"prompt": "x"}, "submit"),
    ("POST", "/task", {"prompt": "x"}, "submit"),
    ("POST", "/v1/tasks", [{"prompt": "x"}], "submit"),
    ("DELETE", "/v1/tasks/{}", None, "submit"),
    ("POST", "/v1/tasks/{}/redrive", None, "submit"),
    ("GET", "/v1/tasks/{}", None, "read"),
    ("GET", "/v1/tasks/{}?wait=1ms", None, "read"),
    ("GET", "/v1/tasks/{}/events", None, "read"),
    ("GET", "/v1/tasks", None, "read"),
    ("GET", "/v1/tasks/{}/explain", None, "read"),
    ("GET", "/v1/models", None, "read"),
    ("GET", "/v1/models/m", None, "read"),
    ("PUT", "/v1/models/m", {"url": "http://127.0.0.1:1"}, "admin"),
    ("PATCH", "/v1/models/m", {"rpm": 9}, "admin"),
    ("PUT", "/model-config/m", {"url": "http://127.0.0.1:1"}, "admin"),
    ("POST", "/v1/models/m/pause", None, "admin"),
    ("POST", "/v1/models/m/resume", None, "admin"),
    ("POST", "/v1/models/m/close", {"until": "2030-01-01"}, "admin"),
    ("GET", "/v1/routes", None, "admin"),
    ("PUT", "/v1/routes/r", {"m": 1}, "admin"),
    ("PATCH", "/v1/routes/r", {"prefer": "cost"}, "admin"),
    ("GET", "/v1/routes/r/choice", None, "admin"),
    ("GET", "/v1/fallbacks", None, "admin"),
    ("GET", "/v1/fallbacks/m", None, "admin"),
    ("PUT", "/v1/fallbacks/m", {}, "admin"),
    ("GET", "/v1/prices", None, "admin"),
    ("GET", "/v1/prices/m", None, "admin"),
    ("PUT", "/v1/prices/m", {"input": 1, "output": 2}, "admin"),
    ("GET", "/v1/budgets", None, "admin"),
    ("GET", "/v1/budgets/b", None, "admin"),
    ("PUT", "/v1/budgets/b", {"scope": "system", "limit_nanos": 50_000_000_000}, "admin"),
    ("PATCH", "/v1/budgets/b", {"is_hard": False}, "admin"),
    ("DELETE", "/v1/budgets/b", None, "admin"),
    ("GET", "/v1/ramps", None, "admin"),
    ("POST", "/v1/ramps", {"route": "none", "model": "m"}, "admin"),
    ("POST", "/v1/ramps/none/pause", None, "admin"),
    ("POST", "/v1/ramps/none/resume", None, "admin"),
    ("POST", "/v1/ramps/none/stop", None, "admin"),
    ("GET", "/v1/shadows", None, "admin"),
    ("POST", "/v1/shadows", {"kind": "models", "name": "m", "changes": {"rpm": 9}}, "admin"),
    ("GET", "/v1/shadows/999", None, "admin"),
    ("POST", "/v1/shadows/999/apply", None, "admin"),
    ("POST", "/v1/shadows/999/drop", None, "admin"),
    ("GET", "/v1/tenants", None, "admin"),
    ("GET", "/v1/tenants/t", None, "admin"),
    ("PUT", "/v1/tenants/t", {"weight": 1}, "admin"),
    ("PATCH", "/v1/tenants/t", {"weight": 1}, "admin"),
    ("DELETE", "/v1/tenants/none", None, "admin"),
    ("DELETE", "/v1/models/none", None, "admin"),
    ("DELETE", "/v1/routes/none", None, "admin"),
    ("GET", "/v1/routes/r", None, "admin"),
    ("POST", "/v1/tasks/{}/forget", None, "submit"),
    ("POST", "/v1/tasks/cancel", {"batch_id": 1}, "submit"),
    ("POST", "/v1/tasks/redrive", {"batch_id": 1}, "submit"),
    ("POST", "/v1/tasks/forget", {"batch_id": 1}, "submit"),
    ("POST", "/v1/jobs", {"action": "cancel", "filter": {"batch_id": 1}, "dry_run": True},
        "submit"),
    ("GET", "/v1/jobs", None, "read"),
    ("GET", "/v1/jobs/999", None, "read"),
    ("POST", "/v1/jobs/999/cancel", None, "submit"),
    ("POST", "/v1/jobs/999/undo", None, "submit"),
    ("GET", "/v1/dead-letters", None, "read"),
    ("GET", "/v1/overview", None, "read"),
    ("GET", "/v1/models/m/limits", None, "read"),
    ("GET", "/v1/tasks/search", None, "read"),
    ("GET", "/v1/tasks/{}/timeline", None, "read"),
    ("GET", "/v1/tasks/{}/texts", None, "read"),
    ("GET", "/v1/dead-letters/groups", None, "read"),
    ("GET", "/v1/audit", None, "admin"),
    ("GET", "/v1/revisions", None, "admin"),
    ("POST", "/v1/revisions/1/revert", {}, "admin"),
    ("GET", "/v1/queues", None, "read"),
    ("GET", "/v1/queues/m", None, "read"),
    ("GET", "/v1/workers", None, "read"),
    ("GET", "/v1/doctor", None, "admin"),
    ("GET", "/v1/live", None, "read"),
    ("GET", "/v1/history", None, "read"),
    ("GET", "/v1/settings", None, "admin"),
    ("PUT", "/v1/settings", {"default_model": "any"}, "admin"),
    ("PATCH", "/v1/settings", {}, "admin"),
    ("GET", "/v1/keys", None, "admin"),
    ("POST", "/v1/keys", {"name": "k"}, "admin"),
    ("DELETE", "/v1/keys/none", None, "admin")]


def test_each_route_asks_for_its_scope(url, server, make_key):
    process = server(url, "--stream-life", "1ms", keys=True)
    keys = {scope: make_key(scope, "--scope", scope) for scope in ("submit", "read", "admin")}
    for method, path, body, needed in ROUTES:
        for scope, key in keys.items():
            task = submit(url, "x")
            if path.endswith("/events"):
                query(url, "select sluice.cancel(%s)", [task])  # or it would tell of it for long
            reply = http(process.port, method, path.format(task), body, key=key)
            allowed = scope in (needed, "admin")
            assert (reply.status != 403) == allowed, (method, path, scope, reply.body)
            if not allowed:
                error = reply.json["error"]
                assert (error["message"] == f"this key lacks the scope {needed}"
                    and f"--scope {needed}" in error["hint"]), (method, path)


def test_without_a_valid_key_nothing_is_said(process, make_key):
    key = make_key("k", "--scope", "admin")
    last = "0" if key[-1] != "0" else "1"
    wrong = [None, "x", key[:-1], key + "0", key[:-1] + last, key.upper(), " " + key,
        "sluice_" + "0" * 16 + key[23:]]
    bodies = set()
    for method, path, body, _ in ROUTES + [("GET", "/v1/nothing", None, None),
            ("BREW", "/v1/tasks", None, None)]:
        for attempt in wrong:
            reply = http(process.port, method, path.format(1), body, key=attempt)
            assert reply.status == 401 and reply.headers["WWW-Authenticate"] == "Bearer", (method,
                path, attempt)
            bodies.add(reply.body)
    assert len(bodies) == 1
    for path in ("/healthz", "/readyz", "/metrics"):
        assert http(process.port, "GET", path).status == 200
    assert http(process.port, "GET", "/v1/tasks", headers={"x-api-key": key}).status == 200


def test_two_keys_in_one_request_are_refused(process, make_key):
    one, other = make_key("one", "--scope", "read"), make_key("other", "--scope", "admin")

    def status_and_message(*headers):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        with socket.create_connection(("127.0.0.1", process.port), 20) as connection:
            connection.sendall("GET /v1/tasks HTTP/1.1\r\nHost: h\r\nConnection: "
                f"close\r\n{lines}\r\n".encode())
            reply = HTTPResponse(connection)
            reply.begin()
            return reply.status, json.loads(reply.read()).get("error", {}).get("message")
    bearer, other_bearer = ("Authorization", f"Bearer {one}"), ("Authorization", f"Bearer {other}")
    assert status_and_message(bearer, other_bearer) == (400, "more than one Authorization")
    assert status_and_message(bearer, bearer) == (400, "more than one Authorization")
    assert status_and_message(("x-api-key", one), ("x-api-key", other)) == (400,
        "more than one x-api-key")
    assert status_and_message(bearer, ("x-api-key", other)) == (400,
        "Authorization and x-api-key hold different keys")
    assert status_and_message(bearer, ("x-api-key", one)) == (200, None)
    # a proxy's
    assert status_and_message(("Authorization", "Basic b3Blbjpz"),
        ("x-api-key", one)) == (200, None)


def test_another_tenants_task_is_not_there(url, process, make_key):
    key = make_key("b's", "--tenant", "b", "--scope", "submit,read")
    other = submit(url, "secret of a", tenant="a")
    for method, path, body, _ in ROUTES:
        if "{}" in path:
            reply, missing = (http(process.port, method, path.format(task), body, key=key)
                for task in (other, 999_999))
            said = missing.body.replace("no task 999999", f"no task {other}")
            assert reply.status == 404 and reply.body == said, (method, path)
    assert query(url, "select status from sluice.tasks where id = %s", [other]) == [("queued",)]
    assert http(process.port, "GET", "/v1/tasks", key=key).json["data"] == []
    assert http(process.port, "GET", "/v1/tasks?tenant=a", key=key).status == 403
    for body in ({"prompt": "x", "tenant": "a"}, [{"prompt": "x", "tenant": "a"}]):
        refused = http(process.port, "POST", "/v1/tasks", body, key=key)
        assert (refused.status, refused.error) == (403, "wrong_tenant")


def test_a_key_gives_its_tenant_and_keys_do_not_collide_over_tenants(url, process, make_key):
    keys = {tenant: make_key(tenant, "--tenant", tenant) for tenant in "ab"}
    ids = {tenant: http(process.port, "POST", "/v1/tasks", {"prompt": f"of {tenant}"}, key=key,
            headers={"Idempotency-Key": "same"}).json["id"] for tenant, key in keys.items()}
    assert dict(query(url, "select tenant, id from sluice.tasks")) == ids
    for tenant, key in keys.items():
        assert [t["id"]
            for t in http(process.port, "GET", "/v1/tasks", key=key).json["data"]] == [ids[tenant]]


def test_a_new_key_counts_from_its_first_request_on(process, make_key):
    for number in range(5):
        key = make_key(f"k{number}")
        assert http(process.port, "GET", "/v1/tasks", key=key).status == 200


def statements(url):
    """How many transactions the database has committed so far. Sessions tell of theirs once a
    second."""
    return query(url, "select xact_commit from pg_stat_database "
        "where datname = current_database()")[0][0]


@pytest.mark.plain_build_only
def test_a_flood_of_unknown_keys_makes_ten_statements_a_second(url, process, make_key):
    key = make_key("mine")
    made_up = ["sluice_%016x_%064x" % (number, number) for number in range(1500)]
    before, begun = statements(url), time.monotonic()
    with ThreadPoolExecutor(30) as clients:
        flood = clients.map(lambda each: http(process.port, "GET", "/v1/tasks", key=each).status,
            made_up)
        assert http(process.port, "GET", "/v1/tasks", key=key).status == 200
        assert http(process.port, "GET", "/v1/tasks", key=make_key("made meanwhile")).status == 200
        assert set(flood) == {401}
    took_s = time.monotonic() - begun
    time.sleep(2)  # until all have told of theirs: more cannot come
    # Ten look-ups a second, and below ten of the server's own: the keys, batches, metrics; and what
    # this test asks.
    assert statements(url) - before <= 20 * (took_s + 2) + 20 < 1500


def test_an_administrator_makes_lists_and_ends_keys_over_http(url, process, make_key):
    admin = make_key("admin", "--scope", "admin")
    made = http(process.port, "POST", "/v1/keys", {"name": "program", "tenant": "b"}, key=admin)
    assert made.status == 201 and made.json["scopes"] == ["submit",
        "read"] and made.headers["Cache-Control"] == "no-store"
    key = made.json["key"]
    assert http(process.port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"},
        key=key).status == 202
    assert query(url, "select tenant from sluice.tasks") == [("b",)]
    listed = http(process.port, "GET", "/v1/keys?limit=1", key=admin)
    assert [each["name"] for each in listed.json["data"]] == ["program"] and listed.json["has_more"]
    rest = http(process.port, "GET", f"/v1/keys?after={listed.json['next']}", key=admin).json
    assert [each["name"] for each in rest["data"]] == ["admin"] and not rest["has_more"]
    assert key.split("_")[2] not in listed.body and "sha256" not in listed.body
    assert http(process.port, "DELETE", f"/v1/keys/{made.json['id']}",
        key=admin).json == {"id": made.json["id"], "revoked": True}
    wait_for_refusal(lambda: http(process.port, "GET", "/v1/tasks", key=key))
    assert http(process.port, "DELETE", f"/v1/keys/{made.json['id']}", key=admin).status == 404
    for body, param in (({}, "name"), ({"name": ""}, "name"),
            ({"name": "k", "scopes": ["all"]}, "scopes"), ({"name": "k", "role": 1}, "role"),
            ({"name": "k", "scopes": 7}, "scopes")):
        refused = http(process.port, "POST", "/v1/keys", body, key=admin)
        assert (refused.status, refused.json["error"]["param"]) == (400, param), refused.body


def test_a_key_may_name_its_own_tenant_in_bulk_however_long_that_is(process, make_key):
    name = 100 * "ü"
    key = make_key("long", "--tenant", name, "--scope", "submit")
    assert http(process.port, "POST", "/v1/tasks/cancel", {"tenant": name}, key=key).status == 200
    assert http(process.port, "POST", "/v1/tasks/cancel", {"tenant": name + "x"},
        key=key).error == "wrong_tenant"


def test_a_tenants_key_acts_in_bulk_on_its_tasks_alone(url, process, make_key):
    key = make_key("b's", "--tenant", "b", "--scope", "submit,read")
    theirs, own = submit(url, "x", tenant="a"), submit(url, "x", tenant="b")
    assert http(process.port, "POST", "/v1/tasks/cancel", {"everything": True, "tenant": "a"},
        key=key).error == "wrong_tenant"
    for body in ({}, {"everything": False}, {"model": None}, {"metadata": {}}):
        assert http(process.port, "POST", "/v1/tasks/cancel", body,
            key=key).json["error"]["param"] == "everything"
    for body in ('{"everything": true, "everything": false}',
            '{"model": "m", "m\\u006fdel": null}'):
        assert "is given twice" in http(process.port, "POST", "/v1/tasks/cancel", body,
            key=key).json["error"]["message"]
    assert http(process.port, "POST", "/v1/tasks/cancel", {"everything": True},
        key=key).json == {"cancelled": 1}
    assert dict(query(url, "select id, status from sluice.tasks")) == {theirs: "queued",
        own: "cancelled"}
    query(url, "select sluice.cancel(%s)", [theirs])
    assert http(process.port, "POST", "/v1/tasks/forget", {"everything": True},
        key=key).json == {"forgotten": 1, "has_more": False}
    assert dict(query(url, "select id, prompt from sluice.tasks")) == {theirs: "x", own: ""}
    assert http(process.port, "GET", "/v1/queues", key=key).status == http(process.port, "GET",
        "/v1/workers", key=key).status == 403


def test_a_revoked_key_ends_within_seconds_and_is_listed(sluice, url, process, make_key):
    key = make_key("short-lived")
    listed = json.loads(sluice("key", "ls", "--json", "--database-url", url).stdout)
    assert (listed["name"], listed["revoked_at"]) == ("short-lived", None)
    assert listed["id"] in key and "sha256" not in listed
    assert sluice("key", "revoke", listed["id"], "--database-url", url).returncode == 0
    wait_for_refusal(lambda: http(process.port, "GET", "/v1/tasks", key=key))
    again = sluice("key", "revoke", listed["id"], "--database-url", url)
    assert again.returncode == 1 and "no key" in again.stderr
    assert "short-lived" in sluice("key", "ls", "--database-url", url).stdout


@pytest.mark.plain_build_only
def test_a_server_that_nobody_asks_reads_keys_seldom_and_refuses_what_was_revoked_meanwhile(url,
        process, make_key):
    key = make_key("k")
    assert http(process.port, "GET", "/v1/tasks", key=key).status == 200
    # Each look at the keys is a statement: three quiet seconds mean that it rests.
    wait_for(lambda: query(url, """
        select max(state_change) < clock_timestamp() - interval '3 s' from pg_stat_activity
        where datname = current_database() and query like '%%sluice.api_key k%%'
          and pid <> pg_backend_pid()""") == [(True,)], 40, "rest")
    query(url, "select sluice.revoke_key(id) from sluice.api_key where name = 'k'")
    assert http(process.port, "GET", "/v1/tasks", key=key).status == 401


@pytest.mark.plain_build_only
def test_a_server_does_not_rest_on_a_reading_that_failed(url, process):
    reading = ("datname = current_database() and query like '%%sluice.api_key k%%' and "
        "pid <> pg_backend_pid()")
    query(url, "update sluice.settings set idle_look = '6 s'")
    assert http(process.port, "GET", "/readyz").status == 200
    wait_for(lambda: query(url, "select max(state_change) < clock_timestamp() - interval '3 s' "
            f"from pg_stat_activity where {reading}") == [(True,)], 40, "rest")
    holder = connect(url)
    holder.autocommit = False
    with holder.cursor() as cursor:
        cursor.execute("lock table sluice.migration in access exclusive mode")
        wait_for(lambda: query(url, "select pg_terminate_backend(pid) from pg_stat_activity "
                f"where {reading} and wait_event_type = 'Lock'"), 20,
            "a reading to end in the middle")
    holder.close()
    [(failed,)] = query(url, "select clock_timestamp()")
    wait_for(lambda: query(url,
        f"select 1 from pg_stat_activity where {reading} and state = 'idle' and query_start > %s",
        [failed]), 5,
             "the next reading")
    assert http(process.port, "GET", "/readyz").status == 200


def test_the_key_is_stored_nowhere_and_logged_nowhere(url, process, make_key):
    key = make_key("k")
    http(process.port, "GET", "/v1/nothing?x=" + key, key=key)
    secret = key.split("_")[2]
    stored = query(url, "select k::text from sluice.api_key k union all "
        "select a::text from sluice.audit a")
    assert stored and all(secret not in row[0] for row in stored)
    assert secret not in process.stderr() + process.stdout()


def test_what_a_key_cannot_be_is_refused(sluice, url, process):
    for arguments in (("x", "--scope", "fly"), ("x", "--tenant", "t", "--scope", "admin"), ("",)):
        refused = sluice("key", "create", *arguments, "--database-url", url)
        assert refused.returncode in (1, 2) and refused.stderr and not refused.stdout, arguments
    assert query(url, "select count(*) from sluice.api_key") == [(0,)]


def test_without_keys_is_for_loopback_only(sluice, url):
    refused = sluice("serve", "--without-keys", "--listen", "0.0.0.0:0", "--database-url", url)
    assert refused.returncode == 2 and "loopback" in refused.stderr


def test_without_keys_pages_of_other_sites_are_refused(url, server):
    port = server(url).port
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"},
                    {"Host": f"evil.example:{port}"}, {"Host": "localhost.evil.example"}):
        assert http(port, "POST", "/v1/tasks", {"prompt": "x"},
            headers=headers).status in (401, 403), headers
    assert http(port, "POST", "/v1/tasks", {"prompt": "x"},
        headers={"Host": f"localhost:{port}"}).status == 202
    assert query(url, "select count(*) from sluice.tasks") == [(1,)]
