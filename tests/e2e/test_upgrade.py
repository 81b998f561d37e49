"""A database of schema 22 that is in use, brought up to date: everything in it goes on, and it is
what a new one would be."""
import hashlib

import pytest
from conftest import ROOT, connect, query, wait_for
from queue_tools import assert_each_ended_once, note_as_before_baseline

pytestmark = pytest.mark.plain_build_only

OLD_VERSION = 22
# The objects of schema 22 beside the baseline, as far as an upgrade cares: they go, or say how old
# the database is.
OLD_SCHEMA = """
    alter table sluice.models alter column max_queue set default 1000, alter column max_queue
      set not null;
    alter table sluice.queue alter column model set not null;
    alter table sluice.rung alter column model set not null;
    create index on sluice.rung (model);
    create index backlog_later on sluice.backlog (ready_at) where not due;
    create table sluice.lane (id int generated always as identity primary key, line text not null,
      rank smallint not null,
      tenant bigint not null default 0, unique (line, rank, tenant));
    create type sluice.lane_head as (line text, rank smallint, tenant bigint, ready_at timestamptz);
    create type sluice.waiting_task as (task_id bigint, line text, rank smallint);
    create type sluice.route_share as (route text, api text, ids int[]);
    create type sluice.queue_room as (model int, room int, limited boolean);
    create type sluice.arrival as (task_id bigint, ready_at timestamptz);
    create function sluice.explain_backlog(sluice.task, timestamptz) returns text language sql as $$
      select 'waits' $$;
"""
# The objects that its functions made beside a model's row, {0} being its id.
OLD_MODEL = """
    create table sluice.queue_{0} (primary key (task_id),
      constraint it_is_the_queue_of_model_{0} check (model = {0}))
      inherits (sluice.queue);
    create index on sluice.queue_{0} (rank, ready_at, task_id);
    create index on sluice.queue_{0} (deadline) where deadline is not null;
    create unlogged sequence sluice.room_{0} minvalue 0 start 1000000000;
    create unlogged sequence sluice.load_{0} minvalue 0 start 1000000000000000;
    do $$ declare v_kind text; begin
      foreach v_kind in array array['bucket', 'tokens', 'learned', 'failures', 'claimed', 'ended',
        'paced', 'paced_at', 'tended'] loop
        execute format('create unlogged sequence sluice.%I minvalue 0', v_kind || '_{0}');
      end loop;
    end $$;
    select setval('sluice.bucket_{0}', 0), setval('sluice.tokens_{0}', 0),
      setval('sluice.failures_{0}', 0), setval('sluice.room_{0}', 20),
      setval('sluice.claimed_{0}', 5), setval('sluice.ended_{0}', 0), setval('sluice.load_{0}', 40);
    insert into sluice.lane (line, rank) values ('queue_{0}', 0), ('backlog_{0}', 0);
    insert into sluice.rung (model, rung_at) values ({0}, clock_timestamp());
"""
# Three models: 1 without limits, 2 with a quota, 3 that has never been used. Twenty tasks of each
# in the queue, five with a worker, the others in queues: some for the route, some for a tenant with
# a quota, one failed once before.
OLD_ROWS = """
    insert into sluice.models (name, url, rpm, hedge_after) values
      ('one', 'http://127.0.0.1:1', null, '1 minute'), ('two', 'http://127.0.0.1:1', 6000,
        '300 years'),
      ('three', 'http://127.0.0.1:1', null, null);
    insert into sluice.routes (route, model, weight) values ('any', 'one', 3), ('any', 'two', 7);
    insert into sluice.tenants (name, weight, rpm, max_unfinished) values ('bound', 2, 6000, 1000);
    create unlogged sequence sluice.tenant_bucket_1 minvalue 0;
    create unlogged sequence sluice.tenant_tokens_1 minvalue 0;
    do $$ begin
      execute format('create unlogged sequence sluice.%I minvalue 0 start 1000000000000000',
        'load_tenant_' || md5('bound'));
    end $$;
    insert into sluice.worker (id, name, slots, registered_at, seen, beating_since)
    values (7, 'old', 50, clock_timestamp(), clock_timestamp(), clock_timestamp());
    insert into sluice.task (id, created_at, model, priority, route, tenant, prompt)
    select n, clock_timestamp() - interval '1 hour', case when n <= 80 then 1 + n % 2 end, n % 3,
      case when n > 80 then 'any' end,
      case when n % 5 = 0 then 'bound' else 'default' end, 'prompt ' || n
    from generate_series(1, 100) n;
    update sluice.task set metadata = concat('{"a": [', repeat('1e131071,', 1999), '0]}')::jsonb
      where id = 51;  -- 262 MB as text
    select setval('sluice.task_id', 100);
    insert into sluice.lease (task_id, worker, ready_at, started_at, model, request_bytes, fence,
      rank, attempts, tenant)
    select id, 7, created_at, clock_timestamp(), model, 10, 1, -priority, 0, tenant from sluice.task
      where id <= 10;
    insert into sluice.queue_1 (task_id, ready_at, model, request_bytes, fence, rank, attempts,
      tenant)
    select id, created_at, 1, 10, 0, -priority, 0, tenant from sluice.task where (model = 1
      or route = 'any') and id between 11 and 98;
    insert into sluice.queue_2 (task_id, ready_at, model, request_bytes, fence, rank, attempts,
      tenant)
    select id, created_at, model, 10, 0, -priority, 0, tenant from sluice.task where model = 2
      and id between 11 and 98;
    insert into sluice.attempt (task_id, worker, ended_at, fence, kind) values (99, 7,
      clock_timestamp(), 1, 'failed');
    insert into sluice.result (task_id, worker, created_at, finished_at, fence, attempts, status,
      model, answer, error) values
      (99, 7, clock_timestamp(), clock_timestamp(), 1, 1, 'failed', 'one', null, 'an old error'),
      (100, 7, clock_timestamp(), clock_timestamp(), 1, 1, 'solved', 'two', 'an old answer', null);
"""
# The objects of the schema itself, whatever its content: not the sequences and partitions that are
# named with numbers or hashes.
SCHEMA = """
    select 'function ' || oid::regprocedure || ' ' || prorettype::regtype from pg_proc
      where pronamespace = 'sluice'::regnamespace
      and proname !~ '_[0-9]+$'
    union all
    select format('column %s.%s %s %s %s', attrelid::regclass, attname, atttypid::regtype,
      attnotnull,
                  pg_get_expr(adbin, adrelid))
    from pg_attribute join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid
      and adnum = attnum
    where relnamespace = 'sluice'::regnamespace and relkind in ('r', 'p', 'v', 'c') and attnum > 0
      and not attisdropped
      and relname !~ '_[0-9]+$'
    union all
    select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint
    where connamespace = 'sluice'::regnamespace and conrelid::regclass::text !~ '_[0-9]+$'
    union all
    select 'index ' || indexdef from pg_indexes where schemaname = 'sluice'
      and tablename !~ '_[0-9]+$'
    union all
    select format('trigger %s %s', tgrelid::regclass, tgname) from pg_trigger where not tgisinternal
    union all
    select format('grant %s %s', oid::regclass, relacl) from pg_class
      where relnamespace = 'sluice'::regnamespace
      and relacl is not null and relname !~ '_[0-9a-f]+$'"""
