"""What a tenant's login has done in a transaction that it leaves open costs others' claims next to
nothing."""
from contextlib import closing

import pytest
from conftest import connect, query
from queue_tools import add_model, as_user

pytestmark = pytest.mark.plain_build_only

ROWS = 200_000


def blocks_touched(cursor):
    cursor.execute("select pg_stat_force_next_flush()")
    cursor.execute("""
        select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::bigint
          from pg_statio_all_tables
        where schemaname = 'sluice' and relname ~ '^(queue|later)'""")
    return cursor.fetchone()[0]


@pytest.fixture
def url(pg):
    url = pg.database()
    for model in "poisoned", "other":
        add_model(url, model, "http://127.0.0.1:1")
    return url


@pytest.fixture
def tenants(url):
    """Sessions of two tenants' logins, the first without autocommit."""
    database = query(url, "select current_database()")[0][0]
    sessions = {}
    for tenant in "hostile", "honest":
        role = f"{tenant}_{database}"
        query(url, f'create role "{role}" login in role sluice_submitter')
        query(url, "insert into sluice.tenants (name, role) values (%s, %s)", [tenant, role])
        sessions[tenant] = connect(as_user(url, role))
    sessions["hostile"].autocommit = False
    yield sessions
    for tenant, session in sessions.items():
        session.close()
        query(url, f'drop owned by "{tenant}_{database}"; drop role "{tenant}_{database}"')


def submit_many(cursor, tenant, count, more="{}"):
    for _ in range(count // 10_000):
        cursor.execute("""
            select count(*) from sluice.submit_many((
              select jsonb_agg(jsonb_build_object('model', 'poisoned', 'prompt', 'x', 'tenant',
                %s) || %s::jsonb)
              from generate_series(1, 10000)))""", [tenant, more])


def submitted(cursor, session):
    submit_many(cursor, "hostile", ROWS)


def cancelled(cursor, session):
    submit_many(cursor, "hostile", ROWS)
    session.commit()
    cursor.execute("select sluice.cancel_all(model => 'poisoned')")
    assert cursor.fetchone() == (ROWS,)


def fallen_due(cursor, session):
    cursor.execute("select jsonb_build_object('run_at', clock_timestamp() + interval '1 second')")
    submit_many(cursor, "hostile", ROWS, str(cursor.fetchone()[0]).replace("'", '"'))
    cursor.execute("select pg_sleep_until(now() + interval '1 second')")


# Blocks that the claims of one task of each model touch, whatever ROWS is. 6,200, 400,000 and 5,800
# when each walked over all. Each walks over those submitted in the transaction's first 250 ms; of
# those locked over 1,000, four blocks each.
@pytest.mark.parametrize("leave_open, blocks_max",
    [(submitted, 3_000), (cancelled, 10_000), (fallen_due, 1_500)])
def test_an_open_transaction_of_a_tenant_slows_no_claims(url, tenants, leave_open, blocks_max):
    hostile, honest = tenants["hostile"].cursor(), tenants["honest"].cursor()
    leave_open(hostile, tenants["hostile"])
    with closing(connect(url)) as session, session.cursor() as worker:
        worker.execute("select sluice.register_worker('w', 100)")
        number = worker.fetchone()[0]

        def claimed():
            for model in "poisoned", "other":
                honest.execute("select sluice.submit('x', %s, tenant => 'honest')", [model])
            worker.execute("select sluice.wake()")
            worker.execute("select t.tenant from sluice.claim(%s, null, 100) c "
                "join sluice.task t on t.id = c.task_id", [number])
            return [row[0] for row in worker.fetchall()]
        assert len(claimed()) >= 1  # it walks over them once
        before = blocks_touched(worker)
        taken = sum((claimed() for _ in range(20)), [])
        blocks = (blocks_touched(worker) - before) / 20
        assert set(taken) == {"honest"} and len(taken) >= 38
        assert blocks < blocks_max, f"{blocks:.0f} blocks a claim"
        print(f"{leave_open.__name__}: {blocks:.0f} blocks a claim")
        # One by one, too: a lane of which nothing can be had has its turn, and the next one is the
        # other's.
        honest.execute("select sluice.submit('x', 'poisoned', tenant => 'honest')")
        for _ in range(10):
            worker.execute("select task_id from sluice.claim(%s, '{poisoned}', 1)", [number])
            if worker.fetchall():
                break
        else:
            raise AssertionError("the other tenant's task was not claimed")
        tenants["hostile"].commit()
        rest = query(url, "select sluice.wake()")  # what stood aside comes, a thousand at least
        assert leave_open is cancelled or rest[0][0] >= 1000 or query(url,
            "select sluice.sweep(), sluice.wake()")[0][1] >= 1000


def test_late_tasks_in_an_open_transaction_slow_no_expiry(url, tenants):
    hostile, honest = tenants["hostile"].cursor(), tenants["honest"].cursor()
    submit_many(hostile, "hostile", ROWS,
        '{"deadline": "' + str(query(url, "select now() + interval '1 minute'")[0][0]) + '"}')
    tenants["hostile"].commit()
    hostile.execute("select sluice.cancel_all(model => 'poisoned')")
    honest.execute("select sluice.submit('x', 'poisoned', tenant => 'honest', "
        "deadline => now() + interval '61 seconds')")
    task_id, = honest.fetchone()
    with closing(connect(url)) as session, session.cursor() as worker:
        before = blocks_touched(worker)
        worker.execute("select sluice.expire_due(now() + interval '2 minutes')")
        assert worker.fetchone() == (1,)
        blocks = blocks_touched(worker) - before
    assert query(url, "select status from sluice.tasks where id = %s", [task_id]) == [("expired",)]
    # Whatever ROWS is; 202,225 when it walked over all.
    assert blocks < 30_000, f"{blocks} blocks"
    print(f"{blocks} blocks")
