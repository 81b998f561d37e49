"""Attacks of one tenant on the others' room: what each may have is bounded, and who asks for much
waits behind who asks for little."""
import concurrent.futures
import contextlib
import json
import os
import re
import select
import threading
import time
from http.client import HTTPConnection

import psycopg2
import pytest
from batch_tools import line, post_batch, post_file
from conftest import connect, http, query, wait_for
from key_tools import make_key as make_named_key, process  # noqa: F401 (fixtures)
from queue_tools import add_model, submit
from scripted_backend import ScriptedBackend, response

pytestmark = pytest.mark.plain_build_only

FLOOD_BATCHES = 40
FLOOD_LINES = 20_000
LINE_BYTES_MAX = 16 << 20


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "chat", "http://127.0.0.1:1/v1", api="openai-chat")
    return url


@pytest.fixture
def make_key(make_named_key):
    """A function that makes a key of a tenant or (None) of none."""
    def make(tenant, *flags):
        return make_named_key(f"of {tenant}", *(("--tenant", tenant) if tenant else ()), *flags)
    return make


def upload(port, key, lines):
    reply = post_file(port, "".join(text + "\n" for text in lines), key)
    assert reply.status == 200, reply.body
    return reply.json["id"]


def seconds_of_a_batch(port, key):
    """How long a batch of one line takes, from its upload to its end."""
    begun = time.monotonic()
    reply = post_batch(port, upload(port, key, [line("a")]), key)
    assert reply.status == 200, reply.body
    wait_for(lambda: http(port, "GET", f"/v1/batches/{reply.json['id']}", key=key).json["status"]
        == "completed", 120, "the small batch")
    return time.monotonic() - begun


def test_many_large_batches_do_not_hold_up_another_tenants_small_one(url, process,
        make_key, mock, worker):
    query(url, "update sluice.models set url = %s", [mock("--latency", "5ms").url + "/v1"])
    worker(url)
    large, small = make_key("large"), make_key("small")
    alone = seconds_of_a_batch(process.port, small)
    file = upload(process.port, large, [line(str(n)) for n in range(FLOOD_LINES)])
    for _ in range(FLOOD_BATCHES):
        assert post_batch(process.port, file, large).status == 200
    beside = [seconds_of_a_batch(process.port, small)]
    wait_for(lambda: query(url, "select count(*) from sluice.task") > [(FLOOD_LINES,)], 120,
        "many tasks of the others")
    beside.append(seconds_of_a_batch(process.port, small))
    print(f"alone {alone:.1f} s, beside the others {beside[0]:.1f} and {beside[1]:.1f} s")
    assert query(url, "select count(*) from sluice.batch "
        "where tenant = 'large' and phase = 'done'") == [(0,)], "they take longer"
    assert max(beside) < alone + 5  # one after the other: 28 s


def with_body(body, custom_id="a"):
    """A line with this text as its body: json.dumps() knows no key twice."""
    return json.dumps({"custom_id": custom_id, "method": "POST",
            "url": "/v1/chat/completions"})[:-1] + f', "body": {body}}}'


def test_large_lines_of_others_do_not_hold_up_a_tenants_small_batch(url, process,
        make_key, mock, worker):
    query(url, "update sluice.models set url = %s", [mock("--latency", "5ms").url + "/v1"])
    worker(url)
    small = make_key("small")
    alone = seconds_of_a_batch(process.port, small)
    body = json.dumps({"model": "chat",
        "messages": [{"role": "user", "content": "x" * (LINE_BYTES_MAX - 1000)}]})
    for number in range(5):
        large = make_key(f"large {number}")
        file = upload(process.port, large, [with_body(body)])
        for _ in range(20):
            assert post_batch(process.port, file, large).status == 200
    wait_for(lambda: query(url, "select count(*) from sluice.batch_line")[0][0] > 0,
        120, "their first line")
    beside = seconds_of_a_batch(process.port, small)
    print(f"alone {alone:.1f} s, beside the others {beside:.1f} s")
    assert query(url, "select count(*) from sluice.batch "
        "where tenant <> 'small' and phase = 'validate'")[0][0] > 3, "they take longer"
    assert beside < alone + 3  # with a step of each of them before each of its seven: 7 to 9 s


@pytest.mark.parametrize("body", ['{"model": "chat", "messages": []' + ', "": 1' * 1_000_000 + "}",
        '{"model": "chat", "messages": [' + "[]," * 1_000_000 + "[]]}"],
    ids=["equal keys", "arrays"])
def test_a_line_that_is_dear_to_read_is_refused(process, make_key, body):
    """3.2 million equal keys in a line of 16 MiB took PostgreSQL 3 to 6 s a step."""
    reply = post_file(process.port, "\n".join([line("a"), with_body(body, "b"), line("c")]),
        make_key("hostile"))
    assert reply.status == 400 and "more than 400000 JSON values" in reply.body, reply.body
    text = with_body(json.dumps({"model": "chat", "messages": [",[{" * 1_000_000]}))
    assert post_file(process.port, text,
        make_key("harmless")).status == 200, "no values but characters"


def test_a_message_batch_that_is_dear_to_read_is_refused(url, process, make_key):
    add_model(url, "claude", "http://127.0.0.1:1", api="anthropic-messages")
    key = make_key("hostile")
    for values, count, refusal in ((500_000, 1, "an item of more than 400000 JSON values"),
            (1_000, 2_500, "more than 2000000 JSON values")):
        request = ('{"custom_id": "a", "params": {"model": "claude", "messages": ['
            + "1," * values + "1]}}")
        body = '{"requests": [' + ",".join([request] * count) + "]}"
        reply = http(process.port, "POST", "/v1/messages/batches", body, key=key)
        assert reply.status == 400 and refusal in reply.body, reply.body


