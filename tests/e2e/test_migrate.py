"""sluice migrate: once each, safe beside itself, clear about what it refuses."""
import concurrent.futures
import json
import re
import subprocess

import psycopg2.errors
import pytest
from conftest import ROOT, connect, private_postgres, query, wait_for
from queue_tools import note_as_before_baseline

pytestmark = pytest.mark.plain_build_only

LOCK = (731009, 0)


def migrate(sluice, url, *arguments):
    return sluice("migrate", *arguments, "--database-url", url)


def test_twenty_at_once_all_succeed_and_each_migration_runs_once(sluice, pg):
    url = pg.empty_database()
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        runs = [run.result()
            for run in [pool.submit(migrate, sluice, url, "up") for _ in range(20)]]
    assert [run.returncode for run in runs] == [0] * 20, [run.stderr for run in runs]
    applied = [line for run in runs for line in run.stdout.splitlines()
        if line.startswith("applied")]
    assert len(applied) == len(set(applied))
    versions = query(url, "select version from sluice.migration order by version")
    assert versions == [(int(file.name[:4]),)
        for file in sorted((ROOT / "sql/migrations").glob("*.sql"))] and versions


def test_an_empty_database_gets_one_line_unless_each_is_wanted(sluice, pg):
    count = len(list((ROOT / "sql/migrations").glob("*.sql")))
    said = migrate(sluice, pg.empty_database()).stdout
    assert said.startswith(f"applied {count} migrations and the functions (--verbose names each)\n")
    assert said.count("applied") == 1
    said = migrate(sluice, pg.empty_database(), "--verbose").stdout
    assert said.startswith("applied 0001_") and said.count("applied ") == count + 1


def test_a_second_run_finds_nothing_to_do(sluice, pg):
    run = migrate(sluice, pg.database())
    assert (run.returncode, run.stdout) == (0, "nothing to do\n")


def test_status_names_what_is_pending_and_what_is_applied(sluice, pg):
    url = pg.empty_database()
    before = [json.loads(line) for line in migrate(sluice, url, "status",
        "--json").stdout.splitlines()]
    assert {row["state"] for row in before} == {"pending"}
    migrate(sluice, url)
    after = [json.loads(line) for line in migrate(sluice, url, "status",
        "--json").stdout.splitlines()]
    assert {row["state"] for row in after} == {"applied"}
    assert [row["name"] for row in before] == [row["name"] for row in after]


def test_the_printed_sql_leads_to_the_same_state(sluice, pg):
    url = pg.empty_database()
    script = migrate(sluice, url, "sql").stdout
    subprocess.run(["psql", "-Xq", "-d", url], input=script, text=True, check=True)
    assert migrate(sluice, url).stdout == "nothing to do\n"


def test_a_database_that_is_not_utf8_is_refused(sluice, pg):
    run = migrate(sluice, pg.empty_database("encoding 'SQL_ASCII' locale 'C' template template0"))
    assert run.returncode == 3
    assert "SQL_ASCII" in run.stderr and "encoding 'UTF8'" in run.stderr


def test_in_turkish_an_insert_is_an_insert(sluice, pg):
    url = pg.empty_database("encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' locale 'C' "
        "template template0")
    assert migrate(sluice, url).returncode == 0
    query(url, "insert into sluice.models (name, url) values ('I', 'http://127.0.0.1:1')")
    query(url, "insert into sluice.routes (route, model, weight) values ('R', 'I', 1)")
    assert query(url, "select distinct action from sluice.revision") == [("insert",)]


def test_an_unreachable_database_is_exit_4(sluice):
    run = migrate(sluice, "postgresql://someone:hush-hush@127.0.0.1:1/nowhere")
    assert run.returncode == 4
    assert run.stderr.startswith("sluice: ") and run.stderr.count("\n") == 1


