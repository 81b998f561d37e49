"""What the logins of tenants, readers and strangers try in SQL, and what reaches them and the audit
over HTTP."""
import contextlib

import psycopg2
import pytest
from conftest import connect, http, query, wait_for
from queue_tools import add_model, as_user, submit, wait_ended
from psycopg2.extensions import TRANSACTION_STATUS_INTRANS
from scripted_backend import ScriptedBackend
from test_backends import error, says

pytestmark = pytest.mark.plain_build_only

BOMB = '{"a": [' + "1e131071," * 1999 + "0]}"  # 18 kB as it is sent, 262 MB as PostgreSQL writes it


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    return url


@pytest.fixture
def login(url):
    """A function that makes a login of this database's own, a member of some roles; the URL to
    connect as it."""
    made = []
    database = query(url, "select current_database()")[0][0]

    def make(name, *groups):
        name = f"{name}_{database}"
        query(url, f'create role "{name}" login'
            + (f" in role {', '.join(groups)}" if groups else ""))
        made.append(name)
        return as_user(url, name)
    yield make
    for name in reversed(made):
        query(url, f'drop owned by "{name}"; drop role "{name}"')


def role_of(url):
    return query(url, "select session_user")[0][0]


def prompts_seen(url):
    return [row[0] for row in query(url, "select prompt from sluice.tasks order by id")]


def refusal(url, sql):
    with pytest.raises(psycopg2.Error) as caught:
        query(url, sql)
    return caught.value.pgcode


@pytest.mark.parametrize("loses", [
    "update sluice.tenants set role = null", 'alter role "ROLE" rename to "ROLE_away"',
    "delete from sluice.tenants"])
def test_a_tenants_login_that_lost_its_binding_sees_nothing(url, login, loses):
    role = role_of(login("acme_role"))
    query(url, "insert into sluice.tenants (name, role) values ('acme', %s)", [role])
    tenant = login("ta", "sluice_submitter", f'"{role}"')
    submit(url, "of acme", tenant="acme")
    submit(url, "of nobody")
    assert prompts_seen(tenant) == ["of acme"]
    query(url, "select sluice.configure('tenants', 'acme', '{\"weight\": 2}', true)")
    assert prompts_seen(tenant) == ["of acme"]

    query(url, loses.replace("ROLE", role))
    try:
        assert prompts_seen(tenant) == []
        assert query(tenant, "select count(*) from sluice.task(1)")[0][0] == 0
        assert refusal(tenant, "select sluice.submit('x', 'm')") == "SL009"
        assert refusal(tenant, "select sluice.cancel(2)") == "SL006"
        assert refusal(tenant, "select sluice.explain(2)") == "SL006"
    finally:
        if "rename" in loses:
            query(url, f'alter role "{role}_away" rename to "{role}"')


def test_another_installation_of_the_cluster_can_be_closed_from_the_start(url, login):
    tenant = login("ta", "sluice_submitter")
    query(url, "update sluice.settings set default_role = null")
    submit(url, "of nobody")
    assert prompts_seen(tenant) == []
    assert refusal(tenant, "select sluice.submit('x', 'm')") == "SL009"


def test_no_filter_tells_a_tenant_of_anothers_prompt(url, login):
    """texteq and text_ge are leakproof: below the views' barrier EXPLAIN ANALYZE counted the rows
    that they passed."""
    tenant = login("ta", "sluice_submitter")
    query(url, "insert into sluice.tenants (name, role) values ('acme', %s)", [role_of(tenant)])
    submit(url, "SECRETPROMPT-b", tenant="beta")

    def plan(least):
        rows = query(tenant, "explain (analyze, timing off, summary off, costs off, "
            "buffers off) select 1 from sluice.tasks where tenant = 'beta' and prompt >= "
            f"'{least}' and prompt < 'SECRETPROMPT-z'")
        return [row[0] for row in rows]
    below, above = plan("SECRETPROMPT-a"), plan("SECRETPROMPT-c")
    assert [line.replace("-a'", "-c'") for line in below] == above


