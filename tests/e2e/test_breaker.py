"""The breaker of a model, seen from outside, and two workers that reach its threshold at once."""
import socket
import threading

import pytest
from conftest import connect, query, wait_for
from queue_tools import add_model, statuses, submit_many, wait_ended

pytestmark = pytest.mark.plain_build_only


def events(url):
    return query(url, "select from_state, to_state from sluice.breaker_event order by id")


def test_while_a_backend_is_down_tasks_wait_and_burn_no_attempts(pg, mock, worker):
    url = pg.database()
    with socket.socket() as nobody:  # bound, never listening: every connection is refused
        nobody.bind(("127.0.0.1", 0))
        add_model(url, "m", f"http://127.0.0.1:{nobody.getsockname()[1]}", breaker_failures=3,
            breaker_open="500 ms", max_in_flight=1, backoff_base="10 ms", max_attempts=20)
        submit_many(url, [f"prompt {i}" for i in range(50)])
        worker(url)
        wait_for(lambda: ("half_open", "open") in events(url), 30, "a probe that failed")
        # Three opened it; then one at a time: a failed probe for each time that it opened again.
        attempts = query(url, "select count(*) from sluice.attempt")[0][0]
        assert attempts <= 3 + sum(to == "open" for _, to in events(url))
        assert statuses(url) == {}
        backend = mock()
        query(url, "update sluice.models set url = %s", [backend.url])
        assert wait_ended(url, 50) == {"solved": 50}
    assert events(url)[-1] == ("half_open", "closed")
    assert query(url, "select breaker from sluice.queues") == [("closed",)]


def test_two_completions_cross_the_threshold_at_once_and_open_it_once(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1", breaker_failures=5)
    submit_many(url, ["p"] * 20)
    sessions = [connect(url) for _ in range(2)]
    cursors = [session.cursor() for session in sessions]
    workers = []
    for session, cursor in zip(sessions, cursors):
        session.autocommit = True
        cursor.execute("select sluice.register_worker('test', 10)")
        workers.append(cursor.fetchone()[0])
        cursor.execute("select * from sluice.claim(%s, null, 10)", [workers[-1]])
    complete = ("select * from sluice.complete(%s, array(select row(task_id, fence, 'retry', null, "
                "null, null, null, null, null,"
                " null, null, null)::sluice.outcome from sluice.lease where worker = %s))")
    sessions[0].autocommit = False
    cursors[0].execute(complete, [workers[0]] * 2)  # crosses it, and has not committed
    second = threading.Thread(target=lambda: cursors[1].execute(complete, [workers[1]] * 2))
    second.start()
    wait_for(lambda: query(url, "select count(*) from pg_stat_activity "
            "where wait_event_type = 'Lock' and datname = current_database()")[0][0], 10,
        "the second, waiting for the first")
    sessions[0].commit()
    second.join(10)
    assert not second.is_alive()
    assert events(url) == [("closed", "open")]
    assert query(url, "select count(*) from sluice.later")[0][0] == 20
    for session in sessions:
        session.close()
