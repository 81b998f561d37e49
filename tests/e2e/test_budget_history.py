"""Budgets hold in every committed state: what was held and spent is replayed in the order of the
commits. TEST_BUDGET_RUNS says how many random histories (10,000 take some hours),
TEST_BUDGET_SEED the first one's seed: it repeats the choices, not their timing."""
import contextlib
import os
import random
import threading

import psycopg2
import pytest
from conftest import Databases, connect, private_postgres, query, roomy_parent

pytestmark = pytest.mark.plain_build_only

RUNS = int(os.environ.get("TEST_BUDGET_RUNS", 8))
SEED = int(os.environ.get("TEST_BUDGET_SEED", 1))
WORKERS = 4
STEPS = 40          # of each worker
FRAME_TOKENS = 64   # sluice.frame_tokens(false)
CLAIMERS = 64
ROUNDS = int(os.environ.get("TEST_BUDGET_ROUNDS", 4))  # of all claimers against one budget
CALLS = 100         # that it is worth
# What a caller may meet: a dead worker; prices that changed between two statements of a claim.
EXPECTED_ERRORS = {"SL010", "40001"}

# More in one window than its budget allows, after any commit.
EXCESSES = """
    select b.name, c.total, b.limit_nanos from sluice.budgets b cross join lateral (
      select sum(sum(s.nanos)) over (partition by s.window_from order by s.committed, s.xact)
        as total
      from (select s.nanos, s.xmin::text as xact, pg_xact_commit_timestamp(s.xmin) as committed,
              case when b.period = 'rolling' then 'epoch' else sluice.window_from(b, s.at) end
                as window_from
            from sluice.budget_spent s where s.budget = b.id) s
      group by s.window_from, s.committed, s.xact) c
    where c.total > b.limit_nanos"""
# Accounts that are not the sum of their calls.
DIFFERENCES = """
    select b.name, s.nanos, c.nanos from sluice.budgets b
    cross join lateral (select coalesce(sum(nanos), 0) as nanos from sluice.budget_spent
      where budget = b.id) s
    cross join lateral (select coalesce(sum(nanos), 0) as nanos from sluice.budget_call
      where budget = b.id) c
    where s.nanos <> c.nanos"""
# Calls that are not booked with what results and attempts say, or held though nobody has them.
WRONG_CALLS = """
    select c.task_id, c.fence, c.state, c.nanos, a.cost from sluice.budget_call c
    cross join lateral (
      select coalesce((select r.cost from sluice.result r
          where r.task_id = c.task_id and r.fence = c.fence),
        (select max(a.cost) from sluice.attempt a
          where a.task_id = c.task_id and a.fence = c.fence)) * 1000000000 as cost) a
    where c.call = 0 and (
      c.state = 'spent' and c.nanos <> coalesce(a.cost, 0)
      or c.state = 'kept' and a.cost is not null
      or c.state = 'held' and not exists (select from sluice.lease l
        where l.task_id = c.task_id and l.fence = c.fence))"""


@pytest.fixture(scope="module")
def databases():
    server = private_postgres.PrivatePostgres(fsync=False, parent=roomy_parent(),
        settings=["track_commit_timestamp=on", "max_connections=120"])
    try:
        server.start()
        yield Databases(server)
    finally:
        server.remove()


def in_threads(count, work):
    """Runs work(number) in `count` threads, and raises what one of them raised."""
    failures = []

    def guarded(number):
        try:
            work(number)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_64_claimers_take_exactly_what_a_budget_is_worth(databases):
    url = databases.database()
    models = [f"m{number}" for number in range(4)]
    for model in models:
        query(url, "insert into sluice.models (name, url) values (%s, 'http://127.0.0.1:1')",
            [model])
        query(url, "insert into sluice.prices (model, valid_from, input, output) "
            "values (%s, 'epoch', 1000000, 1000000)", [model])
    prompt = "x" * 30   # 30 + 64 + 6 tokens at 1 nano-unit: 100
    with contextlib.ExitStack() as stack:
        # The same sessions in each round: a new one first parses all that a claim calls.
        cursors = [stack.enter_context(contextlib.closing(connect(url))).cursor()
            for _ in range(CLAIMERS)]
        for number in range(ROUNDS):
            claim_all(url, cursors, models, f"t{number}", prompt)
    assert query(url, EXCESSES) == [] and query(url, DIFFERENCES) == []