def test_an_open_redrive_makes_no_line_for_which_others_wait(url, login):
    add_model(url, "n", "http://127.0.0.1:1")
    query(url, "insert into sluice.routes (route, model) values ('r', 'm'), ('r', 'n')")
    client = login("s", "sluice_submitter")
    ended = submit(client, "x", "r", affinity_key="k")
    query(client, "select sluice.cancel(%s)", [ended])
    with contextlib.closing(connect(client)) as open_one:
        open_one.autocommit = False
        open_one.cursor().execute("select sluice.redrive(%s)", [ended])
        for key in range(10):
            submit(client, "x", "r", affinity_key=str(key))
        submit(url, "of another")
        assert woken(url) == 10
        assert query(url, "select count(*) from sluice.queue")[0][0] == 11
        open_one.commit()
    query(url, "select sluice.sweep()")  # finds what was committed late
    assert woken(url) == 1


def test_an_administrators_open_model_holds_up_no_wake(url):
    add_model(url, "n", "http://127.0.0.1:1")
    query(url, "insert into sluice.routes (route, model) values ('r', 'm'), ('r', 'n')")
    for key in range(10):
        submit(url, "x", "r", affinity_key=str(key))
    with contextlib.closing(connect(url)) as open_one:
        open_one.autocommit = False
        open_one.cursor().execute("insert into sluice.models (name, url) values ('o', 'http://h')")
        assert woken(url) == 10
    placed = query(url, "select q.model, count(*) from sluice.queue q group by 1")
    assert placed == [(None, 10)]


def woken(url):
    """How many tasks sluice.wake() moves; it waits for nobody."""
    return query(url, "set statement_timeout = '5s'; select sluice.wake()")[0][0]


NUMBERS = ["smallint", "integer", "bigint", "numeric", "real", "double precision", "interval"]
TRAPS = f"""
    create table public.caught (what text, who text);
    grant insert on public.caught to public;
    create function public.trap(what text) returns int language plpgsql
      as $$ begin insert into public.caught values (what, current_user); return 1; end $$;
    create function public.format(text, text) returns text language plpgsql
      as $$ begin return public.trap('format') || pg_catalog.format($1, variadic array[$2]); end $$;
    do $$
    declare
      v record;
    begin
      for v in select row_number() over () as n, a, b, op from unnest(array{NUMBERS}::regtype[]) a,
          unnest(array{NUMBERS}::regtype[]) b, unnest(array['+', '-', '*', '/', '<', '=', '>=']) op
        where not exists (select from pg_operator o where o.oprname = op and o.oprleft = a
          and o.oprright = b)
      loop
        execute format('create function public.trap_%s(a %s, b %s) returns %s language plpgsql
          as $f$ begin perform public.trap(%L); return %s; end $f$', v.n, v.a, v.b,
          case when v.op in ('<', '=', '>=') then 'boolean' else 'numeric' end,
          format('%s %s %s', v.a, v.op, v.b),
          case when v.op in ('<', '=', '>=') then 'true' else '1' end);
        execute format('create operator public.%s (leftarg = %s, rightarg = %s,
          procedure = public.trap_%s)', v.op, v.a, v.b, v.n);
      end loop;
    end $$;"""


def test_programs_and_readers_call_no_operators_of_another(pg, sluice, server, worker, mock):
    """Who may create in public defined `numeric * integer`, and the programs ran it as whoever they
    were."""
    url = pg.empty_database()
    query(url, "grant create on schema public to public")
    query(url, TRAPS)
    assert sluice("migrate", "--database-url", url).returncode == 0
    add_model(url, "m", mock("--latency", "100%:0ms").url, rpm=6000, max_unfinished=1000)
    port = server(url).port
    worker(url)
    task = http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"}).json["id"]
    wait_ended(url, 1)
    assert http(port, "GET", f"/v1/tasks/{task}").json["status"] == "solved"
    for command in (["status"], ["doctor"], ["tasks"], ["explain", task], ["top", "--once"]):
        sluice(*command, "--database-url", url)
    for view in ("queues", "history", "tasks", "jobs", "workers", "attempts"):
        query(url, f"select * from sluice.{view}")
    assert query(url, "select distinct what, who from public.caught") == []


