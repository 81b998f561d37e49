"""What the console reads over HTTP: the overview, the search, a task's timeline and texts, dead
letters in groups, the audit, revisions and reverts."""
import pytest
from conftest import http, query
from key_tools import make_key, process, url  # noqa: F401 (fixtures)
from queue_tools import add_model, submit

ID_BEYOND_53_BITS = 9_007_199_254_740_993


@pytest.fixture
def keys(make_key):
    """Keys by name: admin, read (of all tenants), and a: tenant a's."""
    return {"admin": make_key("admin", "--scope", "admin"), "read": make_key("read", "--scope",
            "read"), "a": make_key("a", "--tenant", "a", "--scope", "read")}


@pytest.fixture
def get(process, keys):
    """GET by path and key; the JSON of a 200."""
    def get(path, key="read", status=200):
        reply = http(process.port, "GET", path, key=keys[key])
        assert reply.status == status, (path, reply.status, reply.body)
        return reply.json
    return get


def failed_task(url, **arguments):
    """The id of a task that failed for good, by a worker's statements."""
    task = submit(url, "SECRETPROMPT", **arguments)
    worker = query(url, "select sluice.register_worker('w', 9)")[0][0]
    fence = query(url, "select fence from sluice.claim(%s, null, 9) where task_id = %s",
        [worker, task])[0][0]
    query(url, """select * from sluice.complete(%s, array[row(%s, %s, 'failed', null, null,
            'HTTP 400: request 17 is bad', 'http_400', 400, null, null, null,
            null)::sluice.outcome])""", [worker, task, fence])
    return task


def test_the_overview_has_a_row_for_each_model(url, get):
    add_model(url, "slow", "http://127.0.0.1:1", rpm=60, paused=True)
    submit(url, "x", "slow")
    rows = {row["model"]: row for row in get("/v1/overview")["data"]}
    assert set(rows) == {"m", "slow"}
    slow = rows["slow"]
    assert (slow["state"], slow["why"], slow["depth"], slow["rpm"], slow["permits_now"]) == (
        "paused", "the model is paused", 1, 60, 1)
    assert rows["m"]["why"] == "no live worker serves the model"
    assert "spark" in slow
    get("/v1/overview", key="a", status=403)


def test_a_reason_that_only_administrators_see_is_not_in_a_readers_overview(url, get):
    query(url, """update sluice.models set closed_until = 'infinity', closed_reason = 'credential',
        closed_detail = 'env:SECRET_NAME is not set' where name = 'm'""")
    assert get("/v1/overview")["data"][0]["state_reason"] == "credential"
    assert get("/v1/overview", "admin")["data"][0]["state_reason"] == "env:SECRET_NAME is not set"


def test_the_limits_of_a_model_are_told(url, get):
    add_model(url, "limited", "http://127.0.0.1:1", rpm=600, tpm=9000)
    limits = get("/v1/models/limited/limits")
    assert (limits["rpm"], limits["burst"], limits["calls_last_minute"]) == (600, 7, 0)
    assert (limits["tpm"], limits["tokens_reserved"]) == (9000, 0)
    assert get("/v1/models/nobody/limits", status=404)["error"]["type"] == "unknown_model"
    get("/v1/models/limited/limits", key="a", status=403)


def test_a_search_finds_pages_and_shows_no_texts(url, get):
    ids = [submit(url, f"SECRETPROMPT {n}", tenant="a", metadata=f'{{"n": "{n}"}}')
        for n in range(3)]
    submit(url, "another's", tenant="b")
    page = get("/v1/tasks/search?tenant=a&limit=2")
    assert [task["id"] for task in page["data"]] == [str(ids[2]), str(ids[1])]
    assert page["is_complete"] is False and page["next_before"] == str(ids[1])
    assert "SECRETPROMPT" not in str(page)
    rest = get(f"/v1/tasks/search?tenant=a&limit=2&before={page['next_before']}")
    assert [task["id"] for task in rest["data"]] == [str(ids[0])] and rest["is_complete"]
    for condition in ("text=prompt%201", "metadata_key=n&metadata_value=1",
            "status=queued&metadata_key=n&metadata_value=1"):
        assert [task["id"] for task in get(f"/v1/tasks/search?{condition}")["data"]] == [
            str(ids[1])], condition
    for wrong, param in (("status=lost", "status"), ("limit=201", "limit"), ("colour=red",
            "colour"), ("priority=hottest", "priority"), ("since=once", "since"),
            ("before=x", "before"), ("metadata_value=1", "metadata_key")):
        error = get(f"/v1/tasks/search?{wrong}", status=400)["error"]
        assert (error["type"], error["param"]) == ("invalid_request", param), wrong