def test_no_piece_of_a_password_is_ever_printed(sluice):
    for url in (
            "postgresql://someone:hush-hush@127.0.0.1:1/nowhere",
            "postgresql://someone:x@hush-hush@127.0.0.1:1/a",
            "postgresql://someone:hush-hush/x@127.0.0.1:1/a",
            "postgresql://someone:1/hush-hush@127.0.0.1/a",
            "postgresql://someone:1?hush-hush@127.0.0.1/a",
            "password=hush-hush host=127.0.0.1 port=1 nonsense",
            "hush-hush",
            "password='hush-hush"):
        run = migrate(sluice, url)  # malformed, or out of reach
        assert run.returncode in (3, 4) and "hush" not in run.stdout + run.stderr, run.stderr


def test_a_newer_schema_is_exit_5(sluice, pg):
    url = pg.database()
    query(url, "insert into sluice.migration (version, name, sha256) "
        "values (9999, '9999_later.sql', 'f00')")
    run = migrate(sluice, url)
    assert run.returncode == 5
    assert "9999" in run.stderr and run.stderr.count("\n") == 1


def test_a_newer_schema_that_serves_this_binary_is_left_as_it_is(sluice, pg):
    url = pg.database()
    own = query(url, "select max(version) from sluice.migration")[0][0]
    query(url, "insert into sluice.migration (version, name, sha256, serves_from) "
        "values (9999, '9999_later.sql', 'f00', %s)", [own])
    query(url, "update sluice.function_set set sha256 = 'newer'")
    run = migrate(sluice, url)
    assert (run.returncode, run.stdout) == (0, "nothing to do\n"), run.stderr
    assert query(url, "select sha256 from sluice.function_set") == [("newer",)]
    query(url, "update sluice.migration set serves_from = %s where version = 9999", [own + 1])
    run = migrate(sluice, url)
    assert run.returncode == 5 and f"serves binaries from {own + 1} on" in run.stderr


def test_an_edited_migration_is_refused(sluice, pg):
    url = pg.database()
    query(url, "update sluice.migration set sha256 = repeat('0', 64) where version = 2")
    run = migrate(sluice, url)
    assert run.returncode == 5
    assert "0002_" in run.stderr and "must not be edited" in run.stderr


def test_who_ran_what_the_baseline_replaces_has_the_baseline(sluice, pg):
    url = pg.database()
    query(url, note_as_before_baseline(22) + "select")
    assert migrate(sluice, url).stdout == "nothing to do\n"
    state = [json.loads(line) for line in migrate(sluice, url, "status",
        "--json").stdout.splitlines()]
    assert {row["state"] for row in state} == {"applied"}
    assert [row["name"] for row in state[:-1]] == [file.name
        for file in sorted((ROOT / "sql/migrations").glob("*.sql"))]
    query(url, "update sluice.migration set sha256 = repeat('0', 64) where version = 7")
    run = migrate(sluice, url)
    assert run.returncode == 5 and "must not be edited" in run.stderr


@pytest.mark.parametrize("version", [1, 21])
def test_who_ran_a_part_of_what_the_baseline_replaces_is_told_what_to_do(sluice, pg, version):
    url = pg.database()
    query(url,
        f"{note_as_before_baseline(version)} delete from sluice.migration where version > 22")
    before = query(url, "select count(*) from pg_class")
    run = migrate(sluice, url)
    assert run.returncode == 5 and run.stderr.count("\n") == 1
    assert f"is at version {version}," in run.stderr and ("0022_arrivals.sql first, "
        "or begin with an empty database") in run.stderr
    assert (query(url, "select max(version), (select count(*) from pg_class) from sluice.migration")
        == [(version, *before[0])])


def test_a_baseline_that_was_interrupted_goes_on(sluice, pg):
    url = pg.empty_database()
    script = migrate(sluice, url, "sql").stdout
    query(url, script[script.index("begin;"):script.index("\n-- 0004_")])
    assert migrate(sluice, url).stdout.startswith("applied 0004_")


def test_changed_functions_are_applied_again(sluice, pg):
    url = pg.database()
    query(url, "update sluice.function_set set sha256 = 'older'")
    run = migrate(sluice, url)
    assert run.returncode == 0 and "functions" in run.stdout
    assert migrate(sluice, url).stdout == "nothing to do\n"