def test_no_plan_of_a_function_is_printed(url, login):
    """Its estimates came from all tenants' rows: a right guess of another's metadata had others."""
    tenant = login("ta", "sluice_submitter")
    with contextlib.closing(connect(tenant)) as session:
        cursor = session.cursor()
        cursor.execute("set client_min_messages = log; set debug_print_plan = on")
        cursor.execute("select 1")
        assert sum("plan:" in notice for notice in session.notices) == 1, session.notices
        del session.notices[:]
        cursor.execute("""select sluice.start_job('cancel', '{"metadata": {"a": "b"}}', true)""")
        assert sum("plan:" in notice for notice in session.notices) == 1, session.notices


def test_18_kB_of_metadata_are_refused(url, server):
    port = server(url).port
    one = '{"prompt": "x", "model": "m", "metadata": ' + BOMB + "}"
    for body in (one, f"[{one}]"):
        reply = http(port, "POST", "/v1/tasks", body)
        assert reply.status == 400 and "exponent" in reply.json["error"]["message"], reply.body
    with pytest.raises(psycopg2.Error) as refusal:
        query(url, "select sluice.submit('x', 'm', metadata => %s)", [BOMB])
    assert refusal.value.pgcode == "SL004"
    listing = http(port, "GET", "/v1/tasks")
    assert listing.status == 200 and len(listing.body) < 1000


def test_a_client_cannot_set_the_time(url, login):
    client = login("s", "sluice_submitter")
    task = query(client, "select sluice.submit('x', 'm')")[0][0]
    query(client, "select sluice.cancel(%s, 'infinity')", [task])
    assert query(url, "select isfinite(finished_at) from sluice.result")[0][0]
    query(client, "select sluice.redrive(%s, '2001-01-01')", [task])
    assert query(url, "select min(ready_at) > now() - interval '1 hour' from sluice.queue")[0][0]


def test_the_audit_names_the_key_and_no_client_can_fill_it(url, server, sluice):
    port = server(url, keys=True).port

    def key(*flags):
        return sluice("key", "create", "k", *flags, "--database-url", url).stdout.strip()
    admin, client = key("--scope", "admin"), key("--scope", "submit", "--scope",
        "read", "--tenant", "acme")
    admin_id = query(url, "select id from sluice.api_key where scopes = '{admin}'")[0][0]
    task = http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"}, key=client).json["id"]
    noted = query(url, "select count(*) from sluice.audit")[0][0]
    assert http(port, "DELETE", f"/v1/tasks/{task}", key=client).status == 200
    for _ in range(3):
        assert http(port, "POST", f"/v1/tasks/{task}/forget", key=client).status == 200
    assert http(port, "POST", "/v1/tasks/forget", {"everything": True}, key=client).status == 200
    assert http(port, "POST", "/v1/tasks/cancel", {"everything": True}, key=client).status == 200
    assert query(url, "select count(*) from sluice.audit")[0][0] == noted

    for method, path, body in [
            ("PATCH", "/v1/models/m", {"rpm": 60}), ("POST", "/v1/models/m/pause", None),
            ("POST", "/v1/models/m/resume", None),
            ("POST", "/v1/models/m/close", {"until": "2030-01-01"}),
            ("PUT", "/v1/routes/r", {"m": 1}), ("DELETE", "/v1/routes/r", None),
            ("PUT", "/v1/tenants/t", {"weight": 2}), ("DELETE", "/v1/tenants/t", None),
            ("PATCH", "/v1/settings", {"events": True}),
            ("POST", "/v1/tasks/cancel", {"everything": True}),
            ("POST", "/v1/tasks/forget", {"everything": True}),
            ("POST", f"/v1/tasks/{task}/forget", None), ("DELETE", f"/v1/keys/{admin_id}", None)]:
        reply = http(port, method, path, body, key=admin)
        assert reply.status in (200, 201), (path, reply.body)
    rows = query(url, "select action, who from sluice.audit_log order by id offset %s", [noted])
    user = role_of(url)
    assert [row[0] for row in rows] == [
        "change models", "pause", "resume", "close_model", "configure_route", "delete routes",
        "replace tenants", "delete tenants",
        "change settings", "cancel_all", "forget", "revoke_key"]
    assert {row[1] for row in rows} == {f"key {admin_id} via {user}"}


