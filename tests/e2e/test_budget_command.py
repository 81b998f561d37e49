"""sluice budget and its HTTP; and a worker whose tasks are over one."""
import re

import pytest
from command_tools import rows, run  # noqa: F401 (fixture)
from conftest import connect, http, query, wait_for
from queue_tools import add_model, submit, wait_ended

pytestmark = pytest.mark.plain_build_only


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1", input_price=1, output_price=1)
    return url


def test_budgets_are_set_listed_and_removed(run):
    refused = run("budget", "set", "b", "scope=system")
    assert refused.returncode == 2 and "needs scope=… and limit=…" in refused.stderr
    assert run("budget", "set", "b", "scope=tenant", "subject=search", "limit=50.000000001",
        "zone=Europe/Prague").returncode == 0
    assert run("budget", "set", "b", "marks={50}", "is_hard=false").returncode == 0
    [row] = rows(run, "budget", "ls")
    assert (row["scope"], row["limit"], row["spent"], row["marks"], row["is_hard"]) == (
        "tenant", 50.000000001, 0, [50], False)
    shown = run("budget", "ls").stdout.split("\n")[1]
    assert shown.split()[:3] == ["b", "tenant", "search"] and shown.endswith("00:00 Europe/Prague")
    for setting in ("limit=0.0000000001", "limit=0.0000009", "limit=x", "zone=Mars", "period=year"):
        assert run("budget", "set", "b", setting).returncode in (1, 2), setting
    assert run("budget", "rm", "b").returncode == 0
    assert run("budget", "rm", "b").returncode == 1


def test_models_where_tasks_of_a_hard_budget_fail_are_named(url, run, server):
    add_model(url, "bare", "http://127.0.0.1:1")
    query(url, "update sluice.models set max_output_tokens = 9 where name = 'm'")
    said = run("budget", "set", "b", "scope=tenant", "subject=search", "limit=50")
    assert (said.returncode, said.stdout) == (0, "")
    assert "sluice: warning: model bare has no price: tasks that budget b counts fail there; " in (
        said.stderr)
    assert run("budget", "set", "b", "is_hard=false").stderr == ""
    port = server(url).port
    changed = http(port, "PATCH", "/v1/budgets/b", {"is_hard": True}).json
    assert (changed["unpriced"], changed["unbounded"]) == (["bare"], ["bare"])
    made = http(port, "PUT", "/v1/budgets/fine", {"scope": "model", "subject": "m",
        "limit_nanos": 5_000}).json
    assert (made["name"], made["unpriced"], made["unbounded"]) == ("fine", [], [])
    assert http(port, "PATCH", "/v1/budgets/none", {"is_hard": True}).status == 404


@pytest.mark.parametrize("settings, message", [
    (["scope=planet"], "scope is one of system, model, route, tenant, key and tag, not planet"),
    (["scope=system", "period=year"], "period is one of day, week, month and rolling, not year"),
    (["scope=tenant"], "subject is needed but with scope system, which takes none"),
    (["scope=model", "subject=any"], 'there is no model "any" (known are m)'),
    (["scope=route", "subject=m"], 'there is no route "m" (known are any)'),
    (["scope=system", "at_limit=wait"], "at_limit is one of park, refuse and reroute, not wait")])
def test_a_refused_setting_says_what_is_allowed(run, settings, message):
    assert run("budget", "set", "b", *settings, "limit=5").stderr == f"sluice: {message}\n"


def test_marks_are_told_once_and_listed(url, run):
    listener = connect(url)
    listener.cursor().execute("listen sluice_budget")
    query(url, "update sluice.settings set events = true")
    query(url, "insert into sluice.budgets (name, scope, limit_nanos, marks) values "
        "('b', 'system', 1000, '{50,80}')")
    assert rows(run, "budget", "history") == []
    query(url, "insert into sluice.budget_spent select id, clock_timestamp(), 600 "
        "from sluice.budgets")
    for _ in range(2):
        query(url, "select sluice.look_at_budgets(clock_timestamp())")
    [row] = rows(run, "budget", "history", "b")
    assert (row["budget"], row["event"], row["per_cent"]) == ("b", "mark", 50)
    assert "50 % spent" in run("budget", "history").stdout
    assert rows(run, "budget", "history", "other") == []
    query(url, "select sluice.note_marks(b, '{0}', clock_timestamp()) from sluice.budgets b")
    assert "no room for one more call" in run("budget", "history").stdout
    listener.poll()
    number = query(url, "select id::text from sluice.budgets")[0][0]
    assert [notice.payload for notice in listener.notifies] == [number, number]
    listener.close()


