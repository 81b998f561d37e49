"""Changes that are tried: sluice ramp and sluice shadow, their HTTP, and a worker that makes the
steps."""
import threading

import pytest
from command_tools import rows, run  # noqa: F401 (fixture)
from conftest import http, query, wait_for
from queue_tools import add_model, submit_many, wait_ended

pytestmark = pytest.mark.plain_build_only


@pytest.fixture
def url(pg):
    """A database with a route r, whose models old and new have weights 1 and 0."""
    url = pg.database()
    for model, weight in (("old", 1), ("new", 0)):
        add_model(url, model, "http://127.0.0.1:1")
        query(url, "insert into sluice.routes values ('r', %s, %s)", [model, weight])
    return url


def weight_of(url, model):
    return query(url, "select round(weight::numeric, 3)::float from sluice.routes "
        "where route = 'r' and model = %s", [model])[0][0]


def look(url):
    """A look at the history, however soon after the one before."""
    query(url, "update sluice.history_look set looked_at = '-infinity'")
    query(url, "select sluice.tick()")


def reasons(url):
    return [row[0] for row in query(url, "select reason from sluice.revisions "
        "where name = 'r' and reason is not null order by id")]


def test_a_change_says_why(url, run, server):
    assert run("model", "set", "old", "rpm=60", "reason=the contract").returncode == 0
    assert run("model", "set", "old", "reason=none").returncode == 2, "nothing is changed"
    assert run("route", "set", "r", "new", "weight=2", "reason=cheaper").returncode == 0
    port = server(url).port
    changed = http(port, "PATCH", "/v1/models/old", {"rpm": 90, "reason": "another one"})
    assert changed.status == 200 and "reason" not in changed.json, changed.body
    http(port, "PATCH", "/v1/models/old", {"rpm": 91})
    assert [(row["name"], row["reason"]) for row in
        http(port, "GET", "/v1/revisions?limit=4").json["data"]] == [("old", None),
        ("old", "another one"), ("r", "cheaper"), ("old", "the contract")]


def test_changes_of_routes_and_fallbacks_say_why(url, run, server):
    port = server(url).port
    http(port, "PUT", "/v1/fallbacks/r?reason=long%20prompts", {"context_too_long": "new"})
    http(port, "PUT", "/v1/routes/r?reason=cheaper", {"old": 1, "new": 2})
    http(port, "PATCH", "/v1/routes/r?reason=faster", {"prefer": "latency"})
    gone = http(port, "DELETE", "/v1/routes/r?reason=no%20more")
    assert gone.status == 200, gone.body
    assert run("fallback", "set", "new", "over_budget", "old", "--reason", "a test").returncode == 0
    assert run("fallback", "rm", "new", "--reason", "it is over").returncode == 0
    found = query(url, "select kind, name, action, reason from sluice.revisions "
        "where reason is not null order by id")
    assert sorted(set(found)) == sorted({("fallbacks", "r", "insert", "long prompts"),
        ("routes", "r", "update", "cheaper"), ("routes", "r", "update", "faster"),
        ("routes", "r", "delete", "no more"), ("fallbacks", "r", "delete", "no more"),
        ("fallbacks", "new", "insert", "a test"), ("fallbacks", "new", "delete", "it is over")})
    [last] = http(port, "GET", "/v1/revisions?kind=fallbacks&limit=1").json["data"]
    assert http(port, "POST", f"/v1/revisions/{last['id']}/revert", {}).status == 200
    assert query(url, "select target, cause, to_model from sluice.fallbacks") == [
        ("new", "over_budget", "old")]


def test_ramps_are_started_listed_paused_and_stopped(url, run):
    refused = run("ramp", "start", "r", "new", "--share", "many")
    assert refused.returncode == 2 and "'many' is no share; such as 30% or 0.3" in refused.stderr
    assert run("ramp", "start", "r", "nobody").returncode == 1
    assert run("ramp", "start", "r", "new", "--share", "30%", "--steps", "3", "--step-time", "5m",
        "--error-margin", "5%", "--reason", "cheaper").returncode == 0
    [row] = rows(run, "ramp", "ls")
    assert (row["state"], row["step"], row["share"], row["step_time"], row["error_margin"]) == (
        "running", 1, 0.3, "00:05:00", 0.05)
    assert weight_of(url, "new") == 0.111
    assert "1 of 3  30.0 %" in run("ramp", "ls").stdout
    for verb, state in (("pause", "paused"), ("resume", "running"), ("stop", "stopped")):
        assert run("ramp", verb, "r", "--reason", "to see").stdout == state + "\n"
    assert run("ramp", "stop", "r").returncode == 1
    assert weight_of(url, "new") == 0
    assert reasons(url) == ["ramp 1: step 1 of 3, 10.0 %: cheaper", "ramp 1 stopped: to see"]