# The objects of each model.
MODELS = """
    select m.name, regexp_replace(c.relname, '(^|_)' || m.id || '($|_)', '_n_') from sluice.models m
    join pg_class c on relnamespace = 'sluice'::regnamespace and relkind in ('r', 'S', 'i')
      and c.relname ~ ('_' || m.id || '($|_)') and c.relname !~ '^(mark|task|result|tenant)_'"""


def apply(cursor, first, last):
    """Runs the migrations of the versions first to last, as `sluice migrate` does."""
    for path in sorted((ROOT / "sql" / "migrations").glob("*.sql")):
        version = int(path.name[:4])
        if first <= version <= last:
            text = path.read_text(encoding="utf-8")
            become_owner = "" if version == 1 else "set local role sluice_owner;"
            cursor.execute(f"begin; {become_owner} {text}; reset role; "
                "set local role sluice_owner; insert into sluice.migration (version, "
                f"name, sha256) values ({version}, '{path.name}', "
                f"'{hashlib.sha256(text.encode()).hexdigest()}'); commit")


def old_database(pg):
    url = pg.empty_database()
    connection = connect(url)
    with connection.cursor() as cursor:
        apply(cursor, 1, OLD_VERSION)
        cursor.execute("begin; set local role sluice_owner;" + note_as_before_baseline(OLD_VERSION)
            + OLD_SCHEMA + "".join(OLD_MODEL.format(n) for n in (1, 2, 3)) + OLD_ROWS + "commit")
    connection.close()
    return url