def test_readers_and_tenants_hear_of_no_secret(url, worker, server, sluice, login):
    """A quote in its name had cut the name short that was looked for."""
    reader, tenant = login("r", "sluice_reader"), login("ta", "sluice_submitter")
    query(url, "update sluice.models "
        "set secret = 'file:/run/no\"pe/secret/of/m', url = 'http://user:hidden@127.0.0.1:1'")
    worker(url)
    task = submit(url, "x", model="m")
    wait_for(lambda: query(url, "select 1 from sluice.models where closed_until = 'infinity'"),
        what="parking")
    seen = [query(reader, "select string_agg(t::text, ' ') from sluice.audit_log t")[0][0],
            query(reader, "select string_agg(t::text, ' ') from sluice.queues t")[0][0],
            query(tenant, "select sluice.explain(%s)", [task])[0][0]]
    port = server(url, keys=True).port
    key = sluice("key", "create", "k", "--scope", "read", "--database-url", url).stdout.strip()
    for path in ("/v1/queues", "/v1/queues/m", f"/v1/tasks/{task}/explain"):
        reply = http(port, "GET", path, key=key)
        assert reply.status == 200
        seen.append(reply.body)
    for text in seen:
        assert "/run" not in text and "pe/secret" not in text and "hidden" not in text
    assert sum("its secret cannot be read" in text for text in seen) == 5
    assert '/run/no"pe/secret/of/m' in query(url, "select state_reason from sluice.queues")[0][0]


@pytest.mark.parametrize("status, code, shown", [
    (401, "LEAK_code", "credential: HTTP 401"), (402, "LEAK_code", "billing: HTTP 402"),
    (403, "LEAK_code", "refused: HTTP 403"),
    (429, "LEAK_code", "throttled: HTTP 429"), (429, "insufficient_quota", "billing: HTTP 429")])
def test_what_a_backend_says_of_one_prompt_reaches_no_other_tenant(url, worker, server, sluice,
        login, status, code, shown):
    """A backend that repeats the input closed the model, and everybody who waited for it read
    why."""
    victim, role, reader = "LEAK_prompt of a victim", role_of(login("other_role")), login("r",
        "sluice_reader")
    tenant = login("other", "sluice_submitter", f'"{role}"')
    query(url, "insert into sluice.tenants (name, role) values ('other', %s)", [role])
    query(url, "update sluice.settings set default_role = 'sluice_reader'")
    refuse = says(status, error(f"rejected prompt <{victim}>", code=code),
        headers=["Retry-After: 600"])
    with ScriptedBackend({"LEAK_prompt": refuse}) as backend:
        query(url, "update sluice.models set api = 'openai-chat', url = %s", [backend.url])
        for _ in range(2):
            submit(url, victim, tenant="victim")
        process = worker(url)
        wait_for(lambda: query(url, "select 1 from sluice.models where closed_until is not null"),
            20, "closing")
        seen = [query(reader, f"select coalesce(string_agg(t::text, ' '), '') from sluice.{view} t"
            )[0][0] for view in ("queues", "breaker_events", "audit_log", "workers",
                "recent_failures()")]
        process.stop()  # it would open what was refused for another tenant's task
        task = submit(url, "mine", tenant="other")
        said = lambda: query(tenant, "select sluice.explain(%s)", [task])[0][0]
        wait_for(lambda: "the model is" in said(), what="the waiting tenant's reason")
        port = server(url, keys=True).port
        key = sluice("key", "create", "k", "--scope", "read", "--scope", "submit", "--tenant",
            "other", "--database-url", url).stdout.strip()
        seen += [said(), *(http(port, "GET", path, key=key).body for path in (
            "/v1/queues", "/v1/queues/m", f"/v1/tasks/{task}/explain", f"/v1/tasks/{task}",
            "/v1/models", "/v1/models/m", "/metrics"))]
        for text in seen:
            assert "LEAK" not in str(text), text
        assert sum(shown in str(text) for text in seen) >= 3
        assert "LEAK_prompt" in query(url, "select state_reason "
            "from sluice.queues where model = 'm'")[0][0], "administrators hear it"


