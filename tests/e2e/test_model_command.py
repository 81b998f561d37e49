"""sluice model: make, change, close and delete models; PostgreSQL judges the values."""
import json

import psycopg2
import pytest
from conftest import query
from queue_tools import add_model, submit, wait_ended

pytestmark = pytest.mark.plain_build_only


@pytest.fixture
def url(pg):
    return pg.database()


@pytest.fixture
def model(sluice, url):
    return lambda *arguments, env=(): sluice("model", *arguments, "--database-url", url, env=env)


def column(url, name, of="m"):
    return query(url, f"select {name} from sluice.models where name = %s", (of,))[0][0]


def test_set_makes_a_model_and_changes_it_in_place(model, url):
    assert model("set", "m", "url=http://127.0.0.1:1/v1", "api=openai-chat", "rpm=60",
        "timeout=2m").returncode == 0
    assert model("set", "m", "rpm=120", "hedge_after=800ms").returncode == 0
    assert query(url, "select name, rpm, timeout::text, "
        "hedge_after::text from sluice.models") == [("m", 120, "00:02:00", "00:00:00.8")]
    queues = query(url, "select count(*) from pg_tables "
        "where schemaname = 'sluice' and tablename ~ '^queue_[0-9]+$'")
    assert queues == [(1,)]


def test_null_takes_a_limit_away(model, url):
    model("set", "m", "url=http://127.0.0.1:1", "rpm=60")
    assert model("set", "m", "rpm=null").returncode == 0
    assert column(url, "rpm") is None


def test_a_value_may_hold_an_equals_sign(model, url):
    model("set", "m", "url=http://127.0.0.1:1/?a=b")
    assert column(url, "url") == "http://127.0.0.1:1/?a=b"


def test_a_model_can_be_renamed(model, url):
    model("set", "m", "url=http://127.0.0.1:1")
    assert model("set", "m", "name=n").returncode == 0
    assert query(url, "select name from sluice.models") == [("n",)]
    run = model("set", "m", "name=o", "url=http://127.0.0.1:1")
    assert run.returncode == 1 and 'there is no model "m"' in run.stderr


@pytest.mark.parametrize("settings, reason", [
    (["colour=red"], "'colour' is not a setting of a model; the settings are name, api, url,"),
    (["limits_changed_at=now"], "is not a setting"),
    (["rpm"], "'rpm' is not key=value"),
    (["rpm=1", "rpm=2"], "'rpm' is given twice"),
    (["rpm=1"], "a new one needs url="),
    ([], "required"),
])
def test_a_wrong_setting_is_exit_2(model, url, settings, reason):
    run = model("set", "m", *settings)
    assert run.returncode == 2 and reason in run.stderr and run.stderr.count("\n") == 1
    assert query(url, "select * from sluice.models") == []


@pytest.mark.parametrize("setting, reason", [
    ("rpm=many", 'rpm takes a whole number, not "many"'),
    ("rpm=", 'rpm takes a whole number, not ""; null takes a limit away'),
    ("rpm=99999999999", 'rpm: value "99999999999" is out of range for type integer'),
    ("input_price=1e200000", "input_price: value overflows numeric format"),
    ("paths=/single", 'paths takes a list such as {a,b}, not "/single"'),
    ("timeout=soon", 'timeout takes a duration such as 30s or 5m, not "soon"'),
    ("rpm=0", "rpm is between 1 and 6 million, not 0"),
    ("secret=sk-hush-hush", "secret is a reference: env:NAME or file:/path"),
    ("url=ftp://x", "url is http://… or https://…"),
    ("api=openai", 'there is no api "openai" (it is one of solve, openai-chat, '),
    ("backoff_base=0", "backoff_base is above 0"),
    ("breaker_failures=0", "breaker_failures and breaker_successes are at least 1"),
    ("hedge_max=11", "hedge_max 1 to 10"),
    ("name=any", "already the name of a route"),
])
def test_a_value_that_postgresql_refuses_is_exit_1_with_its_message(model, url, setting, reason):
    model("set", "m", "url=http://127.0.0.1:1")
    run = model("set", "m", setting)
    assert run.returncode == 1 and reason in run.stderr and run.stderr.count("\n") == 1
    assert "hush" not in run.stderr


def test_of_two_settings_with_one_value_the_misread_one_is_named(model, url):
    run = model("set", "m", "url=http://127.0.0.1:1", "upstream_model=60s", "rpm=60s")
    assert run.returncode == 1 and 'rpm takes a whole number, not "60s"' in run.stderr
    assert query(url, "select * from sluice.models") == []


