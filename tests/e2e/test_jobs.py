"""Jobs: bulk actions that workers make in steps, over all tasks that meet a filter."""
import json
from collections import Counter

import pytest
from conftest import connect, http, query, wait_for
from key_tools import make_key, process, url  # noqa: F401 (fixtures)
from queue_tools import add_model, submit, submit_many

TASKS = 20_000


def make_failed(url, count, model="m"):
    """Tasks that have failed, with their attempts' outcomes, as a worker would leave them."""
    query(url, """
        with made as (
          insert into sluice.task (id, created_at, model, priority, tenant, prompt, metadata)
          select nextval('sluice.task_id'), clock_timestamp(), m.id, 0, 'default', 'q ' || n,
            jsonb_build_object('n', n)
          from sluice.models m, generate_series(1, %s) n where m.name = %s returning id, created_at)
        insert into sluice.result (task_id, worker, created_at, queued_at, started_at, finished_at,
          fence, attempts, http_status, status, model, error_code, error)
        select id, 1, created_at, created_at, created_at, clock_timestamp(), 1, 1, 500, 'failed',
          %s, 'http_500', 'HTTP 500: try again in ' || id || ' s' from made""",
        [count, model, model])
    query(url, "analyze sluice.task, sluice.result")


def start_job(url, action, filter, **arguments):
    named = "".join(f", {name} => %s" for name in arguments)
    return query(url, f"select sluice.start_job(%s, %s{named})",
        [action, json.dumps(filter), *arguments.values()])[0][0]


def job(url, number):
    names = ("state", "done", "matched", "undone", "skipped", "can_undo")
    return dict(zip(names, query(url, f"select {', '.join(names)} from sluice.jobs where id = %s",
        [number])[0]))


def wait_for_state(url, number, state, deadline_s=120):
    wait_for(lambda: job(url, number)["state"] == state, deadline_s, f"{state}: {job(url, number)}")
    return job(url, number)


def redriven(url):
    """How often each task was redriven."""
    return Counter(row[0] for row in query(url,
        "select task_id from sluice.attempt where kind = 'redriven'"))


def places(url):
    return dict(query(url, "select status, count(*) from sluice.tasks group by 1"))


@pytest.fixture
def failed(pg):
    """A database with TASKS failed tasks of a model that is paused."""
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1", paused=True)
    make_failed(url, TASKS)
    return url