def test_strangers_are_found_and_kept_out(pg, sluice, login):
    url = pg.empty_database()
    printed = sluice("migrate", "--database-url", url).stdout
    database = query(url, "select quote_ident(current_database())")[0][0]
    assert "\nwarning: everybody may connect to this database" in printed
    statements = printed[printed.index("revoke connect on"):].strip()
    assert statements.startswith(f"revoke connect on database {database} from public;\n"
        f"  grant connect on database {database} to sluice_owner")

    stranger, client = login("stranger"), login("client", "sluice_submitter")
    stranger_url, client_url = (as_user(url, role_of(user)) for user in (stranger, client))
    blocker = connect(stranger_url)  # the attack: nothing but CONNECT stops all submits
    blocker.cursor().execute("select pg_advisory_lock(731013, n) from generate_series(0, 63) n")
    blocker.close()
    found = sluice("doctor", "--database-url", url)
    assert found.returncode == 1 and role_of(stranger) in found.stdout and role_of(
        client) not in found.stdout
    assert statements.replace("\n ", "") in found.stdout
    query(url, statements)
    with pytest.raises(psycopg2.OperationalError, match="permission denied for database"):
        connect(stranger_url)
    assert query(client_url, "select 1") == [(1,)]
    assert sluice("doctor", "--database-url", url).stdout == "no findings\n"


def test_an_open_redrive_holds_up_no_retention(url, login):
    """It had a lock for as long as its transaction was open, without which no round of retention
    did anything."""
    client = login("s", "sluice_submitter")
    own, other = submit(url, "own"), submit(url, "other")
    query(url, "select sluice.cancel(id) from sluice.task")
    with psycopg2.connect(client) as transaction:
        transaction.cursor().execute("select sluice.redrive(%s)", [own])
        assert query(url, "select * from sluice.retain(now() + interval '1 year')") == [(0, 1)]
        assert query(url, "select id from sluice.tasks") == [(own,)]
    transaction.close()
    assert query(url, "select id, status from sluice.tasks") == [(own, "queued")]
    assert query(url, "select count(*) from sluice.task where id = %s", [other]) == [(0,)]


def test_a_range_that_is_dropped_takes_no_redrive(url):
    task = submit(url, "x")
    query(url, "select sluice.cancel(%s)", [task])
    query(url, "select setval('sluice.task_id', end_id) from sluice.id_range order by n limit 1")
    with psycopg2.connect(url) as round_of_retention:
        cursor = round_of_retention.cursor()
        cursor.execute("""
            create temp table round as select b as found
            from sluice.begin_retention(now() + (select retention + interval '1 hour'
            from sluice.settings)) b""")
        with pytest.raises(psycopg2.errors.LockNotAvailable):
            query(url, f"set lock_timeout = '200ms'; select sluice.redrive({task})")
        cursor.execute("select sluice.end_retention(found) from round")
        assert cursor.fetchone() == (1,)
    round_of_retention.close()
    assert refusal(url, f"select sluice.redrive({task})") == "SL006"


def test_ids_burnt_in_an_open_transaction_stop_nobody(url, login, worker):
    """A repeat of a bulk submit takes ids and leaves no row: three million in a minute, and no
    limit is touched."""
    role = role_of(login("acme_role"))
    query(url, "insert into sluice.tenants (name, role) values ('acme', %s)", [role])
    tenant = login("ta", "sluice_submitter", f'"{role}"')
    worker(url)
    wait_for(lambda: query(url, "select max(end_id) > 3e7 from sluice.id_range")[0][0],
        what="ranges far ahead")
    burnt = query(url, "select max(first_id) - 5 from sluice.id_range "
        "where end_id <= 3000000")[0][0]
    with psycopg2.connect(tenant) as transaction:
        cursor = transaction.cursor()
        query(url, "select setval('sluice.task_id', %s)", [burnt])
        cursor.execute("""
            select count(*)
            from sluice.submit_many((select jsonb_agg(jsonb_build_object('model', 'm',
            'tenant', 'acme', 'prompt', 'x', 'idempotency_key', 'k' || n))
            from generate_series(1, 100) n))""")
        query(url, "select setval('sluice.task_id', 3000000)")
        for n in range(3):
            cursor.execute("select sluice.submit('x', 'm', tenant => 'acme', "
                f"idempotency_key => 'one{n}')")
        assert submit(url, "of another") > 3_000_000
    transaction.close()


