"""Attacks of one tenant on the others' jobs, with transactions of its own that stay open."""
import concurrent.futures

import psycopg2
import pytest
from conftest import query
from queue_tools import add_model

pytestmark = pytest.mark.plain_build_only

SESSIONS = 12
START = "select sluice.start_job('cancel', '{\"everything\": true}')"


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1", paused=True)
    return url


@pytest.fixture
def tenants(url):
    """A function that makes a login that is bound to a tenant of its name; the URL to connect."""
    made = []
    database = query(url, "select current_database()")[0][0]

    def make(name):
        login = f"{name}_{database}"
        query(url, f'create role "{login}_role"; create role "{login}" login in role '
            f'sluice_submitter, "{login}_role"')
        query(url, "insert into sluice.tenants (name, role) values (%s, %s)",
            [name, f"{login}_role"])
        made.extend([login, f"{login}_role"])
        return psycopg2.extensions.make_dsn(url, user=login)
    yield make
    query(url, "update sluice.tenants set role = null")
    for name in made:
        query(url, f'drop owned by "{name}"; drop role "{name}"')


def attempt(url, sql=START):
    """None, or the code and the message with which it was refused."""
    try:
        query(url, sql)
    except psycopg2.Error as error:
        return error.pgcode, error.diag.message_primary


def test_starts_at_the_same_moment_leave_no_more_than_two_open(url, tenants):
    a = tenants("a")
    with concurrent.futures.ThreadPoolExecutor(SESSIONS) as pool:
        refusals = list(pool.map(lambda _: attempt(a), range(SESSIONS)))
    opened = query(url, "select count(*) from sluice.job")[0][0]
    assert opened == refusals.count(None) and 1 <= opened <= 2
    assert {refusal[0] for refusal in refusals if refusal} == {"SL003"}


def test_a_start_that_is_not_committed_is_told_of_and_keeps_no_other_tenant_waiting(url, tenants):
    a, b = tenants("a"), tenants("b")
    with psycopg2.connect(a) as transaction:
        transaction.cursor().execute(START)
        assert attempt(a) == ("SL003",
            "another session is starting or undoing a job, and has not committed")
        assert attempt(b) is None
    transaction.close()
    assert attempt(a) is None


def test_tenants_without_a_role_keep_no_administrator_from_starting_jobs(url, tenants):
    database = query(url, "select current_database()")[0][0]
    query(url, f'create role "rest_{database}" login in role sluice_submitter')
    query(url, "update sluice.settings set default_role = %s", [f"rest_{database}"])
    try:
        rest = psycopg2.extensions.make_dsn(url, user=f"rest_{database}")
        with psycopg2.connect(rest) as transaction:
            transaction.cursor().execute(START)
            assert attempt(rest)[0] == "SL003"
            assert attempt(url) is None
        transaction.close()
        query(url, "update sluice.job set state = 'done', finished_at = now()")
        refusals = [attempt(rest) for _ in range(12)]
        assert [r and r[0] for r in refusals] == [None] * 10 + ["SL003"] * 2
        assert attempt(url) is None
    finally:
        query(url, "update sluice.settings set default_role = null")
        query(url, f'drop owned by "rest_{database}"; drop role "rest_{database}"')


def test_an_old_snapshot_opens_no_further_job(url, tenants):
    a = tenants("a")
    with psycopg2.connect(a) as transaction:
        transaction.set_session(isolation_level="REPEATABLE READ")
        cursor = transaction.cursor()
        cursor.execute("select 1")
        assert [attempt(a), attempt(a)] == [None, None]
        with pytest.raises(psycopg2.Error, match="read committed"):
            cursor.execute(START)
    transaction.close()


def test_a_tenant_that_locks_its_old_job_stops_nobodys(url, tenants):
    """Old jobs are deleted between steps; one that is locked is left out."""
    a, b = tenants("a"), tenants("b")
    query(url, "select sluice.submit('x', 'm', tenant => 'b')")
    assert attempt(a) is None
    old = query(url, "update sluice.job set state = 'cancelled', created_at = now() - '40 days'"
        "::interval, finished_at = now() - '31 days'::interval, done = 1 returning id")[0][0]
    with psycopg2.connect(a) as transaction:
        transaction.cursor().execute("select sluice.undo_job(%s)", [old])
        assert attempt(b) is None
        for _ in range(1000):
            query(url, "select setval('sluice.jobs_after', 0), sluice.advance_jobs()")
            if query(url, "select state, done from sluice.job where id <> %s", [old]) == [
                    ("done", 1)]:
                break
        else:
            pytest.fail("the other tenant's job did not end")
        assert query(url, "select count(*) from sluice.job where id = %s", [old]) == [(1,)]
        transaction.rollback()
    transaction.close()
    query(url, "select setval('sluice.jobs_after', 0), sluice.advance_jobs()")
    assert query(url, "select count(*) from sluice.job where id = %s", [old]) == [(0,)]
