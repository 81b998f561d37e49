"""A database that takes no writes for a while: its disk is full, or it is a standby by now."""
import time

import psycopg2
import pytest
from conftest import Monitor, http, query, wait_for
from queue_tools import add_model, submit, wait_ended
from standby_tools import private_servers

pytestmark = pytest.mark.plain_build_only


@pytest.fixture
def database(sluice, mock):
    with private_servers() as make:
        server = make()
        server.start()
        url = server.url("postgres")
        assert sluice("migrate", "--database-url", url).returncode == 0
        add_model(url, "m", mock().url)
        yield url


def run_writable(url, *statements):
    session = psycopg2.connect(url, options="-c default_transaction_read_only=off")
    session.autocommit = True
    for statement in statements:
        session.cursor().execute(statement)
    session.close()


def set_read_only(url, value):
    run_writable(url, f"alter system set default_transaction_read_only = {value}",
        "select pg_reload_conf()")


def rollbacks(url):
    return query(url, "select xact_rollback from pg_stat_database"
                      " where datname = current_database()")[0][0]


def test_a_worker_asks_seldom_says_why_and_goes_on_afterwards(database, started):
    worker = started("worker", "--database-url", database, "--http", "127.0.0.1:0")
    Monitor(worker)
    submit(database, "x", "m")
    wait_ended(database, 1)
    set_read_only(database, "on")
    wait_for(lambda: "25006" in worker.stderr())
    begun, before = time.monotonic(), rollbacks(database)
    wait_for(lambda: time.monotonic() - begun > 3)
    assert (rollbacks(database) - before) / (time.monotonic() - begun) < 20
    assert worker.stderr().count("25006") < 20
    set_read_only(database, "off")
    submit(database, "y", "m")
    wait_ended(database, 2)


def test_the_front_says_that_it_is_the_database(database, server):
    front = server(database)
    task = {"prompt": "x", "model": "m"}
    assert http(front.port, "POST", "/v1/tasks", task).status == 202
    set_read_only(database, "on")
    refused = wait_for(lambda: (lambda r: r if r.status != 202 else None)(
        http(front.port, "POST", "/v1/tasks", task)))
    assert refused.status == 503 and "takes no writes" in refused.body
    assert refused.headers.get("Retry-After") == "5"
    for _ in range(20):
        assert http(front.port, "POST", "/v1/tasks", task).status == 503
    set_read_only(database, "off")
    wait_for(lambda: http(front.port, "POST", "/v1/tasks", task).status == 202)


def test_no_session_is_kept_that_began_where_nothing_can_be_written(database, started, server):
    # as behind a name that led to a standby for a moment: such a session stays read only
    worker = started("worker", "--database-url", database, "--http", "127.0.0.1:0")
    front = server(database)
    health = Monitor(worker)
    task = {"prompt": "x", "model": "m"}
    assert http(front.port, "POST", "/v1/tasks", task).status == 202
    wait_ended(database, 1)
    run_writable(database, "alter database postgres set default_transaction_read_only = on",
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where backend_type = 'client backend' and pid <> pg_backend_pid()")
    wait_for(lambda: health.ready()[0] == 503)
    wait_for(lambda: http(front.port, "GET", "/readyz").status == 503)
    assert http(front.port, "POST", "/v1/tasks", task).status == 503
    run_writable(database, "alter database postgres reset default_transaction_read_only")
    wait_for(lambda: http(front.port, "POST", "/v1/tasks", task).status == 202)
    wait_ended(database, 2)