# Each names an object of Sluice in one of its own, with no right but USAGE of the schema.
HANGERS = [
    "create temp view v_{0} as select 1 as x from sluice.{0}",
    "create temp view w_{0} as select 1 as x from v_{0}",
    "create function pg_temp.f_{0}(sluice.{0}) returns int language sql as 'select 1'",
    "create temp table t_{0} (x sluice.{0}, n int)",
    "create rule r_{0} as on insert to t_{0} do also select 1 from sluice.{0}"]


def hang_on(session, names):
    with session.cursor() as cursor:
        for name in names:
            for hanger in HANGERS:
                cursor.execute(hanger.format(name))


def ranges(url):
    return [row[0] for row in query(url, "select relname from pg_class where relkind = 'r' and "
        "relnamespace = 'sluice'::regnamespace and relname ~ '^(task|result)_[0-9]+$'")]


def make_overdue(url):
    """A finished task of a range that retention is to drop."""
    query(url, "update sluice.settings set retention = '1 hour'")
    submit(url, "secret", tenant="beta")
    query(url, "select sluice.cancel_all(tenant => 'beta')")
    query(url, "select setval('sluice.task_id', 1000000)")
    submit(url, "later", tenant="beta")


def retain(url, hours):
    """What a round of retention does so many hours from now."""
    query(url, "select setval('sluice.retain_after', 0, false)")
    return query(url, f"select dropped, erased from sluice.retain(now() + interval '{hours} h')")[0]


@pytest.mark.parametrize("role", ["sluice_submitter", "sluice_reader"])
def test_what_a_login_hangs_on_a_range_does_not_keep_it(url, login, role):
    hanger = login("h", role)
    query(url, "insert into sluice.tenants (name, role) values ('acme', %s)", [role_of(hanger)])
    make_overdue(url)
    doomed = [name for name in ranges(url) if name.endswith("_0")]
    with contextlib.closing(connect(hanger)) as session:
        hang_on(session, doomed)
        assert retain(url, 3)[0] == 1
        assert not set(doomed) & set(ranges(url))
        with session.cursor() as cursor:  # what is left of its own is still its own
            cursor.execute("select n from t_task_0")


def test_a_view_that_is_locked_delays_a_range_and_its_tasks_are_erased(url, login):
    hanger = login("h", "sluice_submitter")
    make_overdue(url)
    with contextlib.closing(connect(hanger)) as session:
        hang_on(session, ["task_0"])
        with session.cursor() as cursor:
            cursor.execute("begin")
            cursor.execute("alter view v_task_0 rename to mine")
            assert retain(url, 3) == (0, 1)
            assert "secret" not in prompts_seen(url)
            cursor.execute("rollback")
        assert retain(url, 4)[0] == 1


def test_what_a_login_hangs_on_a_model_or_tenant_does_not_keep_it(url, login):
    hanger = login("h", "sluice_submitter")
    add_model(url, "gone", "http://127.0.0.1:1")
    query(url, "insert into sluice.routes (route, model) values ('r', 'gone')")
    query(url, "insert into sluice.tenants (name, rpm, tpm, max_unfinished) "
        "values ('acme', 60, 6000, 10)")
    model = query(url, "select id from sluice.models where name = 'gone'")[0][0]
    names = [row[0] for row in query(url, "select relname from pg_class where relkind = 'S' and "
        "relnamespace = 'sluice'::regnamespace and relname ~ %s",
        [f"_{model}$|^(load_)?tenant_|waits"])]
    assert len(names) > 10
    with contextlib.closing(connect(hanger)) as session, session.cursor() as cursor:
        for name in names:
            cursor.execute(f"create temp table t_{name} (n bigint default "
                f"nextval('sluice.{name}'))")
        hang_on(session, [f"queue_{model}"])
        cursor.execute(f"create temp view d as select sluice.lanes_{model}(0::smallint, 0, "
            "0::smallint, 1, now()) as n")
        query(url, "delete from sluice.routes; delete from sluice.tenants")
        query(url, "delete from sluice.models where name = 'gone'")
        left = query(url, "select relname from pg_class where relnamespace = 'sluice'::regnamespace"
            " and relname = any (%s)", [names])
        assert [name for (name,) in left if "tenant_" in name or name.endswith(f"_{model}")] == []


