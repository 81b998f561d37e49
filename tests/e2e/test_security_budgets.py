"""Attacks on hard budgets: by what a request says, by what a backend tells, by who reads."""
import json

import pytest
from conftest import query
from queue_tools import add_model, submit, wait_ended
from scripted_backend import ScriptedBackend, response

pytestmark = pytest.mark.plain_build_only

BEYOND_ITS_BOUND = (
    ('"max_tokens": 100000, "max_tokens": 5', '"max_tokens" twice'),
    ('"max_tokens": 5, "max_tokens": 100000', '"max_tokens" twice'),
    ('"max_tokens": 5, "MAX_TOKENS": 100000', '"MAX_TOKENS"'),
    ('"max_tokens": 5, "n": 100, "n": 1', '"n" twice'),
    ('"max_tokens": 5, "plugins": [{"id": "web"}]', '"plugins"'),
    ('"max_tokens": 5, "models": ["dearer"]', '"models"'),
    ('"max_tokens": 5, "service_tier": "priority"', '"service_tier"'),
    ('"max_tokens": 5, "reasoning": {"max_tokens": 100000}', '"reasoning"'),
    ('"max_tokens": 5, "extra_body": {"n": 50}', '"extra_body"'))


def tell(prompt_tokens):
    """A script: an answer that is said to have had so many tokens."""
    answer = {"choices": [{"message": {"role": "assistant", "content": "yes"},
        "finish_reason": "stop"}], "usage": {"prompt_tokens": prompt_tokens,
        "completion_tokens": 1}}
    return lambda connection, headers, body: connection.sendall(response(200, json.dumps(answer)))


@pytest.fixture
def backend():
    with ScriptedBackend({"honest": tell(10), "lie": tell(2_000_000_000)}) as backend:
        yield backend


@pytest.fixture
def url(pg, backend):
    url = pg.database()
    add_model(url, "m", backend.url, api="openai-chat", input_price=1, output_price=1,
        max_output_tokens=100)
    query(url, "insert into sluice.budgets (name, scope, limit_nanos) values "
        "('b', 'system', 50000000)")
    return url


def test_a_request_that_a_backend_may_read_as_dearer_than_held_is_not_called(url, backend, worker):
    messages = '"messages": [{"role": "user", "content": "honest"}]'
    for keys, _ in BEYOND_ITS_BOUND:
        submit(url, None, request=f"{{{messages}, {keys}}}")
    submit(url, None, request=f'{{{messages}, "max_tokens": 5, "temperature": 0}}')
    worker(url)
    assert wait_ended(url, len(BEYOND_ITS_BOUND) + 1) == {"failed": len(BEYOND_ITS_BOUND),
        "solved": 1}
    errors = [error for (error,) in query(url, "select error from sluice.tasks "
        "where error_code = 'over_budget' order by id")]
    for error, (keys, named) in zip(errors, BEYOND_ITS_BOUND, strict=True):
        assert f"because of {named} in its request" in error, keys
    assert backend.calls == ["honest"]


def test_a_backend_that_tells_too_many_tokens_closes_no_budget(url, worker, sluice):
    submit(url, "lie")
    worker(url)
    wait_ended(url, 1)
    submit(url, "honest")
    assert wait_ended(url, 2) == {"solved": 2}
    [(spent, held)] = query(url, "select spent, held from sluice.budget_rows()")
    assert 0 < spent < 0.001 and held == 0
    [(cost,)] = query(url, "select cost from sluice.tasks order by id limit 1")
    assert cost > 1000
    assert "the backend of model m told that 1 calls of the last day cost 2000" in sluice("doctor",
        "--database-url", url).stdout


def test_a_task_that_waits_does_not_tell_what_others_have_spent(url, worker):
    query(url, "insert into sluice.budget_spent select id, clock_timestamp(), 49999123 "
        "from sluice.budgets")
    worker(url)
    query(url, "update sluice.budgets set at_limit = 'refuse'")
    submit(url, "honest")
    wait_ended(url, 1)
    [(error,)] = query(url, "select error from sluice.tasks")
    assert error.startswith("system: no room for it today, opens ") and "0.0" not in error
