"""Thousands of random operations from several sessions, while their connections are cut at random
points; then everything must add up. TEST_PROPERTY_OPERATIONS says how many, and TEST_PROPERTY_SEED
repeats the choices of a run (not its timing)."""
import json
import os
import random
import threading
import time

import psycopg2

import pytest
from conftest import connect, query

pytestmark = pytest.mark.plain_build_only

OPERATIONS = int(os.environ.get("TEST_PROPERTY_OPERATIONS", 5_000))
# as far as they go on until all has happened once that is rare: a probe that fails, for one
OPERATIONS_MAX = max(20_000, 2 * OPERATIONS)
SESSIONS = 6
CUT_EVERY_S = 0.1
DRAIN_DEADLINE_S = 60
RPM_MAX = 1200
WINDOW_S = 60
TPM = 120_000
# of every task; with its short question none reserves more than 220, or uses more than it reserved
OUTPUT_TOKENS_MAX = 200
REQUEST_TOKENS_MAX = 220
TOKEN_WINDOW_S = 60.25    # what is settled later than that corrects nothing
# Model -> its columns beside those that all have. "limited" keeps its quota, that of "changing"
# moves; "fragile" breaks soon.
MODELS = {"plain": {}, "shallow": {"max_queue": 50}, "narrow": {"max_in_flight": 3},
    "limited": {"rpm": 600}, "changing": {"rpm": RPM_MAX}, "tokens": {"tpm": TPM},
    "fragile": {"breaker_failures": 2, "breaker_open": "50 ms", "breaker_successes": 1}}
