"""Reads on a hot standby: the views, the commands, and the front with --read-url. What a standby
cannot know is null, and a standby that fails stops nobody."""
import os
import re
import signal
import time

import pytest
from conftest import http, query, wait_for
from queue_tools import add_model, submit
from standby_tools import Pair, private_servers

pytestmark = pytest.mark.plain_build_only

# One of each kind of place where a task can be, and of each reason why it waits.
TASKS = """
    insert into sluice.tenants (name, rpm) values ('t', 60);
    insert into sluice.routes (route, model, weight) values ('r', 'limited', 1), ('r', 'free', 3);
    update sluice.settings set default_model = 'r';
    select sluice.submit('a', 'limited'), sluice.submit('b', 'limited', tenant => 't'),
      sluice.submit('c', 'free'), sluice.submit('d', 'r'),
      sluice.submit('e', 'free', run_at => now() + interval '1 hour'),
      sluice.submit('f', 'free', priority => 50);
"""
CALLS = """
    do $$
    declare
      v_worker bigint := sluice.register_worker('w', 5, array['free']);
    begin
      perform sluice.claim(v_worker, array['free'], 2);
      perform sluice.complete(v_worker, array(select row(l.task_id, l.fence, 'failed', null, null,
        'HTTP 400', 'http_400', 400, null, 1, 1, true)::sluice.outcome
        from sluice.lease l limit 1));
    end $$;
"""
READS = [
    "select * from sluice.queues", "select * from sluice.tasks", "select * from sluice.workers",
    "select * from sluice.dead_letters", "select * from sluice.attempts",
    "select * from sluice.breaker_events", "select * from sluice.history",
    "select * from sluice.jobs", "select * from sluice.audit_log", "select * from sluice.revisions",
    "select * from sluice.budget_events",
    "select * from sluice.overview()", "select sluice.show_overview()",
    "select * from sluice.model_limits('limited')", "select sluice.next_permit_at('limited')",
    "select * from sluice.call_counts()", "select * from sluice.queue_gauges()",
    "select * from sluice.fleet_gauges()", "select * from sluice.recent_ends()",
    "select * from sluice.recent_failures()", "select * from sluice.newest_ids()",
    "select * from sluice.list_tasks(0)", "select * from sluice.find_tasks(text => 'a')",
    "select * from sluice.dead_letter_groups()", "select * from sluice.history_of()",
    "select sluice.list_jobs(max_jobs => 20)",
    "select sluice.history_page('minute', null, null, null, null, 'none', 'json')",
    "select t.id, sluice.explain(t.id) from sluice.tasks t",
    "select t.id, (sluice.task(t.id)).status from sluice.tasks t",
    "select t.id, count(*) from sluice.tasks t, sluice.timeline(t.id) group by 1",
    "select t.id, sluice.show_timeline(t.id, null) from sluice.tasks t",
    "select t.id, a from sluice.tasks t left join sluice.attempts(t.id) a on true",
]


@pytest.fixture(scope="module")
def pair(sluice):
    """With two models, one limited, and tasks in all places. The tests add to it."""
    with private_servers() as make:
        yield filled(Pair(make), sluice)


def filled(pair, sluice):
    primary = pair.primary.url()
    assert sluice("migrate", "--database-url", primary).returncode == 0
    add_model(primary, "limited", "http://127.0.0.1:1", rpm=60, tpm=1000)
    add_model(primary, "free", "http://127.0.0.1:1")
    query(primary, TASKS)
    query(primary, CALLS + "select")
    pair.catch_up()
    return pair


@pytest.mark.parametrize("role", ["sluice_admin", "sluice"])
def test_what_is_read_on_the_primary_is_read_on_a_standby(pair, role):
    for sql in READS:
        rows = {server: query(getattr(pair, server).url(), f"set role {role}; {sql}")
            for server in ("primary", "standby")}
        assert len(rows["standby"]) == len(rows["primary"]), sql


