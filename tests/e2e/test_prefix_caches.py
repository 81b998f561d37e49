"""Prefix caches: a conversation stays with its model, and tasks that begin alike go together."""
import json

import pytest
from conftest import http, query, wait_for
from queue_tools import add_model, submit, submit_many, wait_ended

CONVERSATIONS = [f"chat {n}" for n in range(12)]


def models_of(url):
    """Of each key the models that answered its tasks."""
    return dict(query(url, "select affinity_key, array_agg(distinct model order by model) "
        "from sluice.tasks where status = 'solved' group by 1"))


@pytest.fixture
def url(pg, mock):
    """A database with route r of models a and b."""
    url = pg.database()
    backend = mock("--latency", "1ms").url
    for name in "ab":
        add_model(url, name, backend)
    query(url, "insert into sluice.routes (route, model) values ('r', 'a'), ('r', 'b')")
    return url


def test_a_conversation_stays_with_its_model(url, worker):
    worker(url, "--models", "a")
    worker(url, "--models", "b")
    wait_for(lambda: query(url, "select count(*) from sluice.workers")[0][0] == 2, 20, "workers")
    for message in range(1, 4):
        for key in CONVERSATIONS:
            submit(url, "x", "r", affinity_key=key)
        assert wait_ended(url, len(CONVERSATIONS) * message) == \
            {"solved": len(CONVERSATIONS) * message}
    homes = models_of(url)
    assert sorted({model for models in homes.values() for model in models}) == ["a", "b"]
    assert {len(models) for models in homes.values()} == {1}

    query(url, "delete from sluice.result")
    moved = [key for key, models in homes.items() if models == ["a"]]
    query(url, "update sluice.models set paused = true where name = 'a'")
    for key in CONVERSATIONS:
        submit(url, "x", "r", affinity_key=key)
    wait_ended(url, len(CONVERSATIONS))
    assert set(map(tuple, models_of(url).values())) == {("b",)}

    query(url, "delete from sluice.result")
    query(url, "update sluice.models set paused = false where name = 'a'")
    for key in CONVERSATIONS:
        submit(url, "x", "r", affinity_key=key)
    wait_ended(url, len(CONVERSATIONS))
    assert models_of(url) == homes
    assert moved


def test_what_waits_for_a_closed_model_goes_to_another(url, worker):
    query(url, "update sluice.models set paused = true")
    worker(url)
    for key in CONVERSATIONS:
        submit(url, "x", "r", affinity_key=key)
    lines = "select count(*), count(distinct tableoid) from sluice.queue"
    wait_for(lambda: query(url, lines) == [(len(CONVERSATIONS), 2)], 20, "two homes' lines")
    query(url, "update sluice.models set paused = false where name = 'b'")
    assert wait_ended(url, len(CONVERSATIONS)) == {"solved": len(CONVERSATIONS)}
    assert set(map(tuple, models_of(url).values())) == {("b",)}


def test_keys_come_over_http_and_go_with_submits_of_many(url, worker, server, sluice):
    port = server(url).port
    worker(url)
    for key in ("chat 1", "chat 2"):
        task = http(port, "POST", "/v1/tasks",
            {"model": "r", "prompt": "x", "affinity_key": key}).json["id"]
        assert http(port, "GET", f"/v1/tasks/{task}").json["affinity_key"] == key
    assert http(port, "GET", "/v1/tasks").json["data"][0]["affinity_key"] == "chat 2"
    many = http(port, "POST", "/v1/tasks",
        [{"model": "r", "request": {"n": n}, "affinity_key": f"chat {n % 2 + 1}"}
            for n in range(8)])
    assert many.status == 202
    ids = sluice("submit", "--prompt", "x", "--model", "r", "--affinity-key", "chat 1",
        "--wait", "--database-url", url)
    assert ids.returncode == 0, ids.stderr
    wait_ended(url, 11)
    assert {len(models) for models in models_of(url).values()} == {1}
    refused = http(port, "POST", "/v1/tasks",
        [{"model": "r", "prompt": "x"}, {"model": "r", "prompt": "x", "affinity_key": "k" * 201}])
    assert (refused.status, refused.json["error"]["param"]) == (400, "affinity_key")
    assert refused.json["error"]["message"].startswith("task 2: affinity_key must have 1 to 200")


@pytest.mark.parametrize("order, hits_least, hits_most", [("prefix", 30, 36), ("arrival", 0, 0)])
def test_tasks_that_begin_alike_go_together(pg, mock, worker, order, hits_least, hits_most):
    url = pg.database()
    backend = mock("--prefill", "2ms", "--prefix-cache", "1")
    # no batch of calls at once: they would arrive in another order
    add_model(url, "m", backend.url, max_in_flight=1, claim_order=order, paused=True)
    submit_many(url, [f"{template:.<300}{n}" for n in range(10) for template in "abcd"])
    worker(url)
    query(url, "update sluice.models set paused = false")
    assert wait_ended(url, 40) == {"solved": 40}
    wait_for(lambda: len(backend.arrivals()) == 40, what="the mock's log")
    arrivals = backend.arrivals()
    hits = sum(arrival["prefix_hit"] for arrival in arrivals)
    assert hits_least <= hits <= hits_most, json.dumps(arrivals)
