"""Large results are stored by a session of their own: nobody else's result waits for them."""
import json
import os
import signal
from contextlib import closing

import pytest
from conftest import Monitor, connect, query, wait_for
from queue_tools import add_model, as_user, submit
from scripted_backend import ScriptedBackend, response

LARGE = os.urandom(3 << 20).hex()   # 6 MiB
# What is large is not committed while somebody holds lock 1: it has whatever it locks.
HELD_COMPLETIONS = r"""
    do $$ begin
      execute regexp_replace(pg_get_functiondef(p.oid), '\n  return v_places;\n', E'\n'
        '  if octet_length((p_outcomes[1]).answer) > 4194304 then\n'
        '    perform pg_advisory_xact_lock_shared(1);\n'
        '  end if;\n'
        '  return v_places;\n')
      from pg_proc p where p.proname = 'end_solved';
    end $$"""
WAITING = "select pid from pg_locks where locktype = 'advisory' and objid = 1 and not granted"


def answer(text):
    body = json.dumps({"object": "chat.completion", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2}})
    return lambda connection, *_: connection.sendall(response(200, body))


def solved(url, model):
    return query(url, "select count(*) from sluice.tasks where model = %s and status = 'solved'",
        [model])[0][0]


@pytest.fixture
def backend():
    with ScriptedBackend({"large": answer(LARGE), "small": answer("y")}) as backend:
        yield backend


@pytest.fixture
def url(pg, backend):
    url = pg.database()
    for model in ("a", "b"):
        add_model(url, model, backend.url, api="openai-chat", input_price=1, output_price=1,
            max_output_tokens=100, rpm=60_000, tpm=1_000_000, max_in_flight=50)
    query(url, "insert into sluice.budgets (name, scope, limit_nanos) "
        "values ('b', 'system', 1000000000)")
    query(url, HELD_COMPLETIONS)
    return url


@pytest.fixture
def gate(url):
    """Holds lock 1 until it is closed."""
    with closing(connect(url)) as session, session.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(1)")
        yield session


@pytest.mark.parametrize("connections", [2, 3])
def test_no_result_waits_for_a_large_one(url, worker, gate, connections):
    process = worker(url, "--http", "127.0.0.1:0", "--db-connections", connections)
    for _ in range(2):
        submit(url, "large", "a")
    wait_for(lambda: query(url, WAITING), what="the first large one")
    for model in ("a", "b"):
        submit(url, "small", model)
    wait_for(lambda: solved(url, "a") == solved(url, "b") == 1, what="the small ones")
    assert len(query(url, WAITING)) == 1, "these go one by one"
    assert Monitor(process).get("/readyz")[0] == 200
    # a session that is lost is opened anew, and the outcome is there
    query(url, f"select pg_terminate_backend(pid) from ({WAITING}) w")
    wait_for(lambda: query(url, WAITING), what="the next attempt")
    submit(url, "small", "b")
    wait_for(lambda: solved(url, "b") == 2, what="another small one")
    gate.close()
    wait_for(lambda: solved(url, "a") == 3, what="the large ones")
    assert query(url, "select max(attempts) from sluice.tasks") == [(1,)]
    assert query(url, "select count(*) from sluice.budget_call where state <> 'spent'") == [(0,)]


def test_a_worker_that_drains_waits_for_a_large_result(url, worker, gate):
    process = worker(url)
    submit(url, "large", "a")
    wait_for(lambda: query(url, WAITING), what="the large one")
    process.signal(signal.SIGTERM)
    submit(url, "small", "b")
    wait_for(lambda: "draining" in process.stderr(), what="the drain")
    gate.close()
    assert process.wait(30) == 0
    assert solved(url, "a") == 1


def test_large_results_are_stored_also_where_there_is_no_session_for_them(url, worker, gate):
    gate.close()
    query(url, "create role of_three_results login connection limit 3 in role sluice_worker")
    process = worker(as_user(url, "of_three_results"))
    for _ in range(3):
        submit(url, "large", "a")
        submit(url, "small", "b")
    wait_for(lambda: solved(url, "a") == solved(url, "b") == 3, what="all of them")
    assert process.stderr().count("no session for large results, so others' wait for them") == 1