def test_a_standby_tells_the_same_but_what_it_cannot_know(pair):
    primary, standby = pair.primary.url(), pair.standby.url()
    same = ("select model, depth, in_flight, unfinished, pressure, sustained_rpm, state "
        "from sluice.queues order by 1", "select id, status, model, attempts from sluice.tasks "
        "order by 1", "select workers from sluice.fleet_gauges()",
        "select model, queued, in_flight, waiting from sluice.queue_gauges() order by 1",
        "select model, depth, in_flight, unfinished from sluice.overview()")
    for sql in same:
        assert query(standby, sql) == query(primary, sql), sql
    unknown = ("select permits_now, next_permit_at from sluice.queues where model = 'limited'",
        "select permits_now, next_permit_at, tokens_free, next_tokens_at "
        "from sluice.model_limits('limited')",
        "select permits_now, next_permit_at from sluice.overview() where model = 'limited'",
        "select solved, failed, cancelled, expired, notify_usage from sluice.fleet_gauges()",
        "select began, ended from sluice.call_counts() where model = 'free'")
    for sql in unknown:
        assert {value for row in query(standby, sql) for value in row} == {None}, sql
        assert any(value is not None for row in query(primary, sql) for value in row), sql


def explanations(url):
    return dict(query(url, "select t.prompt, sluice.explain(t.id) from sluice.tasks t"))


def test_explain_says_what_a_standby_does_not_know(pair):
    query(pair.primary.url(), """select sluice.register_worker('w2', 5)""")
    pair.catch_up()
    told = explanations(pair.standby.url())
    assert told["a"].endswith("permits unknown on a standby (rpm 60, tpm 1000)"), told["a"]
    assert told["b"].endswith('permits of tenant "t" unknown on a standby (rpm 60)'), told["b"]
    assert told["d"].endswith("their permits unknown on a standby"), told["d"]
    same = {prompt: text for prompt, text in explanations(pair.primary.url()).items()
        if prompt in "cef"}
    assert {prompt: told[prompt] for prompt in same} == same
    why = query(pair.standby.url(), "select why from sluice.overview() where model = 'limited'")
    assert why == [("permits unknown on a standby (rpm 60, tpm 1000)",)]


def test_the_reading_commands_work_at_a_standby(pair, sluice):
    at = ["--database-url", pair.standby.url()]
    ended = query(pair.primary.url(), "select task_id from sluice.result")[0][0]
    for command in ("tasks", f"task {ended}", f"explain {ended}", "dead-letters", "model ls",
            "route ls", "tenant ls", "key ls", "job ls", "status --json", "top --json",
            "migrate status"):
        run = sluice(*command.split(), *at)
        assert run.returncode == 0 and run.stderr == "", (command, run)
    status = sluice("status", *at).stdout
    assert "read on a standby, which knows no permits" in status
    assert re.search(r"^limited +open .* - +normal", status, re.M), status
    top = sluice("top", "--once", "--interval", "500ms", *at).stdout
    assert "; a standby: rates unknown" in top, top
    doctor = sluice("doctor", *at)
    assert doctor.returncode == 1 and doctor.stderr == "", doctor
    assert doctor.stdout.startswith("standby: this server is a standby"), doctor.stdout
    assert "standby" not in sluice("status", "--database-url", pair.primary.url()).stdout


def metric(port, name):
    found = re.search(rf"^{re.escape(name)} (\S+)", http(port, "GET", "/metrics").body, re.M)
    return float(found[1]) if found else None


def ready(port):
    return http(port, "GET", "/readyz").json


def wait_for_reads(port, where):
    wait_for(lambda: ready(port).get("reads") == where, 30, f"reads to go to the {where}")


def answered_by(front):
    """Which server answers `GET /v1/queues` now: only the primary knows permits."""
    reply = http(front.port, "GET", "/v1/queues/limited")
    assert reply.status == 200, reply.body
    return "standby" if reply.json["permits_now"] is None else "primary"


