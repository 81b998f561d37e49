"""Fallbacks and tiers: tasks that their model cannot serve, against backends that say so."""

import pytest
from command_tools import rows, run  # noqa: F401 (fixture)
from conftest import http, query
from queue_tools import add_model, assert_each_ended_once, submit, wait_ended

pytestmark = pytest.mark.plain_build_only


@pytest.fixture
def url(pg):
    return pg.database()


def add_chat(url, backend, *names, **columns):
    for name in names:
        add_model(url, name, backend.url + "/v1", api="openai-chat", **columns)


def test_fallbacks_are_set_listed_and_removed(run, url, mock):
    add_chat(url, mock(), "small", "large")
    assert run("fallback", "set", "small", "context_too_long", "large").returncode == 0
    assert run("fallback", "set", "small", "breaker_open", "large").returncode == 0
    assert rows(run, "fallback", "ls") == [
        {"target": "small", "cause": cause, "to_model": "large"}
        for cause in ("breaker_open", "context_too_long")]
    assert "context_too_long" in run("fallback", "ls").stdout
    refused = run("fallback", "set", "small", "boredom", "large")
    assert refused.returncode == 2
    unknown = run("fallback", "set", "small", "over_budget", "nope")
    assert unknown.returncode == 1 and 'there is no model "nope"' in unknown.stderr
    assert run("fallback", "set", "nope", "over_budget", "large").returncode == 1
    assert run("fallback", "rm", "small", "breaker_open").returncode == 0
    assert run("fallback", "rm", "small").returncode == 0
    assert run("fallback", "rm", "small").returncode == 1
    assert run("route", "set", "r", "small").returncode == 0
    assert run("route", "set", "r", "large", "weight=2", "tier=2").returncode == 0
    assert [(row["model"], row["tier"]) for row in rows(run, "route", "ls")
        if row["route"] == "r"] == [("small", 1), ("large", 2)]


def test_fallbacks_and_tiers_over_http(url, server, mock):
    add_chat(url, mock(), "small", "large")
    port = server(url).port
    assert http(port, "PUT", "/v1/routes/r", {"small": 1, "large": {"tier": 2}}).status == 200
    assert http(port, "GET", "/v1/routes/r").json == {
        "small": 1, "large": {"weight": 1, "tier": 2}}
    assert http(port, "PUT", "/v1/routes/r", {"small": 1, "large": 3}).status == 200
    assert http(port, "GET", "/v1/routes").json["r"]["large"] == {"weight": 3, "tier": 2}
    assert http(port, "PUT", "/v1/routes/r", {"small": {"tier": 0}}).status == 400
    wanted = {"context_too_long": "large"}
    assert http(port, "PUT", "/v1/fallbacks/small", wanted).json == wanted
    assert http(port, "GET", "/v1/fallbacks/small").json == wanted
    assert http(port, "GET", "/v1/fallbacks").json == {"small": wanted}
    assert http(port, "PUT", "/v1/fallbacks/small", {"over_budget": "nope"}).status == 400
    assert http(port, "PUT", "/v1/fallbacks/nope", wanted).status == 404
    assert http(port, "PUT", "/v1/fallbacks/small", {"boredom": "large"}).status in (400, 409)
    assert http(port, "PUT", "/v1/fallbacks/small", {}).status == 200
    assert http(port, "GET", "/v1/fallbacks/small").json == {}
    assert http(port, "GET", "/v1/fallbacks/nope").status == 404


def test_a_worker_follows_fallbacks(url, worker, mock, sluice):
    backend = mock()
    add_chat(url, backend, "small", "large", "bold")
    query(url, "insert into sluice.fallbacks values ('small', 'context_too_long', 'large'), "
        "('small', 'content_refused', 'bold'), ('large', 'content_refused', 'bold'), "
        "('bold', 'context_too_long', 'small')")
    worker(url)
    said = {
        "too_long": submit(url, "mock:model=small;too_long x", "small"),
        "refused": submit(url, "mock:model=small;refused x", "small"),
        "refused_answer": submit(url, "mock:model=small;refused_answer x", "small")}
    fine = submit(url, "x", "small")
    ends = submit(url, "mock:too_long x", "small")
    assert wait_ended(url, 5) == {"solved": 4, "failed": 1}
    models = dict(query(url, "select id, model from sluice.tasks"))
    assert models == {said["too_long"]: "large", said["refused"]: "bold",
        said["refused_answer"]: "bold", fine: "small", ends: "large"}
    attempts = query(url, "select task_id, kind, model, fallback_to, error_code, http_status "
        "from sluice.attempts order by task_id, id")
    assert attempts == [
        (said["too_long"], "rerouted", "small", "large", "context_too_long", 400),
        (said["refused"], "rerouted", "small", "bold", "content_refused", 400),
        (said["refused_answer"], "rerouted", "small", "bold", "content_refused", 200),
        (ends, "rerouted", "small", "large", "context_too_long", 400),
        (ends, "failed", "large", None, "context_too_long", 400)]
    assert "; it went from small to large (context too long)" in sluice("explain",
        str(said["too_long"]), "--database-url", url).stdout
    assert_each_ended_once(url, list(models))
    assert query(url, "select wasted_tokens > 0 from (select coalesce(sum(input_tokens), 0) "
        "as wasted_tokens from sluice.attempts) a") == [(True,)]


def test_a_model_that_is_down_is_left_for_its_fallback(url, worker, mock):
    backend = mock()
    add_model(url, "down", "http://127.0.0.1:9/v1", api="openai-chat", breaker_failures=1,
        breaker_open="10 minutes")
    add_chat(url, backend, "up")
    query(url, "insert into sluice.fallbacks values ('down', 'breaker_open', 'up')")
    worker(url)
    ids = [submit(url, f"q {n}", "down") for n in range(5)]
    assert wait_ended(url, 5) == {"solved": 5}
    assert query(url, "select distinct model from sluice.tasks") == [("up",)]
    assert query(url, "select count(distinct task_id) from sluice.attempts "
        "where kind = 'rerouted' and error_code = 'breaker_open'") == [(5,)]
    assert_each_ended_once(url, ids)


def test_the_second_tier_takes_what_the_first_cannot(url, worker, mock):
    backend = mock()
    add_chat(url, backend, "first", "second")
    query(url, "insert into sluice.routes (route, model, tier) values ('r', 'first', 1), "
        "('r', 'second', 2)")
    worker(url)
    for n in range(40):
        submit(url, f"q {n}", "r")
    assert wait_ended(url, 40) == {"solved": 40}
    assert query(url, "select distinct model from sluice.tasks") == [("first",)]
    query(url, "select sluice.pause('first')")
    for n in range(40):
        submit(url, f"again {n}", "r")
    assert wait_ended(url, 80) == {"solved": 80}
    assert query(url, "select model, count(*) from sluice.tasks group by 1 order by 1") == [
        ("first", 40), ("second", 40)]
    # a permit each ten minutes or so: the first call is its, the others need not wait
    query(url, "select sluice.resume('first')")
    query(url, "update sluice.models set rpm = 1 where name = 'first'")
    for n in range(40):
        submit(url, f"limited {n}", "r")
    assert wait_ended(url, 120) == {"solved": 120}
    assert query(url, "select count(*) >= 78 from sluice.tasks where model = 'second'") == [
        (True,)]