def set_limits(url, tenant, **columns):
    names = ", ".join(columns)
    query(url, f"insert into sluice.tenants (name, {names}) values (%s{', %s' * len(columns)})",
        [tenant, *columns.values()])


def refusal(reply, status, *words):
    """Asserts that it is refused, with what is said; it says when to come back if that helps."""
    assert reply.status == status, reply.body
    said = reply.json["error"]["message"] + " / " + reply.json["error"]["hint"]
    assert all(word in said for word in words), said
    assert (status == 429) == (reply.headers.get("Retry-After") is not None)
    return said


def post_task(port, key, **task):
    return http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "chat"} | task, key=key)


def test_a_new_installation_bounds_tenants_that_nobody_has_bounded(url):
    names = ("max_tenants", "tenant_max_unfinished", "tenant_max_batches", "tenant_max_files",
        "tenant_files_bytes_max")
    assert query(url, f"select {', '.join(names)} from sluice.settings") == [
        (10_000, 1_000_000, 1000, 100_000, 10 << 30)]


def test_a_tenants_priority_has_its_bound(url, process, make_key):
    set_limits(url, "low", max_priority=10)
    low, other, both = make_key("low"), make_key("other"), make_key(None)
    refusal(post_task(process.port, low, priority=11), 400, "priority 11 is above 10",
        'tenant "low"', "sluice.tenants.max_priority")
    refusal(post_task(process.port, both, priority=100, tenant="low"), 400,
        "priority 100 is above 10")
    refusal(http(process.port, "POST", "/v1/tasks",
            [{"prompt": "x", "model": "chat"}, {"prompt": "x", "model": "chat", "priority": "hot"}],
            key=low), 400, "task 2: ", "priority 50 is above 10")
    assert post_task(process.port, low, priority=10).status == 202
    assert post_task(process.port, other, priority=100).status == 202, "no other tenant's"
    query(url, "update sluice.settings set tenant_max_priority = 20")
    refusal(post_task(process.port, other, priority=21), 400, "is above 20",
        "sluice.settings.tenant_max_priority")
    assert query(url, "select tenant, priority from sluice.tasks order by id") == [("low", 10),
        ("other", 100)]


def test_a_tenant_uses_its_models_alone(url, process, make_key):
    add_model(url, "dear", "http://127.0.0.1:1/v1", api="openai-chat")
    set_limits(url, "poor", models=["chat"])
    poor = make_key("poor")
    refusal(post_task(process.port, poor, model="dear"), 403, 'tenant "poor" may not use "dear"',
        "It may use chat.", "sluice.tenants.models")
    refusal(post_task(process.port, poor, model="any"), 403, 'may not use "any"')
    body = {"model": "dear", "messages": [{"role": "user", "content": "x"}]}
    assert http(process.port, "POST", "/v1/chat/completions", body, key=poor).status == 403
    failed = post_batch(process.port,
        upload(process.port, poor, [line("a"), line("b", model="dear")]), poor).json["id"]
    ended = wait_for(lambda: (found := http(process.port, "GET", f"/v1/batches/{failed}",
                key=poor).json)["status"] == "failed" and found, what="the batch's end")
    errors = ended["errors"]["data"]
    assert [each["line"] for each in errors] == [2] and '"dear"' in errors[0]["message"]
    assert query(url, "select count(*) from sluice.task") == [(0,)]
    query(url, "update sluice.models set name = 'cheap' where name = 'chat'")
    assert post_task(process.port, poor, model="cheap").status == 202, "it follows another name"
    assert post_task(process.port, make_key("rich"), model="dear").status == 202


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/tasks", "/v1/batches"])
def test_a_model_in_other_letters_is_none_of_the_tenants(url, process, make_key, worker, path):
    """A backend that ignores the case of keys, as those in Go do, would take the last one."""
    seen = []

    def answer(connection, _, body):
        seen.append(body)
        connection.sendall(response(200, '{"choices": [{"message": {"content": "yes"}}]}'))
    with ScriptedBackend({"hi": answer}) as backend:
        query(url, "update sluice.models set url = %s", [backend.url])
        worker(url)
        set_limits(url, "poor", models=["chat"])
        poor = make_key("poor")
        body = {"model": "chat", "Model": "dear", "messages": [{"role": "user", "content": "hi"}],
            "MODEL": None}
        if path == "/v1/batches":
            assert post_batch(process.port,
                upload(process.port, poor, [with_body(json.dumps(body))]), poor).status == 200
        else:
            sent = {"model": "chat", "request": body} if path == "/v1/tasks" else body
            assert http(process.port, "POST", path, sent, key=poor).status in (200, 202)
        wait_for(lambda: seen, what="the call")
    assert [value for key, value in seen[0].items() if key.lower() == "model"] == ["chat"] * 3


def test_a_login_bound_to_a_tenant_has_its_bounds(url):
    query(url, "create role tenant_of_low login in role sluice_submitter")
    query(url, "insert into sluice.tenants (name, role, max_priority, models) values ('low', "
               "'tenant_of_low', 0, '{chat}')")
    login = url.replace("user=sluice", "user=tenant_of_low")
    for asked, code in (("priority => 1", "SL004"), ("model => 'any'", "SL009")):
        with pytest.raises(psycopg2.Error) as refused:
            query(login, "select sluice.submit('x', "
                f"{'' if 'model' in asked else 'model => %s,'} tenant => 'low', {asked})", ["chat"])
        assert refused.value.pgcode == code


