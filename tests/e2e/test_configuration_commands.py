"""sluice route and sluice tenant: rows of configuration, changed in place; refusals are said in
words."""
import pytest
from command_tools import rows, run  # noqa: F401 (fixture)
from conftest import connect, query

pytestmark = pytest.mark.plain_build_only


@pytest.fixture
def url(pg):
    url = pg.database()
    query(url, "insert into sluice.models (name, url) "
        "values ('a', 'http://127.0.0.1:1'), ('b', 'http://127.0.0.1:1')")
    return url


def test_a_route_is_made_weighed_and_unmade(run):
    assert run("route", "set", "fast", "a").returncode == 0
    assert run("route", "set", "fast", "b", "weight=3").returncode == 0
    assert run("route", "set", "fast", "b", "weight=1.5").returncode == 0
    fast = [row for row in rows(run, "route", "ls") if row["route"] == "fast"]
    assert fast == [{"route": "fast", "model": "a", "weight": 1, "tier": 1, "prefer": "weight"},
        {"route": "fast", "model": "b", "weight": 1.5, "tier": 1, "prefer": "weight"}]
    table = run("route", "ls").stdout.splitlines()
    assert table[0].split() == ["ROUTE", "MODEL", "TIER", "WEIGHT", "SHARE", "PREFER"]
    assert [line.split() for line in table if line.startswith("fast")] == [
        ["fast", "a", "1", "1", "40.0", "%", "weight"],
        ["fast", "b", "1", "1.5", "60.0", "%", "weight"]]
    assert run("route", "prefer", "fast", "latency").returncode == 0
    choice = rows(run, "route", "choice", "fast")
    assert [(c["model"], c["prefer"], c["share"]) for c in choice] == [
        ("a", "latency", 0), ("b", "latency", 0)]
    assert run("route", "choice", "fast").stdout.endswith("\n" + "".join(
        f"{model} (of fast): no live worker serves the model\n" for model in "ab"))
    assert run("route", "prefer", "fast", "speed").returncode == 2
    none = run("route", "prefer", "none", "cost")
    assert none.returncode == 1 and 'there is no route "none"' in none.stderr
    assert run("route", "rm", "fast", "a").returncode == 0
    gone = run("route", "rm", "fast", "a")
    assert gone.returncode == 1 and 'route "fast" has no model "a"' in gone.stderr


def test_a_deleted_tenant_is_no_news_of_sequences(url):
    connection = connect(url)
    connection.autocommit = True
    connection.cursor().execute("insert into sluice.tenants (name) values ('t')")
    connection.cursor().execute("delete from sluice.tenants")
    assert connection.notices == []
    connection.close()


def test_a_tenant_is_given_limits_and_forgotten(run):
    assert run("tenant", "set", "t", "weight=2", "rpm=60").returncode == 0
    assert run("tenant", "set", "t", "rpm=null", "max_unfinished=5").returncode == 0
    assert rows(run, "tenant", "ls") == [{"name": "t", "weight": 2, "max_unfinished": 5,
            "rpm": None, "tpm": None, "role": None, "max_batches": None, "max_files": None,
            "files_bytes_max": None, "max_priority": None, "models": None}]
    limits = ("max_priority=0", "models={a,any}", "max_batches=3", "max_files=4",
        "files_bytes_max=5000000")
    assert run("tenant", "set", "t", *limits).returncode == 0
    assert rows(run, "tenant", "ls") == [{"name": "t", "weight": 2, "max_unfinished": 5,
            "rpm": None, "tpm": None, "role": None, "max_batches": 3, "max_files": 4,
            "files_bytes_max": 5000000, "max_priority": 0, "models": ["a", "any"]}]
    table = run("tenant", "ls").stdout.splitlines()
    assert table[1].split() == ["t", "2", "5", "-", "-", "3", "0",
        "-"] and all(len(line) <= 80 for line in table)
    assert run("tenant", "rm", "t").returncode == 0
    assert rows(run, "tenant", "ls") == []
    assert run("tenant", "rm", "t").returncode == 1


def test_rm_takes_away_what_set_made(run):
    assert run("route", "set", "fast", "a", "80").returncode == 0
    assert run("route", "set", "fast", "b", "20").returncode == 0
    assert [row["weight"] for row in rows(run, "route", "ls") if row["route"] == "fast"] == [80, 20]
    assert run("route", "rm", "fast", "b").returncode == 0
    assert [row["model"] for row in rows(run, "route", "ls") if row["route"] == "fast"] == ["a"]
    assert run("route", "set", "fast", "b", "20").returncode == 0 and run("route",
        "rm", "fast").returncode == 0
    assert [row for row in rows(run, "route", "ls") if row["route"] == "fast"] == []
    gone = run("route", "rm", "fast")
    assert gone.returncode == 1 and 'there is no route "fast"' in gone.stderr

    assert run("tenant", "set", "t", "weight=2").returncode == 0
    assert run("tenant", "rm", "t").returncode == 0 and rows(run, "tenant", "ls") == []
    gone = run("tenant", "rm", "t")
    assert gone.returncode == 1 and 'tenant "t" has no settings' in gone.stderr


