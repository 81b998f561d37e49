"""Sessions that have just begun: servers and workers warm theirs before they say that they are ready.

Compared is CPU time of sessions, so that other work of the machine does not count."""
import pathlib
import statistics

import pytest
from conftest import Monitor, connect, http, query, wait_for
from queue_tools import add_model, submit_many

LATER = 15  # with the median of so many the first one is compared


def cpu_ms(pids):
    return sum(int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e6


def costs_ms(pids, work):
    """What work() costs these sessions: the first time, and later."""
    costs = []
    for _ in range(1 + LATER):
        before = cpu_ms(pids)
        work()
        costs.append(cpu_ms(pids) - before)
    return costs[0], statistics.median(costs[1:])


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    return url


def test_the_first_submit_over_http_costs_about_what_later_ones_cost(url, server):
    port = server(url, "--db-connections", "1").port
    pids = [pid for pid, in query(url, "select pid from pg_stat_activity where datname = current_database() and "
                                       "pid <> pg_backend_pid() and application_name like 'sluice%'")]

    def post():
        assert http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"}).status == 202
    first, later = costs_ms(pids, post)  # cold: 7 times as much
    assert first < 4 * later, f"{first:.1f} ms before {later:.1f} ms"


def test_the_first_claim_and_completion_of_a_warm_session_cost_about_what_later_ones_cost(url):
    submit_many(url, ["x"] * (1 + LATER), "m")
    session = connect(url)
    with session.cursor() as cursor:
        cursor.execute("select pg_backend_pid(), sluice.register_worker('w', 10)")
        pid, worker = cursor.fetchone()
        cursor.execute("select sluice.warm_up()")

        def solve():
            cursor.execute("select task_id, fence from sluice.claim(%s)", [worker])
            cursor.execute("select applied from sluice.complete(%s, array[row(%s, %s, 'solved', 'a', null, null, null, 200, null, "
                           "1, 1, true)::sluice.outcome])", [worker, *cursor.fetchone()])
            assert cursor.fetchone() == (True,)
        first, later = costs_ms([pid], solve)  # cold: 9 times as much
    session.close()
    assert first < 5 * later, f"{first:.1f} ms before {later:.1f} ms"


def test_each_session_that_works_is_warmed_once(url, server, worker):
    query(url, "do $$ begin execute format('alter database %I set track_functions = ''pl''', current_database()); end $$")

    def warmed():
        return query(url, "select coalesce(sum(calls), 0) from pg_stat_user_functions where funcname = 'warm_up'")[0][0]
    server(url, "--db-connections", "3")
    wait_for(lambda: warmed() == 3, what="three sessions of the server")
    Monitor(worker(url, "--http", "127.0.0.1:0", "--db-connections", "3")).wait_until("listen", 200)
    wait_for(lambda: warmed() == 5, what="two of the worker: the third listens")