def test_shadows_are_started_listed_applied_and_dropped(url, run):
    assert run("shadow", "start", "model", "old", "rpm").returncode == 2
    assert run("shadow", "start", "model", "old", "colour=1").returncode == 1
    query(url, "insert into sluice.budgets (name, scope, limit_nanos, is_hard) "
        "values ('b', 'system', 1e12, false)")
    assert [run("shadow", "start", *words).stdout for words in (
        ("model", "old", "rpm=300", "burst=null"), ("budget", "b", "limit=50.5", "is_hard=true"),
        ("route", "r", "new=0.5"))] == ["1\n", "2\n", "3\n"]
    assert [row["changes"] for row in rows(run, "shadow", "ls")] == [{"new": 0.5},
        {"is_hard": "true", "limit_nanos": 50_500_000_000}, {"rpm": 300, "burst": None}]
    assert "model old" in run("shadow", "ls").stdout
    assert rows(run, "shadow", "show", "1") == []
    assert run("shadow", "show", "99").returncode == 1
    assert run("shadow", "apply", "1").stdout == "applied\n"
    assert query(url, "select rpm from sluice.models where name = 'old'") == [(300,)]
    assert run("shadow", "drop", "3", "--reason", "no").stdout == "dropped\n"
    assert run("shadow", "apply", "3").returncode == 1
    assert weight_of(url, "new") == 0


def test_both_over_http(url, server):
    port = server(url).port
    started = http(port, "POST", "/v1/ramps", {"route": "r", "model": "new", "steps": 2})
    assert started.status == 201 and started.json["step"] == 1, started.body
    assert http(port, "POST", "/v1/ramps", {"route": "r", "model": "new"}).status == 400
    assert http(port, "GET", "/v1/ramps").json["data"] == [started.json]
    assert 'sluice_ramps{state="running"} 1' in http(port, "GET", "/metrics").body
    assert http(port, "POST", "/v1/ramps/r/stop", {"reason": "no"}).json == {"state": "stopped"}
    assert http(port, "POST", "/v1/ramps/r/stop").status == 404
    started = http(port, "POST", "/v1/shadows", {"kind": "tenants", "name": "t",
        "changes": {"rpm": 5}})
    assert started.status == 400, "no such tenant"
    started = http(port, "POST", "/v1/shadows", {"kind": "routes", "name": "r",
        "changes": {"new": 0.25}, "reason": "to see"})
    assert started.status == 201 and started.json["calls"] == 0, started.body
    path = f"/v1/shadows/{started.json['id']}"
    assert http(port, "GET", path).json == started.json | {"hours": []}
    assert http(port, "POST", path + "/apply").json == {"state": "applied"}
    assert weight_of(url, "new") == 0.25
    assert reasons(url)[-1] == f"shadow {started.json['id']}: to see"


def test_a_ramp_to_a_model_that_fails_goes_back_within_its_step(url, mock, worker):
    query(url, "update sluice.models set url = %s, backoff_base = '1 ms', backoff_max = '1 ms' "
        "where name = 'old'", [mock().url])
    query(url, "update sluice.models set url = %s, backoff_base = '1 ms', backoff_max = '1 ms' "
        "where name = 'new'", [mock("--error-rate", "0.05", "--seed", "1").url])
    query(url, "select sluice.start_ramp('r', 'new', 0.5, 1)")
    worker(url)
    submit_many(url, [f"question {n}" for n in range(1000)], "r")
    wait_ended(url, 1000)
    look(url)
    [(state, step, calls, why)] = query(url, "select state, step, calls, reason "
        "from sluice.ramps('r')")
    assert (state, step) == ("aborted", 1), (calls, why)
    assert weight_of(url, "new") == 0
    assert reasons(url)[-1] == why and "calls failed" in why


def test_each_step_is_made_once_whoever_looks(url, mock, worker):
    backend = mock()
    query(url, "update sluice.models set url = %s", [backend.url])
    query(url, "select sluice.start_ramp('r', 'new', 0.5, 5, '1 second', 20, p95_margin => 100)")
    worker(url)

    def looks():
        for _ in range(5):
            look(url)

    for step in range(2, 6):
        submit_many(url, [f"question {step} {n}" for n in range(400)], "r")

        def is_made():
            threads = [threading.Thread(target=looks) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return query(url, "select step from sluice.ramps('r')")[0][0] >= step
        wait_for(is_made, 60, f"step {step}")
    assert reasons(url)[:5] == [f"ramp 1: step {n} of 5, {n}0.0 %" for n in range(1, 6)]


def test_a_shadow_counts_what_a_worker_calls(url, mock, worker):
    query(url, "update sluice.models set url = %s", [mock().url])
    query(url, """select sluice.start_shadow('routes', 'r', '{"new": 1}'),
        sluice.start_shadow('models', 'old', '{"rpm": 60}')""")
    worker(url)
    submit_many(url, [f"question {n}" for n in range(100)], "r")
    wait_ended(url, 100)
    look(url)
    assert query(url, "select calls, moved, delayed from sluice.shadows(1)") == [(100, 50, 0)]
    [(calls, delayed, delay_s)] = query(url, "select calls, delayed, delay_s from "
        "sluice.shadows(2)")
    # One at once, and one a second: the load takes some seconds at most.
    assert calls == 100 and delayed >= 80 and delay_s > 80 * 40, (delayed, delay_s)