@pytest.mark.parametrize("arguments, code, reason", [
    (["route", "set", "fast", "a", "weight=-1"], 1, "weight is not negative, not -1"),
    (["route", "set", "fast", "nope"], 1, "nope"),
    (["route", "set", "a", "b"], 1, '"a" is already the name of a model'),
    (["route", "set", "fast", "a", "colour=red"], 2,
        "'colour' is not a setting of a route; the settings are weight, tier"),
    (["tenant", "set", "t", "rpm=0"], 1, "rpm is positive, not 0"),
    (["tenant", "set", "t"], 2, "needs a setting"),
    (["tenant", "set", "t", "max_priority=101"], 1, "max_priority is between 0 and 100, not 101"),
    (["tenant", "set", "t", "models=a,b"], 1, 'models takes a list such as {a,b}, not "a,b"'),
    (["route", "set", "fast", "a", "weight=heavy"], 1, 'weight takes a number, not "heavy"'),
    (["model", "set", "a", "paused=maybe"], 1, 'paused takes true or false, not "maybe"'),
    (["model", "set", "a", "rpm=100", "burst=90"], 1, "burst is at most half the rpm, not 90"),
    (["model", "set", "a", "timeout=300"], 1, 'timeout "300" has no unit'),
    (["model", "set", "new", "url=http://127.0.0.1:1", "hedge_after=1.5"], 1,
        'hedge_after "1.5" has no unit'),
    (["model", "set", "a", "secret=sk-hush-hush"], 1, "secret is a reference")])
def test_a_refusal_is_one_line_of_words(run, arguments, code, reason):
    refused = run(*arguments)
    assert refused.returncode == code and reason in refused.stderr
    assert refused.stderr.count("\n") == 1 and "hush" not in refused.stderr


@pytest.mark.parametrize("arguments, hint", [
    (["explain", "99"], "(sluice tasks lists what there is)"),
    (["job", "cancel", "99"], "(sluice job ls lists what there is)"),
    (["ramp", "stop", "r"], "(sluice ramp ls lists what there is)"),
    (["ramp", "start", "r", "b", "--share", "10%"],
        "(give it one first: sluice route set ROUTE MODEL 0)"),
    (["shadow", "drop", "99"], "(sluice shadow ls lists what there is)"),
    (["shadow", "start", "model", "nope", "rpm=1"],
        'there is no model "nope" (sluice model ls lists what there is)'),
    (["submit", "--prompt", "p", "--model", "nope"], "(known are a, any, b, r)"),
    (["redrive", "1"], "task 1 is still queued (wait for its end, or end it: sluice cancel 1)"),
    (["model", "rm", "a"], 'model "a" has unfinished tasks: 1 (pause it')])
def test_a_refusal_names_the_command_that_helps(run, url, arguments, hint):
    query(url, "insert into sluice.routes values ('r', 'a', 1); select sluice.submit('p', 'a')")
    refused = run(*arguments)
    assert hint in refused.stderr and refused.returncode == 1


def test_without_models_a_submit_says_how_one_is_made(run, url):
    query(url, "delete from sluice.models")
    refused = run("submit", "--prompt", "p", "--model", "nope")
    assert "(there are no models yet: sluice model set NAME url=… makes one)" in refused.stderr


COMMANDS = [[], ["up"], ["migrate"], ["worker"], ["submit"], ["status"], ["tasks"], ["task"],
    ["cancel"], ["dead-letters"], ["model"], ["model", "ls"], ["model", "set"], ["model", "close"],
    ["route"], ["route", "set"], ["tenant", "set"], ["mock"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_fits_80_columns(sluice, command):
    shown = sluice(*command, "--help")
    assert shown.returncode == 0
    assert [line for line in shown.stdout.splitlines() if len(line) > 80] == []


def test_lists_fit_80_columns(sluice, url):
    query(url, "insert into sluice.models (name, url) values "
        "('a-model-of-16-ch', 'http://127.0.0.1:21001/v1')")
    query(url, "insert into sluice.budgets (name, scope, subject, limit_nanos, is_hard) values "
        "('a-budget-of-16-c', 'tenant', 'a-tenant-of-16-c', 1234567000000, false)")
    query(url, "insert into sluice.routes values ('a-route-of-16-ch', 'a', 1),"
        "('a-route-of-16-ch', 'a-model-of-16-ch', 0)")
    query(url, "select sluice.start_ramp('a-route-of-16-ch', 'a-model-of-16-ch', 0.3, 3)")
    for command in (["model", "ls"], ["budget", "ls"], ["ramp", "ls"], ["route", "choice"]):
        table = sluice(*command, "--database-url", url, env={"COLUMNS": "80"}).stdout
        assert all(len(line) <= 80 for line in table.splitlines()), table
        assert command[0] != "model" or "http://127.0.0.1:21001/v1" in table
        assert command[0] != "ramp" or "1 of 3" in table and "30.0 %" in table