def test_a_redrive_is_cancelled_half_way_goes_on_and_is_undone(failed, worker):
    assert start_job(failed, "redrive", {"model": "m"}, dry_run=True) == TASKS
    first = start_job(failed, "redrive", {"model": "m", "message": "HTTP #: try again in # s"})
    process = worker(failed)
    wait_for(lambda: job(failed, first)["done"] >= TASKS // 4, 60, "a quarter")
    query(failed, "select sluice.cancel_job(%s)", [first])
    half = wait_for_state(failed, first, "cancelled")
    assert TASKS // 4 <= half["done"] < TASKS
    assert places(failed) == {"queued": half["done"], "failed": TASKS - half["done"]}

    # Killed in the middle of the rest: another one goes on, and no task is acted on twice.
    second = start_job(failed, "redrive", {"model": "m"})
    for part in (2, 3):
        wait_for(lambda: job(failed, second)["done"] >= (TASKS - half["done"]) // 4 * (part - 1),
            60, f"part {part}")
        process.kill()
        seen = job(failed, second)
        assert seen["state"] == "running"
        process = worker(failed)
    done = wait_for_state(failed, second, "done")
    assert done["done"] == TASKS - half["done"]
    assert set(redriven(failed).values()) == {1} and len(redriven(failed)) == TASKS
    assert places(failed) == {"queued": TASKS}

    for number, count in ((second, done["done"]), (first, half["done"])):
        assert job(failed, number)["can_undo"]
        query(failed, "select sluice.undo_job(%s)", [number])
        assert wait_for_state(failed, number, "undone")["undone"] == count
    assert places(failed) == {"failed": TASKS} and not redriven(failed)
    kept = "queued_at is not null and cost is null"
    assert query(failed, "select count(*), count(distinct error), min(attempts), max(http_status) "
        f"from sluice.result where status = 'failed' and {kept}") == [(TASKS, TASKS, 1, 500)]
    assert query(failed, "select count(*) from sluice.audit where action = 'start_job'") == [(2,)]


def test_a_sleeping_fleet_hears_of_a_job(pg, worker):
    """It falls asleep after as long as it sleeps then."""
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1", paused=True)
    make_failed(url, 10)
    query(url, "update sluice.settings set idle_look = '15 s', heartbeat_timeout = '3 s'")
    process = worker(url)
    [(looks_at,)] = wait_for(lambda: query(url, "select seen from sluice.worker "
        "where seen > clock_timestamp() + interval '12 s'"), 120, "sleep")
    number = start_job(url, "redrive", {"model": "m"})
    assert wait_for_state(url, number, "done", 20)["done"] == 10
    assert query(url, "select clock_timestamp() < %s - interval '5 s'", [looks_at])[0][0]
    assert process.running()


def test_a_tick_makes_a_step_where_there_is_no_worker(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    submit_many(url, ["x"] * 10)
    number = start_job(url, "cancel", {"model": "m"})
    wait_for(lambda: query(url, "select sluice.tick()") and job(url, number)["state"] == "done", 20,
        "the ticks")
    assert job(url, number)["done"] == 10


def test_moved_tasks_are_solved_by_the_other_model(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "dead", "http://127.0.0.1:1", paused=True)
    add_model(url, "alive", backend.url)
    ids = submit_many(url, [f"prompt {n}" for n in range(500)], "dead")
    worker(url)
    number = start_job(url, "move", {"model": "dead"}, target="alive")
    assert wait_for_state(url, number, "done")["done"] == 500
    wait_for(lambda: places(url) == {"solved": 500}, 60, "the results")
    assert sorted(row[0] for row in query(url, "select task_id from sluice.result")) == ids


def test_the_command_starts_shows_cancels_and_undoes(failed, worker, sluice):
    def run(*arguments):
        return sluice("job", *arguments, "--database-url", failed)
    preview = run("start", "redrive", "--model", "m", "--dry-run")
    assert (preview.returncode, preview.stdout) == (0, f"{TASKS}\n")
    assert run("start", "redrive").returncode == 1 and "condition" in run("start", "redrive").stderr
    assert run("start", "explode", "--everything").returncode == 2
    worker(failed)
    waited = run("start", "redrive", "--model", "m", "--wait", "--json")
    number, shown = waited.stdout.splitlines()
    assert waited.returncode == 0 and json.loads(shown)["done"] == TASKS
    listed = run("ls", "--json")
    assert [json.loads(line)["id"] for line in listed.stdout.splitlines()] == [int(number)]
    assert "redrive" in run("ls").stdout
    assert f"done        {TASKS}" in run("show", number).stdout
    undone = run("undo", number, "--wait")
    assert (undone.returncode, undone.stdout) == (0, "undoing\n")
    assert json.loads(run("show", number, "--json").stdout)["state"] == "undone"
    assert run("cancel", number).stdout == "undone\n"
    assert run("cancel", "999").returncode == 1


def test_the_http_front_starts_and_ends_jobs(url, process, make_key, worker):
    admin, key = make_key("admin", "--scope", "admin"), make_key("a", "--tenant", "a")
    tasks = {tenant: submit(url, "x", tenant=tenant) for tenant in "ab"}

    def call(method, path, body=None, key=key):
        return http(process.port, method, path, body, key=key)
    request = {"action": "cancel", "filter": {"everything": True}}
    preview = call("POST", "/v1/jobs", request | {"dry_run": True}, admin)
    assert (preview.status, preview.json) == (200, {"matched": 2, "is_estimate": False})
    started = call("POST", "/v1/jobs", request)
    assert started.status == 201 and started.json["matched"] == 1
    assert started.json["state"] == "running" and isinstance(started.json["id"], str)
    path = "/v1/jobs/" + started.json["id"]
    worker(url)
    wait_for(lambda: call("GET", path).json["state"] == "done", 30, "the job")
    # The worker may have it: then it ends with its call.
    wait_for(lambda: query(url, "select id from sluice.tasks where status = 'cancelled'") ==
        [(tasks["a"],)], 30, "its cancelled task")
    other = call("POST", "/v1/jobs", request | {"filter": {"model": "m"}}, admin).json["id"]
    assert [job["id"] for job in call("GET", "/v1/jobs").json["data"]] == [started.json["id"]]
    assert len(call("GET", "/v1/jobs", key=admin).json["data"]) == 2
    assert call("GET", "/v1/jobs?limit=1", key=admin).json["data"][0]["id"] == other
    assert call("GET", f"/v1/jobs?before={other}", key=admin).json["data"][0]["id"] != other
    for missing in (f"/v1/jobs/{other}", "/v1/jobs/999", "/v1/jobs/x"):
        assert call("GET", missing).status == 404
        assert call("POST", missing + "/cancel").status == 404
    assert call("POST", path + "/undo").json["state"] == "undoing"
    wait_for(lambda: call("GET", path).json["state"] == "undone", 30, "the undoing")
    again = call("POST", path + "/undo")
    assert (again.status, again.error) == (400, "invalid_request")
    assert f"key {admin[7:23]}" in call("GET", f"/v1/jobs/{other}", key=admin).json["who"]
    for body, status in (({"action": "cancel"}, 400), ({"action": "explode"}, 400),
            ({"action": "cancel", "filter": {"tenant": "b"}}, 403),
            ({"action": "move", "filter": {"everything": True}}, 400),
            ({"action": "move", "filter": {"everything": True}, "to": "none"}, 404), ([1], 400)):
        assert call("POST", "/v1/jobs", body).status == status, body


def test_a_revoked_keys_jobs_stop_however_it_was_revoked(failed, server, sluice, worker):
    made = sluice("key", "create", "k", "--scope", "submit,read", "--database-url", failed)
    key = made.stdout.strip()
    process = server(failed, keys=True)
    started = http(process.port, "POST", "/v1/jobs",
        {"action": "forget", "filter": {"model": "m"}}, key=key)
    assert started.status == 201, started.body
    # Before any worker is there, or it might end sooner.
    assert sluice("key", "revoke", key[7:23], "--database-url", failed).returncode == 0
    worker(failed)
    number = int(started.json["id"])
    assert wait_for_state(failed, number, "cancelled")["done"] == 0
    assert query(failed, "select error from sluice.jobs where id = %s", [number]) == [
        ("the key that started it was revoked",)]


def test_steps_wait_for_nobody_long_and_a_locked_task_is_acted_on_later(pg, worker):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1", paused=True)
    ids = submit_many(url, ["x"] * 3)
    holder = connect(url)
    holder.autocommit = False
    with holder.cursor() as cursor:
        cursor.execute("select from sluice.queue where task_id = %s for update", [ids[1]])
    number = start_job(url, "cancel", {"model": "m"})
    worker(url)
    wait_for(lambda: query(url, "select error from sluice.jobs where id = %s", [number])[0][0], 20,
        "a failed step")
    assert "locked" in query(url, "select error from sluice.jobs where id = %s", [number])[0][0]
    assert job(url, number)["state"] == "running"
    holder.rollback()
    assert wait_for_state(url, number, "done")["done"] == 3
    holder.close()


def test_a_cancel_in_an_open_transaction_stops_neither_ticks_nor_other_jobs(pg):
    url = pg.database()
    for model in "m", "n":
        add_model(url, model, "http://127.0.0.1:1", paused=True)
        submit_many(url, [f"{model} {n}" for n in range(150)], model=model)
    held, other = (start_job(url, "cancel", {"model": model}) for model in ("m", "n"))
    query(url, "select sluice.tick()")
    client = connect(url)
    client.autocommit = False
    try:
        with client.cursor() as cursor:
            cursor.execute("select sluice.cancel_job(%s)", [held])
        wait_for(lambda: query(url, "select sluice.tick()") and
            job(url, other)["state"] == "done", 30, "the other job")
    finally:
        client.rollback()
        client.close()
    wait_for(lambda: query(url, "select sluice.tick()") and job(url, held)["state"] == "done", 30,
        "the job that was not cancelled")


def test_chosen_tasks_are_redriven_to_another_model_from_the_command_line(pg, worker, sluice):
    url = pg.database()
    for name in ("m", "other"):
        add_model(url, name, "http://127.0.0.1:1", paused=True)
    make_failed(url, 3)
    ids = [row[0] for row in query(url, "select id from sluice.tasks order by id")]
    worker(url)

    def run(*arguments):
        return sluice("job", *arguments, "--database-url", url)

    chosen = f"{ids[0]},{ids[2]}"
    assert run("start", "redrive", "--ids", chosen, "--dry-run").stdout == "2\n"
    started = run("start", "redrive", "--ids", chosen, "--to", "other", "--wait")
    assert started.returncode == 0, started.stderr
    assert query(url, "select model, status from sluice.tasks order by id") == [
        ("other", "queued"), ("m", "failed"), ("other", "queued")]
    assert run("undo", started.stdout.split()[0], "--wait").returncode == 0
    assert query(url, "select distinct model, status from sluice.tasks") == [("m", "failed")]
    refused = run("start", "redrive", "--ids", chosen, "--to", "nobody")
    assert (refused.returncode, "nobody" in refused.stderr) == (1, True)