def work(connection, worker):
    """One round of all that a worker does; how many tasks it had.

    On a connection of its own, as workers have one: a new one reads and plans all functions anew,
    which leaves a claim of 20 ms little time for tasks.
    """
    with connection.cursor() as cursor:
        cursor.execute("select sluice.tick()")
        cursor.execute("select sluice.heartbeat(%s)", [worker])
        cursor.execute("select task_id, fence from sluice.claim(%s, null, 1000)", [worker])
        claimed = cursor.rowcount
        cursor.execute(
            "select applied from sluice.complete(%s, array(select row(task_id, fence, 'solved', "
            "'answer', null, null, null, 200, null, 3, 4, null)::sluice.outcome from sluice.lease "
            "where worker = %s))", [worker, worker])
        assert all(row[0] for row in cursor.fetchall())
    return claimed


def test_a_database_of_schema_22_in_use_goes_on_after_an_upgrade(sluice, pg):
    url = old_database(pg)
    run = sluice("migrate", "--database-url", url)
    assert run.returncode == 0, run.stderr
    assert query(url, "select count(*) from sluice.tasks")[0][0] == 100
    assert query(url, "select octet_length(metadata::text) < 200 from sluice.task "
        "where metadata is not null") == [(True,)]
    assert query(url, "select num_nonnulls(max_tenants, tenant_max_unfinished, "
        "tenant_max_batches, tenant_max_files, tenant_files_bytes_max) "
        "from sluice.settings") == [(0,)], "nobody is refused what he was granted before"
    assert query(url, "select name, hedge_after::text from sluice.models order by id") == [
        ("one", "00:01:00"), ("two", "1 day"), ("three", None)]
    assert query(url, "select count(*) from sluice.models "
        "where max_queue is not null") == [(0,)], "it is no bound that anybody chose"

    # Its calls under way are completed by the worker that had them, and the rest goes its way.
    assert query(url, "select count(*) from sluice.lease")[0][0] == 10
    query(url, "select sluice.redrive(99)")
    new = query(url, "select sluice.submit('new', 'any', tenant => 'bound')")[0][0]
    worker = connect(url)
    for _ in range(200):
        work(worker, 7)
        if query(url, "select count(*) from sluice.result")[0][0] == 101:
            break
    assert_each_ended_once(url, [*range(1, 101), new])
    assert query(url, "select distinct status from sluice.result") == [("solved",)]
    assert query(url, "select sum(depth + in_flight + unfinished) from sluice.queues")[0][0] == 0


def many_models(url, models, tasks):
    """Models like those of OLD_ROWS beside them, and tasks in their queues, of schema 45; the ids
    of all tasks."""
    connection = connect(url)
    with connection.cursor() as cursor:
        cursor.execute("begin; set local role sluice_owner")
        cursor.execute("insert into sluice.models (name, url) select 'm' || n, "
                       "'http://127.0.0.1:1' from generate_series(4, %s) n", [models])
        for n in range(4, models + 1):
            cursor.execute(OLD_MODEL.format(n))
        cursor.execute("""
            insert into sluice.task (id, created_at, model, priority, tenant, prompt)
            select 100 + n, clock_timestamp(), 4 + n %% (%s - 3), 0, 'default', 'x'
              from generate_series(1, %s) n""", [models, tasks])
        cursor.execute("select setval('sluice.task_id', %s)", [100 + tasks])
        cursor.execute("""
            do $$ begin
              for v_model in 4 .. (select max(id) from sluice.models) loop
                execute format(
                  'insert into sluice.queue_%s (task_id, ready_at, model, request_bytes, fence,
                  rank, attempts, tenant)
                  select id, created_at, model, 10, 0, 0, 0, tenant from sluice.task
                    where model = %s', v_model, v_model);
              end loop;
            end $$; commit""")
        apply(cursor, OLD_VERSION + 1, 45)
    connection.close()
    return [*range(101, 101 + tasks)]