def claim_all(url, cursors, models, tenant, prompt):
    query(url, "insert into sluice.budgets (name, scope, subject, period, rolling, limit_nanos) "
        "values (%s, 'tenant', %s, 'rolling', '1 day', %s)", [tenant, tenant, CALLS * 100 + 99])
    for model in models:
        query(url, "select sluice.submit(%s, %s, tenant => %s, max_output_tokens => 6) "
            "from generate_series(1, %s)", [prompt, model, tenant, CALLS // 3])

    def claim(number):
        cursor = cursors[number]
        cursor.execute("select sluice.register_worker('w', 8)")
        worker = cursor.fetchone()[0]
        waiting = True
        while waiting:
            cursor.execute("select count(*) from sluice.claim(%s, null, 3)", [worker])
            cursor.execute("select exists (select from sluice.queue where tenant = %s)", [tenant])
            waiting = cursor.fetchone()[0]

    in_threads(CLAIMERS, claim)
    assert query(url, "select count(*) from sluice.lease where tenant = %s", [tenant]) == [(CALLS,)]


class Run:
    """One random history: its models, budgets and tasks are named by its number."""

    def __init__(self, url, number):
        self.url = url
        self.number = number
        self.random = random.Random(number)
        self.models = [f"a{number}", f"b{number}"]
        self.tenants = [f"s{number}", f"t{number}"]
        self.lost = []   # (worker, task, fence, input max, output max) whose outcomes may come late
        self.lock = threading.Lock()

    def price(self, choose):
        nanos = {name: choose.randint(1, 9) * 1_000_000 for name in
            ("input", "cached_input", "cache_write", "output")}
        nanos["per_request"] = choose.randint(0, 50)
        return nanos

    def set_price(self, cursor, model, choose):
        nanos = self.price(choose)
        cursor.execute(f"insert into sluice.prices (model, {', '.join(nanos)}) "
            f"values (%s, {', '.join(['%s'] * len(nanos))})", [model, *nanos.values()])

    def prepare(self):
        with contextlib.closing(connect(self.url)) as session, session.cursor() as cursor:
            for model in self.models:
                cursor.execute("insert into sluice.models (name, url, hedge_after, hedge_budget, "
                    "backoff_base, backoff_max, breaker_failures) values "
                    "(%s, 'http://127.0.0.1:1', '1 ms', 1, '1 ms', '1 ms', 1000000)", [model])
                self.set_price(cursor, model, self.random)
            scopes = [("tag", f"run={self.number}"), ("tenant", self.tenants[0]),
                ("model", self.models[0])]
            for scope, subject in scopes[:self.random.randint(1, 3)]:
                period = self.random.choice(["day", "month", "rolling"])
                cursor.execute("insert into sluice.budgets (name, scope, subject, period, rolling, "
                    "zone, limit_nanos, at_limit) values (%s, %s, %s, %s, %s, %s, %s, %s)",
                    [f"{scope}{self.number}", scope, subject, period,
                        "1 day" if period == "rolling" else None,
                        self.random.choice(["UTC", "Europe/Prague", "Asia/Kathmandu"]),
                        self.random.randint(2_000, 12_000),
                        self.random.choice(["park", "refuse"])])

    def submit(self, cursor, choose):
        cursor.execute("select sluice.submit(%s, %s, tenant => %s, max_output_tokens => %s, "
            "metadata => %s)", ["x" * choose.randint(1, 100), choose.choice(self.models),
                choose.choice(self.tenants), choose.randint(1, 50),
                f'{{"run": "{self.number}"}}'])

    def outcome(self, choose, call):
        """(kind, error code, input, output, billed, cached, written) of a call."""
        _, _, input_max, output_max = call
        tokens = choose.randint(0, input_max)
        cached = choose.randint(0, tokens)
        used = (tokens, choose.randint(0, output_max))
        parts = (cached, choose.randint(0, tokens - cached))
        return choose.choice([("solved", None, *used, True, *parts),
            ("solved", None, *used, True, *parts), ("solved", None, None, None, None, None, None),
            ("retry", "http_500", None, None, None, None, None),
            ("retry", "http_500", *used, None, *parts), ("failed", "http_400", None, None, False,
                None, None), ("returned", None, None, None, None, None, None)])

    def complete(self, cursor, worker, call, choose):
        task, fence, _, _ = call
        kind, code, tokens, output, billed, cached, written = self.outcome(choose, call)
        cursor.execute("select sluice.complete_with_usage(%s, array[row(%s, %s, %s, 'a', null, "
            "'e', %s, 200, null, %s, %s, %s)::sluice.outcome], "
            "array[row(%s, %s, null)::sluice.usage])",
            [worker, task, fence, kind, code, tokens, output, billed, cached, written])

    def claim(self, cursor, worker, choose):
        cursor.execute("select c.task_id, c.fence, octet_length(c.prompt) + %s, "
            "c.max_output_tokens from sluice.claim(%s, %s, %s) c",
            [FRAME_TOKENS, worker, self.models, choose.randint(1, 5)])
        return cursor.fetchall()

    def step(self, cursor, worker, held, choose):
        """Does something; returns the worker that goes on."""
        what = choose.choices(["submit", "claim", "undone claim", "complete", "hedge", "price",
            "crash", "late", "wake"], [6, 6, 1, 6, 2, 1, 1, 2, 3])[0]
        if what == "submit":
            self.submit(cursor, choose)
        elif what == "claim":
            held += self.claim(cursor, worker, choose)
        elif what == "undone claim":
            cursor.execute("begin")
            self.claim(cursor, worker, choose)
            cursor.execute("rollback")
        elif what == "complete" and held:
            self.complete(cursor, worker, held.pop(choose.randrange(len(held))), choose)
        elif what == "hedge" and held:
            cursor.execute("select sluice.hedge(%s, %s, %s)", [worker, *choose.choice(held)[:2]])
        elif what == "price":
            self.set_price(cursor, choose.choice(self.models), choose)
        elif what == "wake":
            cursor.execute("select sluice.wake()")
        elif what == "late":
            with self.lock:
                lost = self.lost.pop() if self.lost else None
            if lost:
                self.complete(cursor, *lost, choose)
        elif what == "crash":
            with self.lock:
                self.lost += [(worker, call) for call in held]
            held.clear()
            cursor.execute("update sluice.worker set dead_at = clock_timestamp() where id = %s",
                [worker])
            cursor.execute("select sluice.recover()")
            return self.register(cursor)
        return worker

    def register(self, cursor):
        cursor.execute("select sluice.register_worker('w', 8, %s)", [self.models])
        return cursor.fetchone()[0]

    def work(self, number):
        choose = random.Random(f"{self.number} {number}")
        with contextlib.closing(connect(self.url)) as session, session.cursor() as cursor:
            worker = self.register(cursor)
            held = []
            for _ in range(STEPS):
                try:
                    worker = self.step(cursor, worker, held, choose)
                except psycopg2.Error as error:
                    if error.pgcode not in EXPECTED_ERRORS:
                        raise
            cursor.execute("select sluice.unregister_worker(%s)", [worker])


def test_random_histories_never_exceed_a_budget(databases):
    url = databases.database()
    query(url, "select count(nextval('sluice.hedge_calls')) from generate_series(1, 1000)")
    happened = {}
    for number in range(SEED, SEED + RUNS):
        run = Run(url, number)
        run.prepare()
        in_threads(WORKERS, run.work)
        what = f"TEST_BUDGET_SEED={number}"
        assert query(url, EXCESSES) == [], what
        assert query(url, DIFFERENCES) == [], what
        assert query(url, WRONG_CALLS) == [], what
        assert query(url, "select * from sluice.budget_call where state = 'held'") == [], what
        for kind, count in query(url, """
                select state || case when call > 0 then ' extra' else '' end, count(*)
                from sluice.budget_call group by 1 union all
                select 'over a budget', count(*) from sluice.budget_wait union all
                select 'refused', count(*) from sluice.result where error_code = 'over_budget'
                union all select 'late', count(*) from sluice.attempt where kind = 'late'"""):
            happened[kind] = happened.get(kind, 0) + count
        query(url, "delete from sluice.budgets")
        query(url, "update sluice.models set paused = true where not paused")
    print(happened)
    if RUNS >= 8:   # without these it was not driven what is said to hold
        assert {"spent", "kept", "kept extra", "over a budget", "late"} <= {
            kind for kind, count in happened.items() if count > 0}, happened