@pytest.fixture
def front(pair, server):
    """A server that reads from the standby."""
    front = server(pair.primary.url(), env={"SLUICE_READ_URL": pair.standby.url()})
    wait_for_reads(front.port, "standby")
    return front


def ids_listed(port):
    return [task["id"] for task in http(port, "GET", "/v1/tasks?limit=100").json["data"]]


def test_lists_come_from_the_standby_and_a_task_from_the_primary(pair, front):
    assert answered_by(front) == "standby"
    query(pair.standby.url(), "select pg_wal_replay_pause()")
    made = http(front.port, "POST", "/v1/tasks", {"prompt": "new", "model": "free"}).json["id"]
    for path in (f"/v1/tasks/{made}", f"/v1/tasks/{made}/explain", f"/v1/tasks/{made}/timeline",
            f"/v1/tasks/{made}/texts", f"/v1/tasks/{made}?wait=10ms"):
        assert http(front.port, "GET", path).status == 200, path
    assert made not in ids_listed(front.port)
    assert http(front.port, "PATCH", "/v1/models/free", {"rpm": 7}).status == 200
    assert http(front.port, "GET", "/v1/models/free").json["rpm"] == 7
    assert http(front.port, "GET", "/v1/models/free/limits").json["permits_now"] is not None
    query(pair.standby.url(), "select pg_wal_replay_resume()")
    wait_for(lambda: made in ids_listed(front.port), what="the task in the list")
    for path in ("/v1/tasks/search?text=new", "/v1/dead-letters", "/v1/dead-letters/groups",
            "/v1/overview", "/v1/workers", "/v1/history", "/v1/queues"):
        assert http(front.port, "GET", path).status == 200, path
    assert http(front.port, "GET", "/v1/tasks?after=x").status == 400
    assert http(front.port, "GET", "/v1/history?step=x").json["error"]["code"] == "SL004"
    assert metric(front.port, "sluice_http_standby_used") == 1
    assert metric(front.port, "sluice_http_standby_lag_seconds") < 30
    assert metric(front.port, 'sluice_http_reads_total{server="standby"}') >= 10


def test_metrics_leave_out_what_a_standby_does_not_know(pair, front, server):
    direct = server(pair.primary.url())
    for name in ('sluice_results_total{status="failed"}', "sluice_notification_queue_usage"):
        wait_for(lambda: metric(direct.port, name) is not None, what=name)
        assert metric(front.port, name) is None, name
    for name in ('sluice_queue_depth{model="free",state="queued"}', "sluice_workers"):
        assert metric(front.port, name) == metric(direct.port, name) != None, name  # noqa: E711
    assert metric(direct.port, "sluice_http_standby_used") is None
    assert ready(direct.port) == {"ready": True}


def test_a_standby_that_is_gone_leaves_its_reads_to_the_primary(pair, front):
    pair.standby.stop("immediate")
    for _ in range(20):
        assert answered_by(front) in ("primary", "standby")
    wait_for_reads(front.port, "primary")
    assert ready(front.port) == {"ready": True, "reads": "primary",
        "standby": ready(front.port)["standby"]}
    assert answered_by(front) == "primary"
    assert metric(front.port, "sluice_http_standby_used") == 0
    pair.standby.start()
    wait_for_reads(front.port, "standby")
    wait_for(lambda: answered_by(front) == "standby", what="the standby to answer")
    log = front.stderr()
    assert log.count("reads go to the primary") == 1, log
    assert log.count("reads go to the standby") == 2, log


