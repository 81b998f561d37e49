"""Statements are prepared where the session is the worker's own, and nowhere else."""
import pytest
from conftest import Monitor, query, wait_for
from queue_tools import add_model, assert_each_ended_once, submit, submit_many, wait_ended

# The prepared statements of the claiming session, noted with each lease; a test may change them.
NOTE = """
create table public.prepared (statements bigint);
create function public.note_prepared() returns trigger language plpgsql as $$
begin
  insert into public.prepared select count(*) from pg_prepared_statements
    where name like 'sluice\\_%';
  if {lose} and (select count(*) from public.prepared) = 1 then
    execute 'deallocate all';
  end if;
  return null;
end
$$;
create trigger note after insert on sluice.lease
  for each row execute function public.note_prepared();
grant all on public.prepared to public
"""


def prepared(url):
    return [count for count, in query(url, "select statements from public.prepared")]


def solve(url, count):
    for number in range(count):
        submit(url, f"task {number}")
        wait_ended(url, number + 1)


@pytest.mark.parametrize("connections", [2, 3])
def test_a_direct_session_has_its_statements_prepared_before_its_first_claim(pg,
        mock, worker, connections):
    url = pg.database()
    add_model(url, "m", mock().url)
    query(url, NOTE.format(lose="false"))
    worker(url, "--db-connections", str(connections))
    solve(url, 2)
    assert len(prepared(url)) == 2 and all(prepared(url)), prepared(url)


def test_through_a_pooler_nothing_is_prepared(pooler, mock, worker):
    """It may run each transaction in another session."""
    url = pooler.direct_url
    add_model(url, "m", mock().url)
    query(url, NOTE.format(lose="false"))
    monitor = Monitor(worker(pooler.url, "--direct-url", url, "--http", "127.0.0.1:0"))
    monitor.wait_until("listen", 200)
    ids = submit_many(url, ["x"] * 50)
    assert wait_ended(url, 50) == {"solved": 50}
    assert_each_ended_once(url, ids)
    assert prepared(url) and not any(prepared(url)), prepared(url)


def test_a_session_that_loses_its_statements_is_replaced_by_one_without(pg, mock, worker):
    """As behind a pooler that nobody could tell from a server."""
    url = pg.database()
    add_model(url, "m", mock().url)
    query(url, NOTE.format(lose="true"))
    process = worker(url)
    solve(url, 4)
    counts = prepared(url)
    assert counts[0] > 0 and counts[1:] == [0, 0, 0], counts
    assert process.stderr().count("prepared statements are used no more") == 1
    wait_for(lambda: query(url, "select count(*) from sluice.workers where alive") == [(1,)],
        what="the same worker")
