"""Attacks on hard budgets: by what a request says, by what a backend tells, by who reads."""
import contextlib
import json
import threading

import pytest
from conftest import connect, query, wait_for
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
    ('"max_tokens": 5, "extra_body": {"n": 50}', '"extra_body"'),
    # 0, -1, null and what is cut to 0 are no cap for some backends, another key is unknown to some
    ('"max_completion_tokens": 1', '"max_completion_tokens" without "max_tokens"'),
    ('"max_tokens": 0, "max_completion_tokens": 1', 'the value of "max_tokens"'),
    ('"max_tokens": -1, "max_completion_tokens": 1', 'the value of "max_tokens"'),
    ('"max_tokens": null, "max_completion_tokens": 1', 'the value of "max_tokens"'),
    ('"max_tokens": 1, "max_completion_tokens": 0', 'the value of "max_completion_tokens"'),
    ('"max_tokens": 1e-5, "max_completion_tokens": 1', 'the value of "max_tokens"'),
    ('"max_tokens": 0.1e1', 'the value of "max_tokens"'),
    ('"max_tokens": "5"', 'the value of "max_tokens"'),
    ('"max_tokens": 0.001, "n": 1000', 'the value of "max_tokens"'),
    ('"max_tokens": 0.5, "n": 2', 'the value of "max_tokens"'),
    ('"max_tokens": 5, "n": "2"', 'the value of "n"'))


def tell(prompt_tokens):
    """A script: an answer that is said to have had so many tokens."""
    answer = {"choices": [{"message": {"role": "assistant", "content": "yes"},
        "finish_reason": "stop"}], "usage": {"prompt_tokens": prompt_tokens,
        "completion_tokens": 1}}
    return lambda connection, headers, body: connection.sendall(response(200, json.dumps(answer)))


@pytest.fixture
def backend():
    ended = threading.Event()
    with ScriptedBackend({"honest": tell(10), "lie": tell(2_000_000_000),
            "hang": lambda *_: ended.wait(60)}) as backend:
        yield backend
        ended.set()


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


def test_no_call_holds_more_than_the_models_longest_answer(url, backend, worker):
    """A budget of 50,000 tokens, and answers of 100: one task that asks for 49,000 and cancels its
    call, which may have been billed, would close it for everybody."""
    submit(url, "hang", tenant="a", max_output_tokens=49_000)
    submit(url, None, tenant="a", request='{"messages": [{"role": "user", "content": "hang"}], '
        '"max_tokens": 9800, "n": 5}')
    submit(url, "hang", tenant="a", max_output_tokens=100)
    worker(url)
    wait_ended(url, 2)
    assert query(url, "select distinct error from sluice.tasks where status = 'failed'") == [(
        "the task asks for a longer answer than the max_output_tokens of model m, which is the "
        "most that budget b lets a call have",)]
    wait_for(lambda: backend.calls == ["hang"], 10, "the call")
    query(url, "select sluice.cancel(id) from sluice.tasks where status = 'processing'")
    wait_ended(url, 3)
    submit(url, "honest", tenant="b")
    assert wait_ended(url, 4) == {"failed": 2, "cancelled": 1, "solved": 1}
    [(left,)] = query(url, 'select "left" from sluice.budget_rows()')
    assert left > 0.0497


def wait_parked(url, count):
    wait_for(lambda: query(url, "select count(*) from sluice.budget_wait") == [(count,)], 20,
        f"{count} tasks that wait")


def raise_by_calls(url, count):
    """Raises the limit of a budget of which all is spent: 68 + 100 tokens a call, 1,000 each."""
    query(url, "update sluice.budgets set limit_nanos = limit_nanos + 170000 * %s", [count])


def spend_all(url):
    query(url, "insert into sluice.budget_spent select id, clock_timestamp(), limit_nanos "
        "from sluice.budgets")


def solved_of(url, tenant):
    return query(url, "select count(*) from sluice.tasks where tenant = %s and status = 'solved'",
        [tenant])[0][0]


def test_tasks_that_wait_for_a_budget_go_on_by_turns_of_tenants(url, worker):
    spend_all(url)
    for tenant, count in (("a", 40), ("b", 4)):
        for _ in range(count):
            submit(url, "honest", tenant=tenant)
    worker(url)
    wait_parked(url, 44)
    raise_by_calls(url, 20)
    wait_ended(url, 20)
    assert solved_of(url, "b") >= 1


def test_an_open_transaction_takes_no_room_of_a_budget_from_others(url, worker):
    spend_all(url)
    tasks = [submit(url, "honest", tenant=tenant) for tenant in "a" * 10 + "b" * 3]
    worker(url)
    wait_parked(url, 13)
    with contextlib.closing(connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = False
        cursor.execute("select sluice.cancel(id) from unnest(%s) id", [tasks[:10]])
        raise_by_calls(url, 5)
        wait_for(lambda: solved_of(url, "b") == 3, 20, "the tasks of b")
        connection.rollback()


def test_an_open_transaction_holds_up_no_deletion_of_a_budget(url, worker):
    """The trigger runs at commit, where statement_timeout ends nothing, and locks all models when
    the budget is the last one: if it waits, so does all configuration."""
    spend_all(url)
    tasks = [submit(url, "honest", tenant=tenant) for tenant in "ab"]
    worker(url)
    wait_parked(url, 2)
    with contextlib.closing(connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = False
        cursor.execute("select sluice.cancel(%s)", [tasks[0]])
        query(url, "set lock_timeout = '10 s'; delete from sluice.budgets")
        query(url, "set lock_timeout = '10 s'; select sluice.pause('m'); select sluice.resume('m')")
        wait_for(lambda: solved_of(url, "b") == 1, 20, "the task of b")
        connection.rollback()


def test_a_task_that_is_updated_while_its_budget_is_deleted_goes_on(url, worker):
    """A trigger stops the deletion at the first task that it moves; another session updates those
    that are not locked yet."""
    spend_all(url)
    for tenant in "ab":
        submit(url, "honest", tenant=tenant)
    worker(url)
    wait_parked(url, 2)
    query(url, "create function public.stop() returns trigger language plpgsql as $$ begin "
        "perform pg_advisory_xact_lock(1); return new; end $$")
    query(url, "create trigger stop before update on sluice.later for each row "
        "when (old.ready_at <> new.ready_at) execute function public.stop()")
    with contextlib.closing(connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = False
        cursor.execute("select pg_advisory_xact_lock(1)")
        deletion = threading.Thread(target=query, args=(url, "delete from sluice.budgets"))
        deletion.start()
        wait_for(lambda: query(url, "select 1 from pg_locks where locktype = 'advisory' "
            "and not granted and classid = 0 and objid = 1"), 20, "the deletion")
        query(url, "update sluice.later set fence = fence where task_id in "
            "(select task_id from sluice.later for update skip locked)")
        connection.rollback()
        deletion.join()
    wait_ended(url, 2)


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