def test_a_migrator_waits_for_another_and_then_works(sluice, pg, started):
    url = pg.empty_database()
    holder = connect(url)
    try:
        holder.cursor().execute("select pg_advisory_lock(%s, %s)", LOCK)
        waiting = started("migrate", "--database-url", url)
        # It looks for the lock again and again: it has looked once its session is there and idle.
        wait_for(lambda: query(url, "select pid from pg_stat_activity "
                "where query like '%pg_try_advisory_lock(731009%' and application_name = 'sluice'"),
            what="a waiting migrator")
        assert waiting.running()
    finally:
        holder.close()
    assert waiting.wait() == 0
    assert query(url, "select count(*) > 0 from sluice.migration") == [(True,)]


def test_a_migrator_says_who_uses_the_tables_that_it_waits_for(sluice, pg, started):
    url = pg.database()
    query(url, "update sluice.function_set set sha256 = 'older'")
    reader = connect(url)
    try:
        reader.cursor().execute("set application_name = 'a nightly dump'")
        reader.autocommit = False
        reader.cursor().execute("select from sluice.tasks")
        waiting = started("migrate", "--database-url", url)
        told = f"session {reader.info.backend_pid} of "
        wait_for(lambda: told in waiting.stderr() and "a nightly dump" in waiting.stderr(),
            what="a word on who is in the way")
    finally:
        reader.close()
    assert waiting.wait() == 0


@pytest.fixture(scope="module")
def cluster():
    """A server that has never heard of Sluice, hence without its roles; app may log in and owns a
    database, no more."""
    server = private_postgres.PrivatePostgres(fsync=False)
    server.start()
    try:
        yield server
    finally:
        server.remove()


def url_of(cluster, database, user):
    return cluster.url(database).replace("user=sluice", f"user={user}")


def owner_of(cluster, name):
    """The URL of a database of its own for a new role `name`, which may log in and no more."""
    admin = cluster.url("postgres")
    query(admin, f'create role "{name}" login')
    query(admin, f'create database "{name}" owner "{name}"')
    query(admin, f'revoke all on database "{name}" from public')
    return url_of(cluster, name, name)


def statements_in(message):
    """What the administrator is told to run."""
    return re.search(r"let an administrator run: (.*;) then run", message)[1]


def test_without_the_right_to_make_roles_it_says_what_an_administrator_has_to_run(sluice, cluster):
    url = owner_of(cluster, "app")
    refused = migrate(sluice, url)
    assert refused.returncode == 3 and refused.stderr.count("\n") == 1, refused.stderr
    assert ("create role sluice_owner nologin;" in refused.stderr
        and "grant sluice_owner to app;" in refused.stderr)
    query(cluster.url("postgres"), statements_in(refused.stderr))
    assert migrate(sluice, url).returncode == 0
    assert migrate(sluice, url).stdout == "nothing to do\n"


def test_a_second_owner_in_the_cluster_is_told_the_grant_that_is_missing(sluice, cluster):
    query(cluster.url("postgres"), "create database first")
    assert migrate(sluice, cluster.url("first")).returncode == 0
    url = owner_of(cluster, "Second")
    refused = migrate(sluice, url)
    assert refused.returncode == 3, refused.stderr
    assert statements_in(
        refused.stderr) == 'grant sluice_owner to "Second";' and "--without-roles" in refused.stderr
    query(cluster.url("postgres"), statements_in(refused.stderr))
    assert migrate(sluice, url).returncode == 0


def test_a_stranger_to_the_schema_is_told_whose_member_he_must_be(sluice, cluster):
    query(cluster.url("postgres"), "create database theirs")
    assert migrate(sluice, cluster.url("theirs")).returncode == 0
    query(cluster.url("postgres"), "create role stranger login")
    refused = migrate(sluice, url_of(cluster, "theirs", "stranger"))
    assert refused.returncode == 3 and statements_in(
        refused.stderr) == "grant sluice_owner to stranger;"