def test_views_over_functions_do_not_stop_an_upgrade(url, login, sluice):
    calls = [row[0] for row in query(url, """
        select format('select from (select sluice.%I(%s)) c', p.proname, (select string_agg(
          'null::' || format_type(t, null), ', ' order by n)
          from unnest(p.proargtypes::oid[]) with ordinality a(t, n)))
        from pg_proc p
        where p.pronamespace = 'sluice'::regnamespace and p.prokind = 'f'
          and p.provariadic = 0 and p.prorettype <> 'trigger'::regtype and not exists (
            select from pg_type t where t.typtype = 'p' and t.oid = any (p.proargtypes))""")]
    query(url, "update sluice.function_set set sha256 = 'another'")
    with contextlib.closing(connect(login("h", "sluice_submitter"))) as session:
        with session.cursor() as cursor:
            cursor.execute("set search_path = sluice")
            for n, call in enumerate(calls):
                cursor.execute(f"create temp view v{n} as {call}")
        upgraded = sluice("migrate", "--database-url", url)
    assert upgraded.returncode == 0, upgraded.stderr


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
@pytest.mark.parametrize("bound", [
    "update sluice.tenants set max_unfinished = 40 where name = 'acme'",
    "update sluice.models set max_unfinished = 40",
    "update sluice.settings set max_unfinished = 40"])
def test_an_old_snapshot_lifts_no_cap_for_others(url, isolation, bound):
    """Its counts, which lack what is younger, were taken for everybody's."""
    query(url, "insert into sluice.tenants (name) values ('acme')")
    query(url, bound)
    query(url, "select sluice.tick()")

    def fill():
        for n in range(100):
            try:
                submit(url, "x", tenant="acme")
            except psycopg2.Error:
                return n
        raise AssertionError("not refused")
    rounds = 10
    with contextlib.closing(connect(url)) as old, old.cursor() as cursor:
        cursor.execute(f"begin isolation level {isolation}")
        cursor.execute("select 1 from sluice.tasks limit 1")
        first = fill()
        assert 30 < first <= 40
        for _ in range(rounds):
            cursor.execute("savepoint own")
            with contextlib.suppress(psycopg2.Error):
                cursor.execute("select sluice.submit('x', 'm', tenant => 'acme')")
            cursor.execute("release own" if old.info.transaction_status
                == TRANSACTION_STATUS_INTRANS else "rollback to own")
            assert fill() == 0
        cursor.execute("rollback")


def test_tasks_of_old_snapshots_leave_no_note_each(url, login):
    """Each noted its line anew, and claims read all notes: 300,000 made them 0.2 s slower."""
    tenant = login("ta", "sluice_submitter")
    with contextlib.closing(connect(tenant)) as session, session.cursor() as cursor:
        session.set_session(isolation_level="SERIALIZABLE", autocommit=True)
        for _ in range(200):
            cursor.execute("select sluice.submit('x', 'm')")
        session.set_session(isolation_level="REPEATABLE READ", autocommit=False)
        for _ in range(200):
            cursor.execute("select sluice.submit('x', 'm')")
        session.commit()
    assert query(url, "select count(*) from sluice.ready_line")[0][0] <= 5


def test_cancelled_tasks_that_a_tenant_has_locked_hold_up_a_sweep_once(url):
    """Each was waited for, 50 ms: 300 of them stopped all claims of a worker for 15 s."""
    query(url, "update sluice.models set paused = true")
    ids = [submit(url, "x", tenant=tenant) for tenant in ["a"] * 100 + ["b"] * 2]
    query(url, "insert into sluice.cancellation (task_id, worker, at, fence) "
        "select id, w, now(), 0 "
        "from unnest(%s::bigint[]) id, sluice.register_worker('gone', 1) w", [ids])
    with contextlib.closing(connect(url)) as session, session.cursor() as cursor:
        session.set_session(autocommit=False)
        cursor.execute("select sluice.cancel(id) from unnest(%s::bigint[]) id", [ids[:100]])
        query(url, "set statement_timeout = '2 s'; select sluice.settle_cancellations(now())")
        assert query(url, "select count(*) from sluice.cancellation") == [(100,)]
        session.rollback()
    query(url, "select sluice.settle_cancellations(now())")
    assert query(url, "select count(*) from sluice.cancellation") == [(0,)]