def test_ids_of_64_bits_are_strings(url, get):
    query(url, "select sluice.make_partitions(%s), setval('sluice.task_id', %s)",
        [ID_BEYOND_53_BITS, ID_BEYOND_53_BITS - 1])
    assert submit(url, "x", batch_id=ID_BEYOND_53_BITS) == ID_BEYOND_53_BITS
    found = get("/v1/tasks/search")["data"][0]
    assert found["id"] == found["batch_id"] == str(ID_BEYOND_53_BITS)


def test_a_keys_tenant_bounds_each_of_its_reads(url, get):
    own, foreign = failed_task(url, tenant="a"), failed_task(url, tenant="b")
    assert [task["id"] for task in get("/v1/tasks/search", "a")["data"]] == [str(own)]
    assert get("/v1/tasks/search?text=secret&status=failed", "a")["data"][0]["id"] == str(own)
    assert get("/v1/dead-letters/groups", "a")["data"][0]["count"] == 1
    for path in ("search", "../dead-letters/groups"):
        path = {"search": "/v1/tasks/search"}.get(path, "/v1/dead-letters/groups")
        assert get(f"{path}?tenant=b", "a", 403)["error"]["type"] == "wrong_tenant"
    for what in ("timeline", "texts"):
        get(f"/v1/tasks/{own}/{what}", "a")
        unknown = get(f"/v1/tasks/999/{what}", "a", 404)
        unknown["error"]["message"] = unknown["error"]["message"].replace("999", str(foreign))
        assert get(f"/v1/tasks/{foreign}/{what}", "a", 404) == unknown
    for path in ("/v1/audit", "/v1/revisions"):
        get(path, "a", 403)
        get(path, "read", 403)


def test_a_timeline_tells_a_tasks_life_and_links_its_trace(url, get):
    trace = "0af7651916cd43dd8448eb211c80319c"
    query(url, "update sluice.settings set trace_url = 'https://traces.example/t/{trace_id}'")
    task = failed_task(url, tenant="a", traceparent=f"00-{trace}-b7ad6b7169203331-01")
    shown = get(f"/v1/tasks/{task}/timeline")
    assert [event["kind"] for event in shown["events"]] == ["submitted", "queued", "claimed",
        "failed", "ended"]
    assert (shown["task"]["id"], shown["task"]["status"]) == (str(task), "failed")
    assert shown["explain"].startswith("failed on m") and "SECRETPROMPT" not in str(shown)
    assert (shown["trace_id"], shown["trace_url"]) == (trace, f"https://traces.example/t/{trace}")
    assert get(f"/v1/tasks/{task}/timeline", "a")["trace_url"] is None


def test_a_template_of_traces_is_an_address_with_an_id(process, keys):
    for template, status in (("https://t.example/{trace_id}", 200), ("https://t.example/", 400),
            ("javascript:alert({trace_id})", 400), (None, 200)):
        reply = http(process.port, "PATCH", "/v1/settings", {"trace_url": template},
            key=keys["admin"])
        assert reply.status == status, template
        assert status == 200 or reply.json["error"]["param"] == "trace_url", reply.body


def test_who_reads_texts_is_in_the_audit(url, get, keys):
    task = submit(url, "SECRETPROMPT", tenant="a")
    assert get(f"/v1/tasks/{task}/texts", "a") == {"prompt": "SECRETPROMPT", "request": None,
        "answer": None, "response": None, "cut": []}
    noted = get("/v1/audit?limit=1", "admin")["data"][0]
    assert (noted["action"], noted["object"]) == ("read_texts", str(task))
    assert keys["a"][7:23] in noted["who"] and "SECRETPROMPT" not in str(noted)
    assert get(f"/v1/audit?before={noted['id']}", "admin")["data"][0]["id"] != noted["id"]
    for wrong in ("limit=0", "limit=201", "before=x", "colour=red"):
        get(f"/v1/audit?{wrong}", "admin", 400)


