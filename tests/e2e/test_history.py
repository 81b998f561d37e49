"""The history: who writes it, that each end counts once, and who sees what."""
import json
import threading

import pytest
from conftest import ROOT, connect, http, query, wait_for
from key_tools import make_key, process, url  # noqa: F401
from queue_tools import submit, submit_many, wait_ended

ENDS = "select coalesce(sum(solved + failed + cancelled + expired), 0) from sluice.history"


def ends(url, step="minute"):
    return int(query(url, ENDS + " where step = %s", [step])[0][0])


def look(url):
    """A look, however soon after the one before; how many ends it counted."""
    query(url, "update sluice.history_look set looked_at = '-infinity'")
    return query(url, "select counted from sluice.keep_history()")[0][0]


def cancelled_tasks(cursor, tasks):
    for task in tasks:
        cursor.execute("select sluice.cancel(%s)", [task])


def test_a_worker_counts_what_it_has_solved(url, mock, worker, process, make_key):
    backend = mock()
    query(url, "update sluice.models set url = %s", [backend.url])
    submit_many(url, [f"question {n}" for n in range(20)])
    for tenant in ("a", "b", "b"):
        submit(url, "question", tenant=tenant)
    first = worker(url)
    wait_ended(url, 23)
    first.stop()
    query(url, "update sluice.history_look set looked_at = '-infinity'")
    worker(url)   # its first look comes at once
    wait_for(lambda: ends(url) == 23, what="the worker's look")
    assert ends(url, "hour") == ends(url, "day") == 23

    everybody, of_b = make_key("all"), make_key("b", "--tenant", "b")
    path = "/v1/history?step=day&by=tenant"
    rows = http(process.port, "GET", path, key=everybody).json["data"]
    assert {row["tenant"]: row["solved"] for row in rows} == {"a": 1, "b": 2, "default": 20}
    (row,) = http(process.port, "GET", path, key=of_b).json["data"]
    assert (row["tenant"], row["solved"]) == ("b", 2)
    (row,) = http(process.port, "GET", "/v1/history?step=day", key=of_b).json["data"]
    assert row["solved"] == 2 and row["call_p50_s"] > 0
    assert http(process.port, "GET", path + "&tenant=a", key=of_b).status == 403
    reply = http(process.port, "GET", path + "&format=csv", key=of_b)
    assert reply.headers["Content-Type"].startswith("text/csv")
    assert reply.body.splitlines()[1].split(",")[2:4] == ['"b"', "2"]
    refused = http(process.port, "GET", "/v1/history?step=week", key=everybody)
    assert (refused.status, refused.json["error"]["param"]) == (400, "step")


def test_what_each_key_has_spent_is_told_by_key(url, mock, worker, process, make_key):
    query(url, "update sluice.models set url = %s", [mock().url])
    keys = {"admin": make_key("admin", "--scope", "admin"),
        "search": make_key("search", "--tenant", "a"), "nightly": make_key("nightly")}
    task = {"prompt": "question", "model": "m"}
    for key, body in (("search", task), ("nightly", [task, task]), ("nightly", task)):
        reply = http(process.port, "POST", "/v1/tasks", body, key=keys[key])
        assert reply.status == 202, reply.body
    submit(url, "from SQL")
    worker(url)
    wait_ended(url, 5)
    look(url)

    def solved(key, query=""):
        reply = http(process.port, "GET", "/v1/history?step=day&by=key" + query, key=keys[key])
        assert reply.status == 200, reply.body
        return {(row["key"] and row["key_name"]): row["solved"] for row in reply.json["data"]}

    assert solved("admin") == {"search": 1, "nightly": 3, None: 1}
    assert solved("search") == {"search": 1}
    assert solved("admin", "&tenant=default") == {"nightly": 3, None: 1}
    query(url, "update sluice.api_key set revoked_at = now() where name = 'nightly'")
    assert solved("admin", "&model=m") == {"search": 1, "nightly": 3, None: 1}
    reply = http(process.port, "GET", "/v1/history?step=day&by=key&format=csv", key=keys["admin"])
    assert reply.body.splitlines()[0].startswith("at,key,key_name,solved,")
    assert query(url, "select sum(solved) from sluice.key_history where step = 'day'") == [(4,)]