def test_an_upgrade_of_many_models_goes_in_steps_and_goes_on_after_a_kill(sluice, pg, started):
    url = old_database(pg)
    ids = many_models(url, 150, 3000)
    user = connect(url)
    with user.cursor() as cursor:
        cursor.execute("begin; lock table sluice.queue_77 in row exclusive mode")  # an open submit
    first = started("migrate", "--database-url", url)
    wait_for(lambda: query(url,
        "select count(*) from pg_class where relname ~ '^waits_[0-9]+$'") == [(149,)],
        60, "all lines but one")
    first.kill()
    first.wait()
    assert query(url, "select 47 = any (array_agg(version)), 50 = any (array_agg(version)) "
        "from sluice.migration") == [(False, False)]
    user.close()
    run = sluice("migrate", "--database-url", url)
    assert run.returncode == 0, run.stderr
    assert query(url, "select count(*) from sluice.models m where to_regproc('sluice.add_' || "
        "id) is null or to_regclass('sluice.waits_' || id) is null") == [(0,)]

    # Nothing is lost or done twice.
    worker = connect(url)
    for _ in range(2000):  # a claim ends after 20 ms, whatever more there is
        work(worker, 7)
        if query(url, "select count(*) from sluice.result")[0][0] == 3100:
            break
    assert_each_ended_once(url, [*range(1, 101), *ids])


def test_an_upgraded_database_is_what_a_new_one_would_be(sluice, pg):
    url, fresh = old_database(pg), pg.database()
    query(url, """set role sluice_owner; create function sluice.of_before(n int) returns int
        language sql as 'select n';
                  create function sluice.trigger_of_before() returns trigger
                    language plpgsql as 'begin return null; end';
                  create trigger of_before after update
                    on sluice.settings execute function sluice.trigger_of_before(); reset role;
                  create function sluice.somebody_elses() returns int language sql as 'select 1';
                    select""")
    assert sluice("migrate", "--database-url", url).returncode == 0
    assert query(url, "select sluice.tick(), "
        "to_regproc('sluice.of_before') is null")[0][1] is False, "a call may be under way"
    query(url, "update sluice.function_set set applied_at = applied_at - interval '1 hour'")
    wait_for(
        lambda: query(url, "select sluice.tick(), to_regclass('sluice.remains')")[0][1] is None,
        what="the last of what is left")
    query(url, "drop function sluice.somebody_elses(); select")  # it is still there
    assert set(query(url, SCHEMA)) == set(query(fresh, SCHEMA))
    for name in ("one", "two", "three"):
        query(fresh, "insert into sluice.models (name, url) values (%s, 'http://127.0.0.1:1')",
            [name])
    assert set(query(url, MODELS)) == set(query(fresh, MODELS))


def test_a_database_of_before_with_tasks_in_its_backlog_is_refused(sluice, pg):
    url = old_database(pg)
    query(url, """insert into sluice.backlog (task_id, ready_at, model, request_bytes, fence, rank,
        attempts, due, tenant)
                  values (101, now(), 1, 10, 0, 0, 0, true, 'default'); select""")
    run = sluice("migrate", "--database-url", url)
    assert run.returncode == 1 and "tasks wait in sluice.backlog" in run.stderr, run.stderr
    assert query(url, "select count(*) from sluice.backlog") == [(1,)]


def test_reasons_of_before_an_upgrade_are_for_administrators(sluice, pg):
    """Nothing tells which were a backend's words."""
    url = old_database(pg)
    query(url, "update sluice.models set closed_until = 'infinity', "
        "closed_reason = 'credential: HTTP 401, SECRET' where name = 'one'")
    query(url, "update sluice.models set closed_until = now() + interval '1 hour', "
        "closed_reason = 'HTTP 429, SECRET' where name = 'two'")
    assert sluice("migrate", "--database-url", url).returncode == 0
    assert query(url, "select closed_reason, closed_detail from sluice.models "
        "where closed_until is not null order by name") == [
            ("credential: told to administrators", "credential: HTTP 401, SECRET"),
            (None, "HTTP 429, SECRET")]
    assert query(url, "set role sluice_reader; "
        "select model, closed_reason, state_reason from sluice.queues order by model") == [
            ("one", *["credential: told to administrators"] * 2), ("three", None, None),
            ("two", None, None)]