def test_a_tenants_files_have_their_bounds(url, process, make_key):
    set_limits(url, "full", max_files=2)
    set_limits(url, "large", files_bytes_max=10)
    full, large = make_key("full"), make_key("large")
    files = [upload(process.port, full, [line("a")]) for _ in range(2)]
    refusal(post_file(process.port, line("a"), full), 429, 'tenant "full" has 2 files, of 2',
        "DELETE /v1/files", "sluice.tenants.max_files")
    upload(process.port, large, [line("a")])
    refusal(post_file(process.port, line("a"), large), 429, "take", "of 10 that they may take",
        "sluice.tenants.files_bytes_max")
    upload(process.port, make_key("another"), [line("a")])
    assert http(process.port, "DELETE", f"/v1/files/{files[0]}", key=full).status == 200
    upload(process.port, full, [line("a")])
    query(url, "update sluice.settings set tenant_max_files = 0")
    refusal(post_file(process.port, line("a"), make_key(None)), 429,
        'tenant "default" has 0 files, of 0', "sluice.settings.tenant_max_files")


def test_batches_do_not_pass_the_bounds_of_files(url, process, make_key, mock, worker):
    """They put out what nobody refuses any more: who has no room for it begins none."""
    query(url, "update sluice.models set url = %s", [mock().url + "/v1"])
    worker(url)
    set_limits(url, "full", max_files=4)
    full, other = make_key("full"), make_key("other")
    file = upload(process.port, full, [line("a")])
    begun = [post_batch(process.port, file, full) for _ in range(5)]
    assert [reply.status for reply in begun].count(
        200) <= 3, "each has one file of results, and two until that is known"
    refused = next(reply for reply in begun if reply.status != 200)
    refusal(refused, 429, 'tenant "full" has ', "of 4", "A batch needs 2",
        "sluice.tenants.max_files")
    # as if it were full
    query(url, "create or replace function sluice.files_bytes_max() returns bigint "
        "language sql as 'select 1'")
    ids = [reply.json["id"] for reply in begun if reply.status == 200]
    for batch in ids:
        wait_for(lambda: http(process.port, "GET", f"/v1/batches/{batch}", key=full).json["status"]
            == "completed", 60, "its results")
    files = http(process.port, "GET", "/v1/files", key=full).json["data"]
    assert len(files) == 1 + len(ids) <= 4
    # what all files take is counted once a second, or less often while that takes long
    wait_for(lambda: post_file(process.port, line("a"), other).status == 503, 60, "a new count")
    reply = post_file(process.port, line("a"), other)
    assert reply.status == 503 and reply.headers.get("Retry-After"), reply.body


def test_a_tenants_open_batches_have_their_bound(url, process, make_key):
    set_limits(url, "busy", max_batches=2)
    busy = make_key("busy")
    file = upload(process.port, busy, [line("a")])
    begun = [post_batch(process.port, file, busy).json["id"] for _ in range(2)]
    said = refusal(post_batch(process.port, file, busy), 429,
        'tenant "busy" has 2 open batches, of 2', "sluice.tenants.max_batches")
    assert "60 s" in said
    message = {"requests": [{"custom_id": "a",
        "params": {"model": "chat", "max_tokens": 1, "messages": []}}]}
    refusal(http(process.port, "POST", "/v1/messages/batches", message, key=busy), 429,
        "2 open batches")
    assert post_batch(process.port, upload(process.port, other := make_key("other"), [line("a")]),
        other).status == 200
    http(process.port, "POST", f"/v1/batches/{begun[0]}/cancel", key=busy)
    wait_for(lambda: post_batch(process.port, file, busy).status == 200,
        what="room after a batch's end")


def test_who_has_no_tenant_invents_not_more_than_so_many(url, process, make_key):
    query(url, "update sluice.settings set max_tenants = 3")
    set_limits(url, "listed", weight=2)
    inventor, keyed = make_key(None), make_key("keyed")
    for n in range(3):
        assert post_task(process.port, inventor, tenant=f"invented {n}").status == 202
    refusal(post_task(process.port, inventor, tenant="invented 3"), 429,
        'tenant "invented 3" is new', "3 tenants without a row", "insert into sluice.tenants",
        "sluice.settings.max_tenants")
    refusal(http(process.port, "POST", "/v1/tasks",
        [{"prompt": "x", "model": "chat", "tenant": f"many {n}"} for n in range(5)], key=inventor),
            429, "is new")
    for tenant in ("listed", "default", "keyed", "invented 0"):
        assert post_task(process.port, inventor, tenant=tenant).status == 202, tenant
    assert post_task(process.port, keyed).status == 202
    assert query(url, "select count(distinct tenant) from sluice.task") == [(6,)]
    query(url, "update sluice.settings set max_tenants = 0")
    refusal(post_task(process.port, inventor, tenant="never"), 403, 'tenant "never" is new')
    # Those whose tasks have all ended make room for others.
    query(url, "update sluice.settings set max_tenants = 4")
    query(url, "select sluice.cancel_all(tenant => 'invented 1')")
    query(url, "update sluice.unlisted_tenant set noted_at = noted_at - interval '2 minutes'")
    wait_for(lambda: query(url, "select sluice.tick()")
        and post_task(process.port, inventor, tenant="invented 4").status == 202,
        what="room for another one")