TENANTS = {"default": {}, "weighty": {"weight": 5}, "slow": {"rpm": 300},
    "frugal": {"tpm": TPM // 2}, "small": {"max_unfinished": 40}}
# Without these it was not driven what is said to hold.
VARIETY = {"solved", "failed", "cancelled", "expired", "attempt retry", "attempt failed",
    "attempt lost", "attempt redriven", "closed -> open", "open -> half_open", "half_open -> open",
    "half_open -> closed"}
FINAL = {"solved", "failed", "cancelled"}
# Errors that a caller has to live with: a worker declared dead, a task that is not there, or not at
# its end, a tenant over its cap.
EXPECTED_ERRORS = {"SL010", "SL006", "SL004", "SL005", "SL003"}


class Ledger:
    """What the sessions were told; shared, behind one lock."""

    def __init__(self):
        self.lock = threading.Lock()
        # ids; doubtful: the answer of their COMMIT was cut off
        self.accepted, self.doubtful = set(), set()
        # task -> {(fence, worker, status)} that were called applied
        self.ends = {}
        # (task, fence) -> (model, tenant, started, reserved tokens)
        self.calls = {}
        self.errors = []
        self.operations = 0
        self.is_varied = False                        # all of VARIETY happened

    def goes_on(self):
        return self.operations < (OPERATIONS if self.is_varied
            else OPERATIONS_MAX) and not self.errors

    def tasks(self):
        with self.lock:
            return list(self.accepted)


class Session(threading.Thread):
    """One client that submits, works and administers, each operation in a transaction of its
    own."""

    def __init__(self, url, ledger, seed):
        super().__init__()
        self.url, self.ledger, self.random = url, ledger, random.Random(seed)
        self.connection = self.worker = self.pid = None
        self.held = []       # (worker, task, fence): perhaps lost meanwhile
        self.told = []       # outcomes reported before, to be repeated
        weights = {
            self.submit: 20,
            self.submit_many: 6,
            self.claim: 30,
            self.complete: 25,
            self.heartbeat: 5,
            self.cancel: 5,
            self.redrive: 4,
            self.wake: 6,
            self.tick: 2,
            self.recover: 2,
            self.sweep: 1,
            self.freeze: 1,
            self.pause: 1,
            self.close: 1,
            self.change_limit: 1,
            self.change_weight: 1,
            self.change_budget: 5,
            self.forget: 1,
            self.cancel_all: 1,
            self.redrive_all: 1,
            self.explain: 2}
        self.choices, self.weights = list(weights), list(weights.values())

    def run(self):
        try:
            while self.ledger.goes_on():
                self.step(self.random.choices(self.choices, self.weights)[0])
                with self.ledger.lock:
                    self.ledger.operations += 1
        except Exception as error:
            self.ledger.errors.append(repr(error))
            raise

    def step(self, operation):
        """Runs an operation; what it returns is called after the COMMIT, with whether its answer
        came."""
        try:
            if self.connection is None:
                self.connection = psycopg2.connect(self.url)
                self.pid = self.connection.get_backend_pid()
            with self.connection.cursor() as cursor:
                if self.worker is None:
                    self.worker = self.value(cursor,
                        "select sluice.register_worker('property', 50)")
                    self.connection.commit()
                after = operation(cursor)
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            self.reconnect(error)
            return
        except psycopg2.Error as error:
            if error.pgcode not in EXPECTED_ERRORS:
                raise
            self.worker = None if error.pgcode == "SL010" else self.worker
            self.end("rollback")
            return
        if self.random.random() < 0.01:
            self.connection.close()     # gone before the COMMIT
            self.connection = None
            return
        certain = self.end("commit")
        if after:
            after(certain)

    def end(self, how):
        """Commits or rolls back; whether the answer came."""
        try:
            getattr(self.connection, how)()
            return True
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            self.reconnect(error)
            return False

    def reconnect(self, error):
        # A cut is what is meant here; a deadlock is an OperationalError too.
        assert error.pgcode in (None, "57P01"), error
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def value(self, cursor, sql, parameters=()):
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0]

    def model(self):
        return self.random.choice([*MODELS, "all"])

    def accept(self, ids):
        def after(certain):
            with self.ledger.lock:
                (self.ledger.accepted if certain else self.ledger.doubtful).update(ids)
        return after

    def tenant(self):
        return self.random.choice(list(TENANTS))

    def soon(self, share, begin_ms=1):
        return ("clock_timestamp() + "
            f"interval '{self.random.randint(begin_ms, begin_ms + 199)} ms'"
            if self.random.random() < share else "null")

    def submit(self, cursor):
        run_at = self.soon(0.1)
        task = self.value(cursor, f"""
            select sluice.submit('question', %s, %s, %s, max_output_tokens => %s, batch_id => %s,
              run_at => {run_at},
              deadline => {self.soon(0.1, begin_ms=1 if run_at == "null" else 201)})""",
            [self.model(), self.random.randint(-2, 2), self.tenant(), OUTPUT_TOKENS_MAX,
                self.random.randint(1, 1000)])
        return self.accept([task])

    def submit_many(self, cursor):
        tasks = [{"prompt": "question", "model": self.model(),
                "priority": self.random.randint(-2, 2), "tenant": self.tenant(),
                "max_output_tokens": OUTPUT_TOKENS_MAX} for _ in range(self.random.randint(1, 20))]
        cursor.execute("select sluice.submit_many(%s)", [json.dumps(tasks)])
        return self.accept([row[0] for row in cursor.fetchall()])

    def claim(self, cursor):
        cursor.execute("select task_id, fence, model from sluice.claim(%s, null, %s)",
                       [self.worker, self.random.randint(1, 20)])
        claimed = cursor.fetchall()
        cursor.execute("select task_id, tenant, started_at, reserved_tokens from sluice.lease "
            "where task_id = any (%s)", [[c[0] for c in claimed]])
        leases = {task: (tenant, started.timestamp(), reserved)
            for task, tenant, started, reserved in cursor.fetchall()}
        worker = self.worker

        def after(_):
            # A claim that was rolled back may come again, as the same call.
            self.held += [call for call in [(worker, task, fence) for task, fence, _ in claimed]
                if call not in self.held]
            with self.ledger.lock:
                self.ledger.calls |= {(task, fence): (model, *leases[task])
                    for task, fence, model in claimed}
        return after

    def complete(self, cursor):
        """Some calls of one worker; now and then a report that came before, or one on a call that
        never was."""
        self.random.shuffle(self.held)
        worker = self.held[-1][0] if self.held else self.worker
        mine = [call for call in self.held if call[0] == worker][:self.random.randint(1, 20)]
        outcomes = [(task, fence, self.random.choices(
            ["solved", "failed", "retry", "throttled", "returned", "cancelled", "nonsense"],
            [50, 5, 20, 2, 10, 5, 2])[0])
            for _, task, fence in mine]
        if self.told and self.random.random() < 0.1:
            worker, outcomes = self.random.choice(self.told)
        elif outcomes and self.random.random() < 0.1:
            never = (outcomes[0][0], outcomes[0][1] + 1)
            outcomes += [(*never, "solved")] if (worker, *never) not in mine else []
        # A task that was refused, or never sent, used nothing; the others report their use: a
        # call's figures are always the same.
        cursor.execute(
            "select task_id, fence, applied from sluice.complete(%s, array(select row(t, f, k, "
            "'answer', null, 'error', null,"
            " null, 1, 7 * told, mod(t, 100) * told, null)::sluice.outcome"
            " from unnest(%s::bigint[], %s::int[], %s::text[]) o(t, f, k),"
            " lateral (select case when k not in ('throttled', 'returned') then 1 end as told) u))",
            [worker, *([list(column) for column in zip(*outcomes)] or [[], [], []])])
        applied = {(task, fence) for task, fence, is_applied in cursor.fetchall() if is_applied}

        def after(certain):
            # Whether applied or not: a report is repeated as it was, never changed.
            self.held = [call for call in self.held if call not in mine]
            self.told = [*self.told[-20:], (worker, outcomes)]
            with self.ledger.lock:
                for task, fence, kind in outcomes if certain else []:
                    if kind in FINAL and (task, fence) in applied:
                        self.ledger.ends.setdefault(task, set()).add((fence, worker, kind))
        return after

    def cancel(self, cursor):
        tasks = self.ledger.tasks()
        if tasks:
            cursor.execute("select sluice.cancel(%s)", [self.random.choice(tasks)])

    def redrive(self, cursor):
        tasks = self.ledger.tasks()
        if tasks:
            cursor.execute("select sluice.redrive(%s)", [self.random.choice(tasks)])

    def forget(self, cursor):
        tasks = self.ledger.tasks()
        if tasks:
            cursor.execute("select sluice.forget(%s)", [self.random.choice(tasks)])

    def explain(self, cursor):
        tasks = self.ledger.tasks()
        if tasks:
            assert self.value(cursor, "select sluice.explain(%s)", [self.random.choice(tasks)])

    def cancel_all(self, cursor):
        cursor.execute("select sluice.cancel_all(batch_id => %s)", [self.random.randint(1, 1000)])

    def redrive_all(self, cursor):
        cursor.execute("select sluice.redrive_all(%s)", [self.model()])

    def heartbeat(self, cursor):
        cursor.execute("select sluice.heartbeat(%s)", [self.worker])

    def freeze(self, cursor):
        """The worker falls silent; its calls are still on their way."""
        cursor.execute("update sluice.worker set seen = seen - interval '1 hour' where id = %s",
            [self.worker])

        def after(_):
            self.worker = None
        return after

    def wake(self, cursor):
        cursor.execute("select sluice.wake()")

    def tick(self, cursor):
        cursor.execute("select sluice.tick()")

    def recover(self, cursor):
        cursor.execute("select sluice.recover(%s)", [self.worker])

    def sweep(self, cursor):
        cursor.execute("select sluice.sweep()")

    def pause(self, cursor):
        cursor.execute(self.random.choice(["select sluice.pause(%s)", "select sluice.resume(%s)",
                    "select sluice.resume(%s)"]), [self.random.choice(list(MODELS))])

    def close(self, cursor):
        cursor.execute("select sluice.close_model(%s, "
            "clock_timestamp() + interval '50 ms', 'test')", [self.random.choice(list(MODELS))])

    def change_limit(self, cursor):
        cursor.execute("update sluice.models set rpm = %s where name = 'changing'",
                       [self.random.choice([60, 300, RPM_MAX])])

    def change_weight(self, cursor):
        cursor.execute("update sluice.routes set weight = %s where route = 'all' and model = %s",
                       [self.random.choice([0, 1, 5]), self.random.choice(list(MODELS))])

    def change_budget(self, cursor):
        """None, or one that is soon spent: what waits for it goes on when it is gone."""
        cursor.execute("delete from sluice.budgets")
        if self.random.random() < 0.5:
            cursor.execute("insert into sluice.budgets (name, scope, subject, limit_nanos) values "
                "('tight', 'tenant', 'weighty', 1000) on conflict do nothing")


def cut_connections(url, ledger, sessions, seed):
    """Ends the backends of random sessions, whatever they are at, until all sessions are through;
    tells them when that is."""
    choice = random.Random(seed)
    connection = connect(url)
    with connection.cursor() as cursor:
        while any(session.is_alive() for session in sessions):
            cursor.execute("select pg_terminate_backend(%s)", [choice.choice(sessions).pid or 0])
            ledger.is_varied = (ledger.is_varied or ledger.operations >= OPERATIONS
                and VARIETY <= happened(url))
            time.sleep(CUT_EVERY_S * choice.random() * 2)
    connection.close()


def make_models(url):
    for name, columns in MODELS.items():
        names = ", ".join(["name", "url", "backoff_base", "backoff_max", *columns])
        query(url, f"insert into sluice.models ({names}) "
            f"values ({', '.join(['%s'] * (4 + len(columns)))})",
            [name, "http://127.0.0.1:1", "1 ms", "10 ms", *columns.values()])
        query(url, "insert into sluice.routes values ('all', %s)", [name])
        query(url, "insert into sluice.prices (model, valid_from, input, output) "
            "values (%s, 'epoch', 1000000, 1000000)", [name])  # a nano-unit a token
    for name, columns in TENANTS.items():
        query(url, f"insert into sluice.tenants ({', '.join(['name', *columns])}) "
            f"values ({', '.join(['%s'] * (1 + len(columns)))})", [name, *columns.values()])
    query(url, "update sluice.settings set heartbeat_timeout = '1 second'")


def places(url):
    """Every (task, status) that a table holds."""
    return query(url, "select task_id, 'unsolved' from sluice.later union all select task_id, "
                      "'queued' from sluice.queue "
                      "union all select task_id, 'processing' from sluice.lease "
                      "union all select task_id, status from sluice.result")


def check_places(url, ledger):
    held = [task for task, _ in places(url)]
    tasks = {row[0] for row in query(url, "select id from sluice.task")}
    assert sorted(held) == sorted(tasks), "each task is in exactly one place"
    assert ledger.accepted <= tasks <= ledger.accepted | ledger.doubtful, (
        "what was accepted is there, and nothing else")


def check_ends(url, ledger):
    results = {task: (fence, worker, status) for task, fence, worker, status in query(url,
            "select task_id, fence, worker, status from sluice.result")}
    redriven = set(query(url,
        "select task_id, fence, worker from sluice.attempt where kind = 'redriven'"))
    for task, ends in ledger.ends.items():
        for fence, worker, status in ends:
            assert results.get(task) == (fence, worker, status) or (task, fence,
                worker) in redriven and status != "solved", (f"task {task} was told {ends}")


def check_views(url):
    counted = {}
    for _, status in places(url):
        counted[status] = counted.get(status, 0) + 1
    assert dict(query(url, "select status, count(*) from sluice.tasks group by status")) == counted
    tables = query(url, """
        select m.name, q.n, l.n from sluice.models m
        cross join lateral (select count(*) n from sluice.queue where model = m.id) q
        cross join lateral (select count(*) n from sluice.lease where model = m.id) l
          order by m.name""")
    assert query(url, "select model, depth, in_flight from sluice.queues order by model") == tables
    # A route's waiting tasks are shared out among its models: each counts once.
    assert query(url, "select sum(unfinished) from sluice.queues")[0][0] == sum(
        query(url, f"select count(*) from sluice.{place}")[0][0]
        for place in ("later", "queue", "lease"))


def most_within_a_minute(calls):
    """The greatest sum over any half-open window of a minute; calls: (time, units)."""
    calls, most, total, first = sorted(calls), 0, 0, 0
    for time_s, units in calls:
        total += units
        while calls[first][0] <= time_s - WINDOW_S:
            total -= calls[first][1]
            first += 1
        most = max(most, total)
    return most


def check_permits(ledger):
    for limited, who, most in (("limited", 0, 600), ("changing", 0, RPM_MAX), ("slow", 1, 300)):
        found = most_within_a_minute(
            [(call[2], 1) for call in ledger.calls.values() if call[who] == limited])
        assert 0 < found <= most, f"{found} calls of {limited} within a minute"


def used_tokens(url, ledger):
    """What each call used: as it was told in time, what it reserved if it is under way or lost,
    else nothing."""
    rows = query(url, """
        select task_id, fence, coalesce(input_tokens + output_tokens, 0),
          extract(epoch from finished_at - started_at)
        from sluice.result where worker is not null and started_at is not null
        union all
        select task_id, fence, coalesce(input_tokens + output_tokens, 0),
          extract(epoch from ended_at - started_at)
        from sluice.attempt where kind in ('retry', 'failed', 'redriven') and worker is not null""")
    told = {(task, fence): tokens if seconds < TOKEN_WINDOW_S else None
        for task, fence, tokens, seconds in rows}
    reserved = query(url, "select task_id, fence from sluice.lease union all select task_id, fence "
        "from sluice.attempt where kind = 'lost'")
    told |= {call: None for call in reserved}
    return {call: ledger.calls[call][3] if tokens is None else tokens
        for call, tokens in told.items()}


def check_tokens(url, ledger):
    used = used_tokens(url, ledger)
    for limited, who, tpm, account in (("tokens", 0, TPM, "select id from sluice.models"),
                                       ("frugal", 1, TPM // 2, "select -id from sluice.tenants")):
        calls = [(ledger.calls[call][2], tokens) for call, tokens in used.items()
            if ledger.calls[call][who] == limited]
        found = most_within_a_minute(calls)
        assert 0 < found < tpm + REQUEST_TOKENS_MAX, f"{found} tokens of {limited} within a minute"
        booked = query(url, "select sum(tokens) from sluice.spent "
            f"where account = ({account} where name = %s)", [limited])[0][0]
        assert booked == sum(tokens for _, tokens in calls), (
            f"what is booked to {limited} is what its calls used and reserve")


def happened(url):
    return {row[0] for row in query(url, """
        select status from sluice.result union select 'attempt ' || kind from sluice.attempt
        union select format('%s -> %s', from_state, to_state) from sluice.breaker_event""")}


def check_variety(url, ledger, seed):
    seen = happened(url)
    assert ledger.is_varied, (seed, VARIETY - seen)
    # no other end, no other move
    assert {each for each in seen if not each.startswith("attempt ")} <= VARIETY, seed


def tick(url):
    """Counts anew what rolled-back claims and completions counted, and finds what was committed
    late."""
    query(url, "select setval('sluice.sweep_after', 0)")
    query(url, "select sluice.tick()")


def claim_in_order(cursor, worker, model):
    """Claims for a model; of each lane its first tasks, in their order, unless deadlines order
    them."""
    cursor.execute("""
        select tableoid, rank, tenant, array_agg(task_id order by ready_at, task_id)
        from sluice.queue group by tableoid, rank, tenant having bool_and(deadline is null)""")
    lanes = [row[3] for row in cursor.fetchall()]
    cursor.execute("select task_id, fence from sluice.claim(%s, %s, 100)", [worker, [model]])
    claimed = cursor.fetchall()
    taken = {row[0] for row in claimed}
    for lane in lanes:
        ours = [task for task in lane if task in taken]
        assert ours == lane[:len(ours)], f"claims of {model} are in order"
    return claimed


def drain(url):
    """One worker finishes all there is."""
    query(url, "update sluice.settings set heartbeat_timeout = '1 hour'")
    query(url, "update sluice.worker set dead_at = clock_timestamp() where dead_at is null")
    query(url, "update sluice.tenants set rpm = null, tpm = null")
    query(url, "update sluice.models set rpm = null, tpm = null, max_in_flight = null, "
        "max_queue = null, paused = false, closed_until = null")
    query(url, "delete from sluice.breaker")  # random failures open them
    query(url, "delete from sluice.budgets")
    worker = query(url, "select sluice.register_worker('drain', 1000)")[0][0]
    connection = connect(url)
    deadline = time.monotonic() + DRAIN_DEADLINE_S
    with connection.cursor() as cursor:
        while any(status in ("unsolved", "queued", "processing") for _, status in places(url)):
            assert time.monotonic() < deadline, "some tasks never end"
            tick(url)
            for model in MODELS:
                claimed = claim_in_order(cursor, worker, model)
                cursor.execute(
                    "select sluice.complete(%s, array(select row(t, f, 'solved', 'answer', null, "
                    "null, null, null, null, null,"
                    " null, null)::sluice.outcome from unnest(%s::bigint[], %s::int[]) o(t, f)))",
                    [worker, *([list(column) for column in zip(*claimed)] or [[], []])])
    connection.close()


def test_everything_adds_up_after_random_operations(pg):
    seed = int(os.environ.get("TEST_PROPERTY_SEED", random.randrange(1_000_000)))
    print(f"TEST_PROPERTY_SEED={seed}")
    url = pg.database()
    make_models(url)
    ledger = Ledger()
    sessions = [Session(url, ledger, f"{seed}-{number}") for number in range(SESSIONS)]
    for session in sessions:
        session.start()
    cut_connections(url, ledger, sessions, seed)
    for session in sessions:
        session.join()
        if session.connection:
            session.connection.close()
    assert not ledger.errors, (seed, ledger.errors)

    check_places(url, ledger)
    check_ends(url, ledger)
    check_variety(url, ledger, seed)
    check_permits(ledger)
    check_tokens(url, ledger)
    # what waits in a route without weights counts for no model
    query(url, "update sluice.routes set weight = 1")
    tick(url)
    check_views(url)
    drain(url)
    check_places(url, ledger)
    check_views(url)
    check_ends(url, ledger)