def test_ls_fits_80_columns_and_json_has_it_all(model, url):
    model("set", "m" * 60, "url=http://127.0.0.1:1/" + "x" * 100, "rpm=60")
    table = model("ls", env={"COLUMNS": "80"}).stdout.splitlines()
    assert len(table) == 2 and all(len(line) <= 80 for line in table)
    row = json.loads(model("ls", "--json").stdout)
    assert (row["name"], row["rpm"], row["max_queue"]) == ("m" * 60, 60, None)
    assert "limits_changed_at" not in row


def test_pause_and_resume(model, url):
    model("set", "m", "url=http://127.0.0.1:1")
    assert model("pause", "m").returncode == 0
    assert column(url, "paused")
    assert model("resume", "m").returncode == 0
    assert not column(url, "paused")


@pytest.mark.parametrize("flags, until", [
    (["--for", "10m"], "closed_until between now() + interval '9 min' and "
        "now() + interval '10 min'"),
    (["--until", "2090-01-01 08:00+00"], "closed_until = '2090-01-01 08:00+00'"),
    (["--forever"], "closed_until = 'infinity'"),
    ([], "closed_until = 'infinity'")])
def test_close_until_a_time(model, url, flags, until):
    model("set", "m", "url=http://127.0.0.1:1")
    assert model("close", "m", "--reason", "billing", *flags).returncode == 0
    assert column(url, until) and column(url, "closed_reason") == "billing"
    assert model("resume", "m").returncode == 0
    assert column(url, "closed_until") is None


@pytest.mark.parametrize("flags, code",
    [(["--for", "10x"], 2), (["--for", "1h", "--forever"], 2), (["--until", "some day"], 1)])
def test_close_refuses_what_is_not_a_time(model, url, flags, code):
    model("set", "m", "url=http://127.0.0.1:1")
    run = model("close", "m", *flags)
    assert run.returncode == code and run.stderr.startswith("sluice: ")
    assert column(url, "closed_until") is None


@pytest.mark.parametrize("operation", ["pause", "resume", "close", "rm", "history"])
def test_an_unknown_model_is_exit_1(model, operation):
    run = model(operation, "nope")
    assert run.returncode == 1 and 'there is no model "nope"' in run.stderr


def test_rm_deletes_an_idle_model_only(model, url):
    model("set", "m", "url=http://127.0.0.1:1")
    task = query(url, "select sluice.submit('x', 'm')")[0][0]
    run = model("rm", "m")
    assert run.returncode == 1 and "unfinished tasks: 1" in run.stderr
    query(url, "select sluice.cancel(%s)", (task,))
    assert model("rm", "m").returncode == 0
    assert query(url, "select * from sluice.models") == []


def test_history_has_parkings(model, url):
    assert model("set", "m", "url=http://127.0.0.1:1").returncode == 0
    assert model("history", "m").returncode == 0
    query(url, "select sluice.close_model('m', 'infinity', 'credential: HTTP 401')")
    assert model("resume", "m").returncode == 0
    opened, parked = model("history", "m").stdout.splitlines()[1:]
    assert ("closed → parked" in parked and "credential" in parked and "401" not in parked
        and "parked → closed" in opened)


def test_a_reply_is_stored_beside_its_answer_where_it_is_to_be_kept(model, url, mock, worker):
    backend = mock()
    for name, settings in (("plain", []), ("kept", ["keep_response=true"])):
        assert model("set", name, f"url={backend.url}", *settings).returncode == 0
        submit(url, "question", model=name)
    worker(url)
    wait_ended(url, 2)
    assert query(url, "select model, answer is null, response::json ->> 'answer' = answer "
        "from sluice.tasks order by model") == [("kept", False, True), ("plain", False, None)]


def test_a_route_keeps_its_lines_while_a_model_joins_and_the_last_one_leaves(pg):
    url = pg.database()
    for name in ("a", "b"):
        add_model(url, name, "http://127.0.0.1:1")
    query(url, "insert into sluice.routes (route, model) values ('r', 'a')")
    with psycopg2.connect(url) as joins:
        joins.cursor().execute("insert into sluice.routes (route, model) values ('r', 'b')")
        query(url, "delete from sluice.routes where route = 'r' and model = 'a'")
    joins.close()
    assert query(url, "select sluice.submit('x', 'r') is not null") == [(True,)]