def test_a_tenant_that_nobody_has_bounded_has_its_most(url, process, make_key):
    query(url, "update sluice.settings set tenant_max_unfinished = 100")
    flood, other = make_key("flood"), make_key("other")
    many = [{"prompt": "x", "model": "chat"}] * 60
    assert [http(process.port, "POST", "/v1/tasks", many, key=flood).status
        for _ in range(2)] == [202, 202], "between two looks"
    wait_for(lambda: query(url, "select sluice.tick()")
        and post_task(process.port, flood).status == 429, what="a look at the tenants")
    said = refusal(http(process.port, "POST", "/v1/tasks", many, key=flood), 429,
        "sluice.tenants.max_unfinished")
    assert re.match(r'tenant "flood" is at its cap: \d+ of 100 unfinished', said), said
    assert http(process.port, "POST", "/v1/tasks", many, key=other).status == 202
    query(url, "select sluice.cancel_all(tenant => 'flood')")
    wait_for(lambda: query(url, "select sluice.tick()")
        and post_task(process.port, flood).status == 202, what="room once they have ended")
    query(url, "insert into sluice.tenants (name, max_unfinished) values ('flood', 62)")
    assert http(process.port, "POST", "/v1/tasks", many, key=flood).status == 202
    refusal(http(process.port, "POST", "/v1/tasks", many, key=flood), 429, "of 62 unfinished")


def test_claims_do_not_wait_for_the_count_of_many_tasks(url):
    """The attack: eight million tasks. They were counted by the sweep, in the session in which a
    worker claims: nobody's calls began for 1.4 s."""
    query(url, "update sluice.settings set tenant_max_unfinished = 10")
    for _ in range(12):
        submit(url, "question", model="chat", tenant="a")
    full = "select tenant from sluice.full_tenant"
    # As if there were so many that a count takes long: the gauge is their ids less its value.
    query(url, "select setval('sluice.task_id', last_value + 300000) from sluice.task_id")
    query(url, "select setval('sluice.load_all', 1)")
    query(url, "select setval('sluice.sweep_after', 0), setval('sluice.tenants_after', 0)")
    query(url, "select sluice.sweep()")
    assert query(url, full) == []
    query(url, "update sluice.history_look set looked_at = '-infinity'")
    query(url, "select sluice.keep_history()")   # a worker has a session of its own for this
    assert query(url, full) == [("a",)]


def test_limits_are_set_over_http_and_on_record(url, process, make_key):
    admin = make_key(None, "--scope", "admin")
    made = http(process.port, "PUT", "/v1/tenants/t", {"max_batches": 1, "models": ["chat"],
        "max_priority": 5}, key=admin)
    assert made.status == 200 and made.json["models"] == ["chat"] and made.json["max_files"] is None
    shown = http(process.port, "PATCH", "/v1/settings",
        {"tenant_max_files": 7, "tenant_models": ["chat"], "max_tenants": 0}, key=admin)
    assert (shown.json["tenant_max_files"], shown.json["tenant_models"],
        shown.json["max_tenants"]) == (7, ["chat"], 0)
    for path, body in (("tenants/t", {"max_priority": 101}), ("tenants/t", {"max_files": -1}),
            ("settings", {"tenant_models": [None]})):
        assert http(process.port, "PATCH", f"/v1/{path}", body, key=admin).status == 400, body
    query(url, "update sluice.tenants set max_priority = 6")
    assert query(url, "select action, detail from sluice.audit_log order by id")[-3:] == [
        ("replace tenants", {"models": ["chat"], "max_batches": 1, "max_priority": 5}),
        ("change settings", {"tenant_max_files": 7, "tenant_models": ["chat"], "max_tenants": 0}),
        ("update tenants", {"max_priority": [5, 6]})]


ENDED_TASKS = 40_000
FLOOD_REQUESTS = 60
UNMET = {"metadata": {"nope": 1}}  # each of them walks over all that has ended
BULK_MAX = 8  # of one key's bulk requests under way: docs/security.md


def submit_for_large(url):
    for _ in range(0, ENDED_TASKS, 10_000):
        query(url, """
            select count(*)
            from sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt', n::text,
            'tenant', 'large', 'model', 'chat')) from generate_series(1, 10000) n))""")


@pytest.fixture
def ended(url):
    submit_for_large(url)
    assert query(url, "select sluice.cancel_all('chat')") == [(ENDED_TASKS,)]


def forget_and_leave(port, key, body, count):
    """Sends so many requests and, when the server has them all, closes their connections."""
    connections = [HTTPConnection("127.0.0.1", port, timeout=20) for _ in range(count)]
    for connection in connections:
        connection.request("POST", "/v1/tasks/forget", json.dumps(body),
            {"Authorization": f"Bearer {key}"})
    sockets = [connection.sock for connection in connections]
    wait_for(lambda: open_requests(port) + len(select.select(sockets, [], [], 0)[0]) >= count,
        what="their arrival")
    for connection in connections:
        connection.close()


def open_requests(port):
    return int(re.search(r"^sluice_http_open_requests (\d+)$",
            http(port, "GET", "/metrics").body, re.M)[1]) - 1


def seconds_of_a_cancel(port, key):
    begun = time.monotonic()
    reply = http(port, "POST", "/v1/tasks/cancel", {"batch_id": 99_999}, key=key)
    assert (reply.status, reply.json) == (200, {"cancelled": 0})
    return time.monotonic() - begun


