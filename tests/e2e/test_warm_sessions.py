"""Sessions that have just begun: servers and workers warm theirs before they say that they are
ready.

Compared is CPU time of sessions, so that other work of the machine does not count."""
import pathlib

import pytest
from conftest import Monitor, connect, query, wait_for
from queue_tools import add_model, submit_many

pytestmark = pytest.mark.plain_build_only


def cpu_ms(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6


def first_cost_ms(url, is_warm, work):
    """What work(cursor) costs a session first thing."""
    session = connect(url)
    with session.cursor() as cursor:
        if is_warm:
            cursor.execute("select sluice.warm_up()")
        before = cpu_ms(session.get_backend_pid())
        work(cursor)
        cost = cpu_ms(session.get_backend_pid()) - before
    session.close()
    return cost


def assert_warm_is_cheaper(url, work):
    # The least of three: a cold processor cache costs a session half as much again.
    cold, warm = (min(first_cost_ms(url, is_warm, work) for _ in range(3))
        for is_warm in (False, True))
    assert warm < 0.6 * cold, f"{warm:.1f} ms, cold {cold:.1f} ms"


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    return url


def test_the_first_submit_of_a_warm_session_costs_less_than_a_cold_one(url):
    def submit(cursor):  # as the server does
        cursor.execute(
            """select code from sluice.submit_each(array['{"prompt": "x", "model": "m"}'],
                array['default'], array[null])""")
        assert cursor.fetchone() == (None,)
    assert_warm_is_cheaper(url, submit)


def test_the_first_claim_and_completion_of_a_warm_session_cost_less_than_cold_ones(url):
    submit_many(url, ["x"] * 6, "m")
    [(worker,)] = query(url, "select sluice.register_worker('w', 10)")

    def solve(cursor):
        cursor.execute("select task_id, fence from sluice.claim(%s)", [worker])
        cursor.execute("""
            select applied from sluice.complete(%s, array[row(%s, %s, 'solved', 'a', null,
            null, null, 200, null, 1, 1, true)::sluice.outcome])""", [worker, *cursor.fetchone()])
        assert cursor.fetchone() == (True,)
    assert_warm_is_cheaper(url, solve)


def test_each_session_that_works_is_warmed_once(url, server, worker):
    # Noted, not counted by track_functions: a session that rests tells of its calls only ten
    # seconds later.
    query(url, """
        alter function sluice.warm_up rename to warm_up_itself;
        create table public.warmed (session int);
        create function sluice.warm_up() returns void language sql security definer as $$
          insert into public.warmed values (pg_backend_pid());
          select sluice.warm_up_itself() $$""")

    def warmed():
        """How often any session was, and how many sessions were."""
        return query(url, "select count(*), count(distinct session) from public.warmed")
    server(url, "--db-connections", "3")
    wait_for(lambda: warmed() == [(4, 4)], what="four sessions of the server: one is its own")
    Monitor(worker(url, "--http", "127.0.0.1:0")).wait_until("listen", 200)
    wait_for(lambda: warmed() == [(6, 6)], what="two of the worker: the third listens")