def test_metrics_have_the_budgets_that_are_nearest_to_their_limits(url, server):
    query(url, "insert into sluice.budgets (name, scope, subject, limit_nanos) "
        "select 'b' || n, 'tenant', 't' || n, 1000000000 from generate_series(1, 120) n")
    query(url, "insert into sluice.budget_spent select id, clock_timestamp(), 1000000 * "
        "substr(name, 2)::int from sluice.budgets")
    query(url, "select sluice.note_marks(b, '{0}', clock_timestamp()) from sluice.budgets b "
        "where name = 'b120'")
    port = server(url).port
    text = wait_for(lambda: (body := http(port, "GET", "/metrics").body).count(
        "sluice_budget_spent{") and body, what="budgets")
    found = {(name, budget): float(value) for name, budget, value in re.findall(
        r'^sluice_budget_(\w+){budget="(\w+)"} (\S+)$', text, re.M)}
    assert {budget for _, budget in found} == {f"b{number}" for number in range(21, 121)}
    assert {name: value for (name, budget), value in found.items() if budget == "b120"} == {
        "spent": 0.12, "held": 0, "limit": 1, "waiting_tasks": 0, "exhausted": 1}
    assert found["exhausted", "b21"] == 0


def test_budgets_over_http(url, server):
    port = server(url).port
    put = http(port, "PUT", "/v1/budgets/b", {"scope": "model", "subject": "m",
        "limit_nanos": 5_000_000_000})
    assert put.status == 200, put.body
    assert http(port, "PATCH", "/v1/budgets/b", {"period": "week"}).json["period"] == "week"
    shown = http(port, "GET", "/v1/budgets/b").json
    assert (shown["limit"], shown["held"], shown["left"]) == (5, 0, 5)
    assert http(port, "GET", "/v1/budgets").json["data"] == [shown]
    [revision, _] = http(port, "GET", "/v1/revisions?kind=budgets").json["data"]
    assert (revision["before"], revision["after"]) == ({"period": "day"}, {"period": "week"})
    assert http(port, "POST", f"/v1/revisions/{revision['id']}/revert", {}).status == 200
    assert http(port, "GET", "/v1/budgets/b").json["period"] == "day"
    assert http(port, "PUT", "/v1/budgets/b", {"scope": "planet"}).status in (400, 409, 422)
    assert http(port, "DELETE", "/v1/budgets/b").status == 200
    assert http(port, "GET", "/v1/budgets/b").status == 404


def test_a_limit_over_http_may_be_in_whole_units(url, server):
    port = server(url).port
    made = http(port, "PUT", "/v1/budgets/b", {"scope": "system", "limit": 0.5})
    assert (made.status, made.json.get("limit_nanos")) == (200, 500_000_000), made.body
    for limit, nanos in ((0.000001, 1000), (12, 12_000_000_000)):
        changed = http(port, "PATCH", "/v1/budgets/b", {"limit": limit}).json
        assert changed["limit_nanos"] == nanos
        assert http(port, "GET", "/v1/budgets/b").json["limit"] == limit
    for body in ({"limit": "much"}, {"limit": None}, {"limit": 1.0000000001}, {"limit": 1e300},
            {"limit": 5, "limit_nanos": 5_000_000_000}):
        refused = http(port, "PATCH", "/v1/budgets/b", body)
        assert (refused.status, refused.json["error"]["param"]) == (400, "limit"), refused.body
    assert http(port, "PATCH", "/v1/budgets/b", {"limit": 0}).status == 400
    assert http(port, "PUT", "/v1/tenants/t", {"limit": 5}).json["error"]["param"] == "limit"


def test_a_worker_waits_for_a_budget_and_goes_on_when_it_is_raised(pg, worker, mock, sluice):
    url = pg.database()
    backend = mock()
    # a call may cost 70 units, one of each for a token, and costs less
    add_model(url, "m", backend.url + "/v1", api="openai-chat", input_price=1_000_000,
        output_price=1_000_000)
    query(url, "insert into sluice.budgets (name, scope, period, rolling, limit_nanos) "
        "values ('b', 'system', 'rolling', '1 day', 75000000000)")
    worker(url)
    ids = [submit(url, "four", max_output_tokens=2) for _ in range(12)]
    wait_for(lambda: query(url, "select waiting > 0 and held = 0 and spent > 5 from "
        "sluice.budget_rows()") == [(True,)], 60, "the budget to be used up")
    assert query(url, "select spent + held <= 75 from sluice.budget_rows()") == [(True,)]
    waiting = query(url, "select task_id from sluice.budget_wait order by until desc limit 1")[0][0]
    assert "budget b" in (said := sluice("explain", str(waiting), "--database-url",
        url).stdout) or "system: " in said
    query(url, "update sluice.budgets set limit_nanos = 10000000000000")
    assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    assert query(url, "select (select spent from sluice.budget_rows()) "
        "= (select sum(cost) from sluice.tasks)") == [(True,)]