def test_many_bulk_requests_of_one_key_do_not_hold_up_anothers(url, process, make_key, ended):
    large, small = make_key("large"), make_key("small")
    forget_and_leave(process.port, large, UNMET, FLOOD_REQUESTS)
    beside = seconds_of_a_cancel(process.port, small)
    print(f"beside {FLOOD_REQUESTS} requests whose clients have left {beside:.2f} s")
    assert beside < 2  # one after the other: 10 to 20 s
    wait_for(lambda: open_requests(process.port) == 0, 5,
        "nothing to be done for clients that have left")


@pytest.fixture
def let_go(url, ended):
    """A step of a forget waits, as for a long time, until the function that it gives is called."""
    query(url, """
        alter function sluice.result_ids rename to result_ids_at_once;create function
        sluice.result_ids(p_chosen bigint[], p_unsolved boolean, p_after bigint, p_until bigint,
          p_rows int) returns bigint[]
        language plpgsql as $$ begin while not pg_try_advisory_xact_lock_shared(1, 1) loop
        perform pg_sleep(0.01); end loop;
        return sluice.result_ids_at_once(p_chosen, p_unsolved, p_after, p_until, p_rows); end $$""")
    with contextlib.closing(connect(url)) as other:
        other.cursor().execute("select pg_advisory_lock(1, 1)")
        yield lambda: other.cursor().execute("select pg_advisory_unlock(1, 1)")


def begin_forgets(pool, port, key, count):
    return [pool.submit(http, port, "POST", "/v1/tasks/forget", {"everything": True}, key)
        for _ in range(count)]


# A task's metadata and a condition, 64 KiB each, whose arrays `@>` compares element by element: 2
# s.
DEAR_METADATA = {"z": [[]] * 8187 + [["a"]]}
DEAR_CONDITION = {"z": [["a"]] * 4093 + [["b"]]}


@pytest.mark.parametrize("action", ["cancel", "redrive", "forget"])
def test_a_condition_that_costs_seconds_a_task_is_refused(sluice, url, process, make_key, action):
    large, small = make_key("large"), make_key("small")
    task = {"prompt": "x", "model": "chat", "metadata": DEAR_METADATA}
    assert all(http(process.port, "POST", "/v1/tasks", task, large).status == 202 for _ in range(5))
    if action != "cancel":
        query(url, "select sluice.cancel_all('chat'); update sluice.result set status = 'failed'")
    refused = http(process.port, "POST", f"/v1/tasks/{action}",
        {"model": "chat", "metadata": DEAR_CONDITION}, large)
    assert refused.status == 400 and refused.json["error"]["param"] == "metadata", refused.body
    assert refused.json["error"]["message"] == "metadata has more than 1024 bytes"
    nested = http(process.port, "POST", f"/v1/tasks/{action}",
        {"model": "chat", "metadata": {"of": {"z": ["a"]}}}, large)
    assert (nested.status, nested.json["error"]["message"]) == (400, "metadata has an array")
    run = sluice(action, "--all", "--metadata", json.dumps(DEAR_CONDITION), "--database-url", url)
    assert run.returncode == 1 and "metadata has more than 1024 bytes" in run.stderr
    assert seconds_of_a_cancel(process.port, small) < 2


def test_a_locked_task_does_not_hold_up_anothers_bulk_request(url, process, make_key, ended):
    large, small = make_key("large"), make_key("small")
    with contextlib.closing(connect(url)) as other:
        other.cursor().execute("begin; select from sluice.result "
            "where task_id = (select max(task_id) from sluice.result) for update")
        refused = http(process.port, "POST", "/v1/tasks/forget",
            {"everything": True}, large, timeout_s=20)
        assert (refused.status, refused.json["error"]["code"],
            refused.headers["Retry-After"]) == (503, "55P03", "1")
        done = int(re.match(r"(\d+) were done before it", refused.json["error"]["hint"])[1])
        assert seconds_of_a_cancel(process.port, small) < 2
    assert http(process.port, "POST", "/v1/tasks/forget", {"everything": True},
        large).json["forgotten"] == ENDED_TASKS - done


def test_a_key_has_so_many_bulk_requests_under_way(process, make_key, let_go):
    large, small = make_key("large"), make_key("small")
    with concurrent.futures.ThreadPoolExecutor(BULK_MAX + 1) as pool:
        under_way = begin_forgets(pool, process.port, large, BULK_MAX)
        wait_for(lambda: open_requests(process.port) == BULK_MAX, what="its most")
        refused = http(process.port, "POST", "/v1/tasks/cancel", {"batch_id": 1}, large)
        assert (refused.status, refused.error, refused.headers["Retry-After"]) == (503,
            "overloaded", "5")
        another = pool.submit(seconds_of_a_cancel, process.port, small)
        wait_for(lambda: open_requests(process.port) == BULK_MAX + 1, what="another key's")
        let_go()
        assert another.result(60) < 20
        assert sum(each.result(60).json["forgotten"] for each in under_way) == ENDED_TASKS
    assert http(process.port, "POST", "/v1/tasks/cancel", {"batch_id": 1}, large).status == 200


def test_who_has_left_takes_no_room_from_who_comes(process, make_key, let_go):
    large = make_key("large")
    forget_and_leave(process.port, large, {"everything": True}, BULK_MAX)
    assert open_requests(process.port) == BULK_MAX
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        (waiting,) = begin_forgets(pool, process.port, large, 1)
        # One of them has begun; of the others nothing is left.
        wait_for(lambda: open_requests(process.port) == 2, what="the end of those that waited")
        let_go()
        assert waiting.result(60).status == 200