def test_whoever_is_no_owner_finds_nothing_to_do_on_a_current_database(sluice, cluster):
    admin = cluster.url("postgres")
    query(admin, "create database current")
    assert migrate(sluice, cluster.url("current")).returncode == 0
    for role in "sluice_admin", "sluice_reader":
        query(admin, f"create role only_{role} login in role {role}")
        run = migrate(sluice, url_of(cluster, "current", f"only_{role}"))
        assert (run.returncode, run.stdout) == (0, "nothing to do\n"), run.stderr


def test_a_database_where_nothing_may_be_made_is_said_so(sluice, cluster):
    query(cluster.url("postgres"), "create role guest login")
    query(cluster.url("postgres"), "create database closed_to_guests")
    url = url_of(cluster, "closed_to_guests", "guest")
    refused = migrate(sluice, url, "--without-roles")
    assert refused.returncode == 3
    assert statements_in(refused.stderr) == "grant create on database closed_to_guests to guest;"


def test_without_roles_everything_belongs_to_its_user(sluice, cluster, mock, worker):
    """Also where another installation's roles are there: they are nothing here."""
    query(cluster.url("postgres"),
        "do $$ begin create role sluice_admin nologin; exception when duplicate_object then end $$")
    query(cluster.url("postgres"), "create role admin_elsewhere login in role sluice_admin")
    url = owner_of(cluster, "alone")
    run = migrate(sluice, url, "--without-roles")
    assert run.returncode == 0, run.stderr
    assert query(url, "select distinct pg_get_userbyid(relowner) from pg_class"
                      " where relnamespace = 'sluice'::regnamespace") == [("alone",)]
    assert query(url, """
        select count(*) from pg_proc where pronamespace = 'sluice'::regnamespace
          and (proowner <> 'alone'::regrole or proacl::text ~ 'sluice_|{=|,=')""") == [(0,)]
    assert query(url, "select sluice.is_administrator(), sluice.administers('admin_elsewhere')"
        ) == [(True, False)]

    query(url, "update sluice.function_set set sha256 = 'older'")
    assert "functions" in migrate(sluice, url).stdout  # it knows by itself
    assert migrate(sluice, url, "--without-roles").stdout == "nothing to do\n"
    healthy = sluice("doctor", "--database-url", url)
    assert (healthy.returncode, healthy.stdout) == (0, "no findings\n")

    query(url, "insert into sluice.models (name, url) values ('m', %s)", (mock().url,))
    worker(url)
    answer = sluice("submit", "--prompt", "hello", "--model", "m", "--wait", "--database-url", url)
    assert answer.returncode == 0 and answer.stdout.strip()


def test_without_roles_is_for_a_new_schema(sluice, pg):
    run = migrate(sluice, pg.database(), "--without-roles")
    assert run.returncode == 3 and "sluice_owner" in run.stderr


def test_the_script_without_roles_leads_to_the_same_state(sluice, cluster):
    url = owner_of(cluster, "by_psql")
    script = migrate(sluice, url, "sql", "--without-roles").stdout
    assert not re.search(r"^(grant|revoke|set local role)\b.*sluice_", script, re.M)
    subprocess.run(["psql", "-Xq", "-o", "/dev/null", "-d", url],
        input=script, text=True, check=True)
    assert migrate(sluice, url).stdout == "nothing to do\n"


def login_of(cluster, database, name, *roles):
    """The URL of a new login that is a member of these roles."""
    query(cluster.url("postgres"), f"create role {name} login in role {', '.join(roles)}")
    return url_of(cluster, database, name)


