"""sluice migrate: once each, safe beside itself, clear about what it refuses."""
import concurrent.futures
import json
import subprocess

from conftest import ROOT, connect, query, wait_for

LOCK = (731009, 0)


def migrate(sluice, url, *arguments):
    return sluice("migrate", *arguments, "--database-url", url)


def test_twenty_at_once_all_succeed_and_each_migration_runs_once(sluice, pg):
    url = pg.empty_database()
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        runs = [run.result() for run in [pool.submit(migrate, sluice, url, "up") for _ in range(20)]]
    assert [run.returncode for run in runs] == [0] * 20, [run.stderr for run in runs]
    applied = [line for run in runs for line in run.stdout.splitlines() if line.startswith("applied")]
    assert len(applied) == len(set(applied))
    versions = query(url, "select version from sluice.migration order by version")
    assert versions == [(int(file.name[:4]),) for file in sorted((ROOT / "sql/migrations").glob("*.sql"))] and versions


def test_a_second_run_finds_nothing_to_do(sluice, pg):
    run = migrate(sluice, pg.database())
    assert (run.returncode, run.stdout) == (0, "nothing to do\n")


def test_status_names_what_is_pending_and_what_is_applied(sluice, pg):
    url = pg.empty_database()
    before = [json.loads(line) for line in migrate(sluice, url, "status", "--json").stdout.splitlines()]
    assert {row["state"] for row in before} == {"pending"}
    migrate(sluice, url)
    after = [json.loads(line) for line in migrate(sluice, url, "status", "--json").stdout.splitlines()]
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


def test_an_unreachable_database_is_exit_4(sluice):
    run = migrate(sluice, "postgresql://someone:hush-hush@127.0.0.1:1/nowhere")
    assert run.returncode == 4
    assert run.stderr.startswith("sluice: ") and run.stderr.count("\n") == 1


def test_no_piece_of_a_password_is_ever_printed(sluice):
    for url in ("postgresql://someone:hush-hush@127.0.0.1:1/nowhere", "postgresql://someone:x@hush-hush@127.0.0.1:1/a",
                "postgresql://someone:hush-hush/x@127.0.0.1:1/a", "postgresql://someone:1/hush-hush@127.0.0.1/a",
                "postgresql://someone:1?hush-hush@127.0.0.1/a", "password=hush-hush host=127.0.0.1 port=1 nonsense",
                "hush-hush", "password='hush-hush"):
        run = migrate(sluice, url)
        assert run.returncode == 4 and "hush" not in run.stdout + run.stderr, run.stderr


def test_a_newer_schema_is_exit_5(sluice, pg):
    url = pg.database()
    query(url, "insert into sluice.migration (version, name, sha256) values (9999, '9999_later.sql', 'f00')")
    run = migrate(sluice, url)
    assert run.returncode == 5
    assert "9999" in run.stderr and run.stderr.count("\n") == 1


def test_an_edited_migration_is_refused(sluice, pg):
    url = pg.database()
    query(url, "update sluice.migration set sha256 = repeat('0', 64) where version = 2")
    run = migrate(sluice, url)
    assert run.returncode == 5
    assert "0002_" in run.stderr and "must not be edited" in run.stderr


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
        wait_for(lambda: query(url, "select pid from pg_stat_activity where query like '%pg_try_advisory_lock(731009%' "
                                    "and application_name = 'sluice'"), what="a waiting migrator")
        assert waiting.running()
    finally:
        holder.close()
    assert waiting.wait() == 0
    assert query(url, "select count(*) > 0 from sluice.migration") == [(True,)]