def test_a_mute_standby_holds_up_no_read_for_long(pair, front):
    sessions = [row[0] for row in query(pair.standby.url(),
        "select pid from pg_stat_activity where application_name = 'sluice'")]
    assert sessions
    for pid in sessions:
        os.kill(pid, signal.SIGSTOP)
    try:
        begun = time.monotonic()
        assert answered_by(front) == "primary"
        assert time.monotonic() - begun < 15  # 3 s, and the machine may be five times slower
        assert ready(front.port)["standby"] == "does not answer"
        assert answered_by(front) == "primary"
    finally:
        for pid in sessions:
            os.kill(pid, signal.SIGCONT)
    wait_for_reads(front.port, "standby")


def test_a_standby_that_is_far_behind_is_not_asked(pair, server):
    front = server(pair.primary.url(), "--read-url", pair.standby.url(), "--read-lag", "1s")
    wait_for_reads(front.port, "standby")
    query(pair.standby.url(), "select pg_wal_replay_pause()")
    made = submit(pair.primary.url(), "new", "free")
    wait_for_reads(front.port, "primary")
    assert re.fullmatch(r"is \d+ s behind", ready(front.port)["standby"])
    assert made in ids_listed(front.port)
    assert metric(front.port, "sluice_http_standby_lag_seconds") > 1
    query(pair.standby.url(), "select pg_wal_replay_resume()")
    wait_for_reads(front.port, "standby")


def test_a_standby_that_followed_a_lost_primary_is_not_asked(pair, server, sluice):
    """As after a failover to another standby that had seen less."""
    query(pair.primary.url(), "create temporary table written (); "
        "do $$ begin for i in 1 .. 3000 loop begin insert into written default values; "
        "exception when others then raise; end; end loop; end $$; select")
    pair.catch_up()
    with private_servers() as make:
        promoted = make()
        promoted.start()
        assert sluice("migrate", "--database-url", promoted.url()).returncode == 0
        front = server(promoted.url(), "--read-url", pair.standby.url())
        wait_for(lambda: ready(front.port).get("standby")
            == "has what the primary lacks: it followed another one", what="its word")
        assert ready(front.port)["reads"] == "primary" and ids_listed(front.port) == []


def test_a_read_whose_session_ends_is_repeated(pair, front):
    for _ in range(5):
        ended = query(pair.standby.url(), "select count(pg_terminate_backend(pid)) "
            "from pg_stat_activity where application_name = 'sluice'")
        assert http(front.port, "GET", "/v1/queues").status == 200, ended
    wait_for_reads(front.port, "standby")


def test_a_read_url_that_leads_to_no_standby_is_said_and_harms_nobody(pair, server):
    front = server(pair.primary.url(), "--read-url", pair.primary.url())
    wait_for(lambda: ready(front.port).get("standby") == "is no standby", what="its word")
    assert answered_by(front) == "primary"
    front = server(pair.primary.url(), "--read-url",
        "postgresql://someone:hush-hush@127.0.0.1:1/nowhere?connect_timeout=2")
    wait_for(lambda: ready(front.port).get("standby") == "cannot be reached", what="its word")
    assert answered_by(front) == "primary" and "hush" not in front.stderr()
    with open(f"/proc/{front.pid}/cmdline", "rb") as file:
        assert b"hush" not in file.read()


def test_of_several_servers_a_standby_is_read(pair, server):
    hosts = f"{pair.primary.directory},{pair.standby.directory}"
    front = server(pair.primary.url(), "--read-url",
        f"postgresql:///postgres?host={hosts}&user=sluice")
    wait_for_reads(front.port, "standby")
    assert answered_by(front) == "standby"


def test_a_standby_of_the_next_schema_is_read(pair, front):
    version = query(pair.primary.url(), "select max(version) from sluice.migration")[0][0]
    query(pair.primary.url(), "insert into sluice.migration (version, name, sha256, serves_from) "
        "values (9999, '9999_next.sql', 'x', %s)", [version])
    pair.catch_up()
    looked = metric(front.port, 'sluice_http_reads_total{server="standby"}')
    wait_for(lambda: answered_by(front) == "standby"
        and metric(front.port, 'sluice_http_reads_total{server="standby"}') > looked + 3,
        what="reads from it")