def test_what_a_revoked_key_has_waiting_is_not_done(sluice, url, process, make_key, let_go):
    large, small = make_key("large"), make_key("small")
    with concurrent.futures.ThreadPoolExecutor(BULK_MAX) as pool:
        under_way = begin_forgets(pool, process.port, large, BULK_MAX)
        wait_for(lambda: open_requests(process.port) == BULK_MAX, what="its most")
        assert sluice("key", "revoke", large[7:23], "--database-url", url).returncode == 0
        for each in under_way:
            with contextlib.suppress(ConnectionError):  # cut off
                assert each.result(20).status == 401
        let_go()
        assert seconds_of_a_cancel(process.port, small) < 5
    wait_for(lambda: open_requests(process.port) == 0, what="their end")
    forgotten = query(url, "select count(*) from sluice.task where forgotten_at is not null")[0][0]
    assert forgotten <= 10_000, "but the step that had begun"


def test_a_large_cancel_lets_others_have_their_turns(url, process, make_key):
    large, small = make_key("large"), make_key("small")
    submit_for_large(url)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        cancelled = pool.submit(http, process.port, "POST", "/v1/tasks/cancel",
            {"everything": True}, large)
        wait_for(lambda: query(url, "select count(*) from sluice.result")[0][0] > 0,
            what="its first step")
        # it walks over all of them, too, and takes turns with the other
        assert seconds_of_a_cancel(process.port, small) < 2
        assert cancelled.result(60).json == {"cancelled": ENDED_TASKS}


def test_message_batches_of_one_key_do_not_hold_up_anothers(url, process, make_key, mock, worker):
    add_model(url, "claude", mock().url, api="anthropic-messages")
    large, small = make_key("large"), make_key("small")
    params = {"model": "claude", "max_tokens": 1, "messages": []}
    # Each is looked through to its end, and refused for the last of its requests.
    body = {"requests": [{"custom_id": str(n), "params": params} for n in range(FLOOD_LINES)]
        + [{"custom_id": "0", "params": params}]}
    with concurrent.futures.ThreadPoolExecutor(BULK_MAX) as pool:
        under_way = [pool.submit(http, process.port, "POST", "/v1/messages/batches", body, large)
            for _ in range(BULK_MAX)]
        wait_for(lambda: open_requests(process.port) == BULK_MAX, what="their arrival")
        begun = time.monotonic()
        assert http(process.port, "POST", "/v1/messages/batches",
            {"requests": body["requests"][:1]}, small).status == 200
        beside = time.monotonic() - begun
        print(f"beside {BULK_MAX} message batches {beside:.2f} s")
        assert [each.result(90).status for each in under_way] == [400] * BULK_MAX
        assert beside < (time.monotonic() - begun) / 2