def test_a_login_of_one_installation_is_nobody_in_another_with_roles_of_its_own(sluice, cluster):
    for database in "installation_1", "installation_2":
        query(cluster.url("postgres"), f"create database {database}")
    first, second = cluster.url("installation_1"), cluster.url("installation_2")
    assert migrate(sluice, first).returncode == 0
    run = migrate(sluice, second, "--role-prefix", "second")
    assert run.returncode == 0, run.stderr
    assert ("to second_owner, second_worker, second_submitter, second_reader, second_admin;"
            in run.stdout)
    assert query(second, "select distinct pg_get_userbyid(relowner) from pg_class"
                         " where relnamespace = 'sluice'::regnamespace") == [("second_owner",)]
    assert query(second, "select count(*) from pg_proc where pronamespace = 'sluice'::regnamespace"
                         " and (proacl::text ~ 'sluice_' or prosrc ~ 'sluice_admin')") == [(0,)]

    roles = "owner", "worker", "submitter", "reader", "admin"
    submit = "select sluice.submit('hello', 'm')"
    everywhere = login_of(cluster, "installation_2", "all_of_first",
        *(f"sluice_{role}" for role in roles))
    for sql in (submit, "select * from sluice.tasks", "select count(*) from sluice.migration",
                "drop schema sluice cascade"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            query(everywhere, sql)
    assert query(second, "select sluice.administers('all_of_first')") == [(False,)]
    query(second, "insert into sluice.models (name, url) values ('m', 'http://localhost:1')")
    everything = login_of(cluster, "installation_1", "all_of_second",
        *(f"second_{role}" for role in roles))
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        query(everything, submit)

    assert query(url_of(cluster, "installation_2", "all_of_second"), submit) == [(1,)]
    admin = login_of(cluster, "installation_2", "admin_of_second", "second_admin")
    assert query(admin, "select sluice.acts_as_administrator()") == [(True,)]


def test_later_runs_know_the_roles_of_their_installation(sluice, cluster):
    query(cluster.url("postgres"), "create database prefixed")
    url = cluster.url("prefixed")
    assert migrate(sluice, url, "--role-prefix", "third").returncode == 0
    query(url, "update sluice.function_set set sha256 = 'older'")
    assert "functions" in migrate(sluice, url).stdout
    assert query(url, "select count(*) from pg_proc where proacl::text ~ 'sluice_'") == [(0,)]
    assert migrate(sluice, url, "--role-prefix", "third").stdout == "nothing to do\n"
    query(url, "alter role third_reader rename to unreadable")
    try:
        assert "role third_reader is missing" in sluice("doctor", "--database-url", url).stdout
    finally:
        query(url, "alter role unreadable rename to third_reader")
    reader = login_of(cluster, "prefixed", "reads_third", "third_reader")
    assert "run it as a member of third_admin" in sluice("doctor", "--database-url", reader).stderr
    for flags in ("--without-roles",), ("--role-prefix", "fourth"), ("--role-prefix", "sluice"):
        refused = migrate(sluice, url, *flags)
        assert refused.returncode == 3 and "third_owner" in refused.stderr, refused.stderr


def test_a_stranger_to_an_installation_is_told_its_roles(sluice, cluster):
    url = owner_of(cluster, "tenth")
    refused = migrate(sluice, url, "--role-prefix", "tenth_roles")
    assert refused.returncode == 3, refused.stderr
    assert ("create role tenth_roles_owner nologin;" in refused.stderr
        and "grant tenth_roles_owner to tenth;" in refused.stderr)
    query(cluster.url("postgres"), statements_in(refused.stderr))
    assert migrate(sluice, url, "--role-prefix", "tenth_roles").returncode == 0


@pytest.mark.parametrize("prefix", ["Upper", "a b", "1st", "pg_mine", "x'; drop", "", "a" * 54])
def test_a_role_prefix_that_will_not_do_is_refused(sluice, prefix):
    refused = migrate(sluice, "host=/nowhere", "--role-prefix", prefix)
    assert refused.returncode == 2 and "--role-prefix" in refused.stderr, refused.stderr


def test_the_script_for_another_prefix_leads_to_the_same_state(sluice, cluster):
    query(cluster.url("postgres"), "create database by_script")
    script = migrate(sluice, cluster.url("by_script"), "sql", "--role-prefix", "scripted").stdout
    subprocess.run(["psql", "-Xq", "-o", "/dev/null", "-d", cluster.url("by_script")],
        input=script, text=True, check=True)
    assert migrate(sluice, cluster.url("by_script"), "--role-prefix",
        "scripted").stdout == "nothing to do\n"