def test_a_task_read_by_another_key_than_its_own_is_in_the_audit(url, process, keys, make_key):
    own = make_key("own", "--tenant", "a", "--scope", "submit,read")
    task = http(process.port, "POST", "/v1/tasks", {"prompt": "SECRETPROMPT"}, key=own).json["id"]
    by_sql = submit(url, "x", tenant="a")

    def readers():
        return query(url, "select object, api_key from sluice.audit where action = 'read_texts' "
            "order by id")

    def read(path, key):
        return http(process.port, "GET", f"/v1/tasks/{path}", key=key)
    assert read(task, own).json["prompt"] == "SECRETPROMPT"
    assert read(task, make_key("b", "--tenant", "b")).status == 404
    assert readers() == []
    noted = []
    for reader in (keys["a"], keys["read"]):
        for path in (task, f"{task}?wait=1ms", by_sql):
            assert read(path, reader).status == 200
            noted.append((str(path).split("?")[0], reader[7:23]))
    assert readers() == noted
    query(url, "select sluice.cancel(%s)", [task])  # its stream ends with the whole task
    assert "SECRETPROMPT" in read(f"{task}/events", own).body and readers() == noted
    assert "SECRETPROMPT" in read(f"{task}/events", keys["read"]).body
    assert readers() == [*noted, (str(task), keys["read"][7:23])]


def test_dead_letters_are_grouped_by_what_they_say(url, get):
    first, second = failed_task(url), failed_task(url)
    [group] = get("/v1/dead-letters/groups")["data"]
    assert (group["model"], group["error_code"], group["message"], group["count"]) == (
        "m", "http_400", "HTTP #: request # is bad", 2)
    assert group["sample_id"] == str(second) and group["first_at"] < group["last_at"]
    assert get("/v1/dead-letters/groups?model=nobody")["data"] == []
    assert get(f"/v1/dead-letters/groups?before={second}")["data"][0]["sample_id"] == str(first)
    assert get("/v1/dead-letters/groups?status=failed", status=400)["error"]["param"] == "status"


def test_a_change_is_a_revision_that_can_be_reverted(url, process, keys, get):
    def revert(revision, body=None, key="admin"):
        return http(process.port, "POST", f"/v1/revisions/{revision}/revert", body,
            key=keys[key], headers={} if body else {"Content-Length": "0"})

    def rpm():
        return query(url, "select rpm from sluice.models where name = 'm'")[0][0]
    for value in (60, 90):
        assert http(process.port, "PATCH", "/v1/models/m", {"rpm": value},
            key=keys["admin"]).status == 200
    newest, older = get("/v1/revisions?kind=models&name=m&limit=2", "admin")["data"]
    assert (newest["before"], newest["after"], newest["action"]) == ({"rpm": 60}, {"rpm": 90},
        "update")
    assert keys["admin"][7:23] in newest["who"] and newest["reverts"] is None
    refused = revert(older["id"])
    assert (refused.status, refused.error, refused.json["error"]["param"]) == (409, "conflict",
        "rpm")
    assert rpm() == 90
    made = revert(newest["id"]).json
    assert (made["reverts"], made["after"]) == (newest["id"], {"rpm": 60}) and rpm() == 60
    assert revert(newest["id"], {"colour": 1}).status == 400
    assert revert(newest["id"], {"force": True}).status == 400  # nothing is left to take back
    assert revert(older["id"], {"force": False}).json["after"] == {"rpm": None}
    assert revert(999_999).status == 404 and revert(newest["id"], key="read").status == 403
    for wrong in ("kind=keys", "limit=0", "before=x", "colour=red"):
        get(f"/v1/revisions?{wrong}", "admin", 400)


def test_reverting_a_new_model_with_tasks_is_refused(url, process, keys, get):
    http(process.port, "PUT", "/v1/models/new", {"url": "http://127.0.0.1:1"}, key=keys["admin"])
    [revision] = get("/v1/revisions?kind=models&name=new", "admin")["data"]
    submit(url, "x", "new")
    reply = http(process.port, "POST", f"/v1/revisions/{revision['id']}/revert", {},
        key=keys["admin"])
    assert (reply.status, reply.error) == (409, "conflict") and "unfinished" in reply.body