def test_keys_in_an_open_transaction_hold_up_their_own_tenant_alone(url, process, make_key):
    """Each waited for in turn, they held up everybody whose tasks travelled in the same
    transaction."""
    hostile, other, holder, keys = make_key("hostile"), make_key("other"), connect(url), 300
    holder.autocommit = False
    with (contextlib.closing(holder), holder.cursor() as cursor,
            concurrent.futures.ThreadPoolExecutor(40) as threads):
        for number in range(keys):
            cursor.execute("select sluice.submit('x', 'chat', tenant => 'hostile', "
                "idempotency_key => %s)", [f"K{number}"])

        def post(key, idempotency_key=None):
            begun = time.monotonic()
            reply = http(process.port, "POST", "/v1/tasks",
                {"prompt": "x", "model": "chat", "idempotency_key": idempotency_key}, key=key)
            return reply, time.monotonic() - begun
        alone = max(post(other, f"alone{n}")[1] for n in range(10))
        flood = [threads.submit(post, hostile, f"K{number}") for number in range(keys)]
        seconds = [post(other, key)[1] for n in range(15) for key in (None, f"own{n}")]
        assert any(not each.done() for each in flood), "the flood goes on"
        print(f"alone {alone:.3f} s, beside {keys} held keys {max(seconds):.3f} s")
        assert sorted(seconds)[len(seconds) // 2] < alone + 1  # was 1.3 to 2.4 s
        holder.rollback()
        # Each has waited for its own turn, or is refused with a time to come back.
        assert {each.result(120)[0].status for each in flood} <= {202, 503}


def wait_for_locks(url, count):
    wait_for(lambda: query(url, "select count(*) from pg_stat_activity "
        "where wait_event_type = 'Lock' and datname = current_database()")[0][0] >= count,
        what="those that wait")


@pytest.mark.parametrize("action, method, path", [
    ("cancel", "DELETE", "/v1/tasks/{}"),
    ("forget", "POST", "/v1/tasks/{}/forget"),
    ("redrive", "POST", "/v1/tasks/{}/redrive"),
    ("cancel_job", "POST", "/v1/jobs/{}/cancel"),
    ("undo_job", "POST", "/v1/jobs/{}/undo")])
def test_rows_in_an_open_transaction_hold_up_nobody_else(url, process, make_key, action, method,
        path):
    """One key that asked for eight of them had all of the server's connections until the
    transaction ended."""
    hostile = make_key("hostile", "--scope", "submit,read")
    other = make_key("other", "--scope", "submit,read")
    ids = [submit(url, "x", "chat", tenant="hostile") for _ in range(8)]
    if action in ("forget", "redrive"):
        query(url, "select sluice.cancel_all('chat')")
    elif action.endswith("_job"):
        job = {"action": "cancel", "filter": {"model": "chat"}}
        jobs = [http(process.port, "POST", "/v1/jobs", job, hostile) for _ in range(2)]
        ids = [int(job.json["id"]) for job in jobs]
        if action == "undo_job":
            query(url, "select sluice.cancel_job(id) from sluice.jobs; "
                "update sluice.job set done = 1, undo_until = now() + interval '1 hour'")
    with (contextlib.closing(connect(url)) as holder, holder.cursor() as cursor,
            concurrent.futures.ThreadPoolExecutor(len(ids)) as threads):
        holder.autocommit = False
        for number in ids:
            cursor.execute(f"select sluice.{action}(%s)", [number])
        assert http(process.port, "GET", "/v1/tasks?limit=1", key=hostile).status == 200, "quick"
        asked = [threads.submit(http, process.port, method, path.format(number), None, hostile)
            for number in ids]
        wait_for_locks(url, min(2, len(ids)))
        begun = time.monotonic()
        assert http(process.port, "GET", "/v1/tasks?limit=1", key=other).status == 200
        print(f"another's list took {time.monotonic() - begun:.2f} s")
        for reply in (each.result(60) for each in asked):
            assert (reply.status, reply.error, reply.headers["Retry-After"]) == (503,
                "unavailable", "1")
            assert reply.json["error"] | {"type": 0} == {"type": 0, "code": "55P03", "param": None,
                "message": "an open transaction has locked what this needs",
                "hint": "Try again when it has ended."}
        holder.rollback()


def note_groups(url):
    """Lets each group of submits wait for an advisory lock, and note whose tasks were in it."""
    (original,), = query(url, "select pg_get_functiondef(oid) from pg_proc "
        "where proname = 'submit_each'")
    query(url, original.replace("submit_each", "original_submit_each") + ";"
        + original[:original.index("$function$")].replace(" SET lock_timeout TO '20ms'", "")
        + """$function$
        begin
          perform pg_advisory_xact_lock_shared(1);
          insert into sluice.noted_groups values (submit_each.api_keys);
          return query select * from sluice.original_submit_each(bodies, tenants, keys,
            traceparents, api_keys);
        end $function$;
        create table sluice.noted_groups (api_keys text[]);
        grant insert on sluice.noted_groups to public;
        grant execute on function sluice.original_submit_each to public; select""")


def test_tasks_of_a_key_that_is_refused_go_apart_from_others(url, process, make_key):
    """Others' submits waited 0.2 s, and more, while those to blame in their groups were found."""
    refused, other = make_key("hostile"), make_key("other")
    note_groups(url)

    def send(key, model):
        connection = HTTPConnection("127.0.0.1", process.port, timeout=60)
        sent.append(connection)
        connection.request("POST", "/v1/tasks", json.dumps({"prompt": "x", "model": model}),
            {"Authorization": f"Bearer {key}"})
    sent = []
    with contextlib.closing(connect(url)) as holder, holder.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(1)")
        for count in (1, 2):  # as many groups as are under way at a time
            send(refused, "nobody")
            wait_for_locks(url, count)
        for _ in range(5):
            send(refused, "nobody")
            send(other, "chat")
        assert http(process.port, "GET", "/v1/tasks?limit=1", key=other).status == 200, (
            "so all of them have come")
        cursor.execute("select pg_advisory_unlock(1)")
        assert [each.getresponse().status for each in sent] == [404] * 2 + [404, 202] * 5
    for each in sent:
        each.close()
    groups = [group for group, in query(url, "select api_keys from sluice.noted_groups")]
    assert any(len(group) > 1 for group in groups), groups
    assert {len(set(group)) for group in groups} == {1}, groups


def test_tasks_of_a_key_that_meets_a_lock_alone_go_apart_from_others(url, process, make_key):
    """Thirty keys of a tenant, with an Idempotency-Key of its own open transaction, sent others'
    tasks with such keys alone, too, each behind a wait of 0.2 s: 1.5 s."""
    hostile, other = make_key("hostile"), make_key("other")
    send = [{"prompt": "x", "model": "chat"}, {"Idempotency-Key": "held"}]
    with contextlib.closing(connect(url)) as holder, holder.cursor() as cursor:
        holder.autocommit = False
        cursor.execute("select sluice.submit('x', 'chat', tenant => 'hostile', "
            "idempotency_key => 'held')")
        assert http(process.port, "POST", "/v1/tasks", send[0], hostile, send[1]).status == 503
        note_groups(url)
        with contextlib.closing(connect(url)) as gate, gate.cursor() as cursor:
            cursor.execute("select pg_advisory_lock(1)")
            with concurrent.futures.ThreadPoolExecutor(8) as threads:
                first = threads.submit(http, process.port, "POST", "/v1/tasks", send[0], other)
                wait_for_locks(url, 1)
                held = [threads.submit(http, process.port, "POST", "/v1/tasks", send[0], hostile,
                    send[1]) for _ in range(2)]
                good = [threads.submit(http, process.port, "POST", "/v1/tasks", send[0], other,
                    {"Idempotency-Key": f"mine {n}"}) for n in range(3)]
                assert http(process.port, "GET", "/v1/tasks?limit=1", key=other).status == 200
                cursor.execute("select pg_advisory_unlock(1)")
                assert first.result().status == 202
                assert [each.result().status for each in good] == [202] * 3
                assert [each.result().status for each in held] == [503] * 2
    groups = [group for group, in query(url, "select api_keys from sluice.noted_groups")]
    assert {len(set(group)) for group in groups} == {1}, groups


def test_several_do_not_wait_for_what_one_of_them_needs(url):
    def submit_each(*keys):
        bodies = [json.dumps({"prompt": "x", "model": "chat", "idempotency_key": key})
            for key in keys]
        begun = time.monotonic()
        rows = query(url, "select code, id is not null "
            "from sluice.submit_each(%s, %s, %s) order by place",
            [bodies, [None] * len(bodies), [None] * len(bodies)])
        return rows, time.monotonic() - begun
    with contextlib.closing(connect(url)) as holder, holder.cursor() as cursor:
        holder.autocommit = False
        cursor.execute("select sluice.submit('x', 'chat', idempotency_key => 'held')")
        rows, seconds = submit_each(None, "held", "free", None)
        assert rows == [(None, True), ("55P03", False), ("55P03", False),
            (None, True)], "those with keys go alone then"
        assert seconds < 1
        assert submit_each("held")[0] == [("55P03", False)]
        assert submit_each("free")[0] == [(None, True)]


def test_large_answers_of_one_backend_do_not_hold_up_anothers(url, worker):
    """They were stored one after the other, and others' results waited for all of them: 18 s."""
    count, large = 6, os.urandom(6 << 20).hex()
    released = threading.Barrier(count)

    def answer(text):
        return response(200, json.dumps({"object": "chat.completion", "choices": [{"index": 0,
            "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}))

    def send_large(connection, *_):
        released.wait(60)
        connection.sendall(answer(large))
    with ScriptedBackend({"large": send_large}) as hostile, ScriptedBackend(
            {"small": lambda connection, *_: connection.sendall(answer("y"))}) as backend:
        query(url, "update sluice.models set url = %s where name = 'chat'", [hostile.url])
        add_model(url, "other", backend.url, api="openai-chat")
        worker(url)
        for _ in range(count):
            submit(url, "large", "chat")
        solved = "select count(*) from sluice.tasks where status = 'solved'"
        wait_for(lambda: query(url, solved)[0][0] > 0, 120, "the first of them")
        submit(url, "small", "other")
        wait_for(lambda: query(url, solved) == [(count + 1,)], 120, "all results")
        before = query(url, "select count(*) from sluice.tasks l, sluice.tasks s "
            "where l.model = 'chat' and s.model = 'other' and l.finished_at < s.finished_at")[0][0]
    assert before <= count // 2, f"{before} of {count} large answers were stored before it"


# A declared union: the last of 40 objects fits. Each such task takes nearly all steps that it may.
UNION = {"properties": {"x": {"items": {"anyOf": [{"type": "object", "required": [f"t{n}"],
    "properties": {f"t{n}": {"type": "string"}}} for n in range(40)]}}}}
DEAR_TASK = {"model": "chat", "schema_version": "union",
    "request": {"messages": [], "x": [{"t39": ""}] * 230}}


@pytest.mark.parametrize("escaped", ["schema_version", r"schema\u005fversion"])
def test_payloads_of_a_union_hold_nobody_up(url, process, make_key, escaped):
    large, small = make_key("large"), make_key("small")
    query(url, "insert into sluice.payload_schema (target, version, schema) "
        "values ('chat', 'union', %s)", [json.dumps(UNION)])
    begun = time.monotonic()
    refused = http(process.port, "POST", "/v1/tasks", [DEAR_TASK] * 300, large)
    took = time.monotonic() - begun
    assert refused.status == 400 and refused.json["error"]["message"] == (
        "task 3: the payloads of one call take more than 20000 steps to check")
    assert "smaller arrays" in refused.json["error"]["hint"]
    print(f"an array is refused after {took:.2f} s")
    assert took < 5  # all of it: a minute
    body = json.dumps(DEAR_TASK).replace("schema_version", escaped)
    begun = time.monotonic()
    assert http(process.port, "POST", "/v1/tasks", body, large).status == 202
    one, beside, stop = time.monotonic() - begun, [], threading.Event()

    def go_on():
        count = 0
        while not stop.is_set():
            assert http(process.port, "POST", "/v1/tasks", body, large).status == 202
            count += 1
        return count
    with concurrent.futures.ThreadPoolExecutor(30) as pool:
        floods = [pool.submit(go_on) for _ in range(30)]
        try:
            for _ in range(15):
                stop.wait(0.1)  # so that more of them come in between
                begun = time.monotonic()
                assert http(process.port, "POST", "/v1/tasks", {"model": "chat", "prompt": "x"},
                    small).status == 202
                beside.append(time.monotonic() - begun)
        finally:
            stop.set()
        assert sum(flood.result() for flood in floods) >= 30
    median = sorted(beside)[len(beside) // 2]
    print(f"one takes {one:.2f} s, another's beside them {median:.3f} s, {max(beside):.3f} at most")
    assert median < one  # in the transaction of all: many times as long


def test_a_dry_run_of_a_large_file_holds_nobody_up(process, make_key):
    large, small = make_key("large"), make_key("small")
    body = '{"model": "chat", "messages": [], "x": [' + "[]," * 190_000 + "[]]}"
    file = upload(process.port, large, [line(str(n), body=json.loads(body)) for n in range(30)])
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        estimate = pool.submit(http, process.port, "POST", "/v1/batches?dry_run=true",
            {"input_file_id": file, "endpoint": "/v1/chat/completions",
                "completion_window": "24h"}, large)
        assert seconds_of_a_cancel(process.port, small) < 5  # all of it: ten and more
        estimate = estimate.result().json
    assert estimate["count"] == 30 and 0 < estimate["read"] < 30