@pytest.mark.plain_build_only
@pytest.mark.parametrize("in_savepoint", [False, True])
def test_an_end_that_is_committed_after_a_look_counts_with_the_next(url, in_savepoint):
    late, soon = submit(url, "late"), submit(url, "soon")
    look(url)
    with connect(url) as open_session, open_session.cursor() as cursor:
        cursor.execute("begin")
        if in_savepoint:
            cursor.execute("create temporary table mine (); savepoint s")
        cursor.execute("select sluice.cancel(%s)", [late])
        query(url, "select sluice.cancel(%s)", [soon])
        assert look(url) == 1
        assert look(url) == 0
        cursor.execute("commit")
    assert look(url) == 1
    assert look(url) == 0
    assert ends(url) == 2


@pytest.mark.plain_build_only
def test_each_end_counts_once_beside_sessions_that_end_forget_and_redrive(url):
    ids = submit_many(url, ["question"] * 600)
    redriven, threads = [], []

    def end_some(mine):
        with connect(url) as session, session.cursor() as cursor:
            for at in range(0, len(mine), 5):
                some = mine[at:at + 5]
                cursor.execute("begin")
                cancelled_tasks(cursor, some[:3])
                cursor.execute("savepoint s")
                cancelled_tasks(cursor, some[3:])
                cursor.execute("commit")
                cursor.execute("select sluice.forget(%s), sluice.redrive(%s)", [some[0], some[4]])
                redriven.append(some[4])

    for n in range(4):
        threads.append(threading.Thread(target=end_some, args=(ids[n::4],)))
        threads[-1].start()
    while any(thread.is_alive() for thread in threads):
        look(url)
    look(url)
    assert len(redriven) == 120
    assert ends(url) == 600
    with connect(url) as session, session.cursor() as cursor:
        cancelled_tasks(cursor, redriven)
    look(url)
    assert ends(url) == 720
    assert look(url) == 0


@pytest.mark.plain_build_only
def test_an_end_that_is_taken_back_while_a_look_reads_counts_once(url):
    task = submit(url, "question")
    query(url, "select sluice.cancel(%s)", [task])
    # So the look says when it has begun to read the results, and waits there; not for a lock, of
    # which it would tire.
    query(url, """create or replace function sluice.bin_of(p_time_s double precision) returns int
        language plpgsql volatile as $$
        begin
          perform pg_advisory_xact_lock_shared(1234, 1);
          while not pg_try_advisory_xact_lock_shared(1234, 2) loop
            perform pg_sleep(0.01);
          end loop;
          return null;
        end $$""")
    with connect(url) as holder, holder.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(1234, 2)")
        looking = threading.Thread(target=look, args=(url,))
        looking.start()
        wait_for(lambda: query(url, "select 1 from pg_locks where classid = 1234 and objid = 1"),
            what="the look")
        query(url, "select sluice.redrive(%s)", [task])
        cursor.execute("select pg_advisory_unlock(1234, 2)")
    looking.join()
    assert ends(url) == 1
    assert look(url) == 0


@pytest.mark.plain_build_only
def test_the_queries_of_the_grafana_dashboard_give_readers_what_has_ended(url):
    submit(url, "question")
    query(url, "select sluice.cancel(id) from sluice.task")
    look(url)
    dashboard = json.loads((ROOT / "packaging/grafana/history.json").read_text())
    values = {
        "$__timeFrom()": "now() - interval '1 day'", "$__timeTo()": "now() + interval '1 day'",
        "${step:sqlstring}": "'day'", "${model:sqlstring}": "'m'", "${tenant:sqlstring}": "''"}
    with connect(url) as session, session.cursor() as cursor:
        cursor.execute("set role sluice_reader")
        for panel in dashboard["panels"]:
            sql = panel["targets"][0]["rawSql"]
            for name, value in values.items():
                sql = sql.replace(name, value)
            cursor.execute(sql)
            assert cursor.rowcount == 1, panel["title"]
