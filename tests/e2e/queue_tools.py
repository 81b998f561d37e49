"""What the end-to-end tests of the queue say again and again."""
import json
from collections import Counter

from conftest import ROOT, query, wait_for


def as_user(url, user):
    return url.replace("user=sluice", f"user={user}")


def add_model(url, name, backend, **columns):
    names = ["name", "url", *columns]
    query(url, f"insert into sluice.models ({', '.join(names)}) "
        f"values ({', '.join(['%s'] * len(names))})", [name, backend, *columns.values()])


def submit(url, prompt, model="m", **arguments):
    named = "".join(f", {name} => %s" for name in arguments)
    return query(url, f"select sluice.submit(%s, %s{named})",
        [prompt, model, *arguments.values()])[0][0]


def submit_many(url, prompts, model="m"):
    tasks = json.dumps([{"prompt": prompt, "model": model} for prompt in prompts])
    return [row[0] for row in query(url, "select sluice.submit_many(%s::jsonb)", [tasks])]


def statuses(url):
    return dict(query(url, "select status, count(*) from sluice.result group by status"))


def wait_ended(url, count, deadline_s=60):
    """Waits until `count` tasks have a result; their statuses."""
    wait_for(lambda: sum(statuses(url).values()) >= count, deadline_s,
        f"{count} results, not {statuses(url)}")
    return statuses(url)


def note_as_before_baseline(last):
    """SQL: the migrations up to 22 that sluice.migration names are those that the baseline
    replaces, up to version `last`."""
    lines = (
        ROOT / "tests/e2e/migrations_before_baseline.txt").read_text(encoding="utf-8").splitlines()
    rows = [(version, *reversed(line.split()))
        for version, line in enumerate(lines, 1) if version <= last]
    return ("delete from sluice.migration where version <= 22;"
        "insert into sluice.migration (version, name, sha256) "
        f"values {', '.join(map(repr, rows))};")


def assert_each_ended_once(url, ids):
    """Every accepted task has exactly one result and is nowhere else."""
    places = query(url, """
        select task_id from sluice.result union all select task_id from sluice.later union all
        select task_id from sluice.queue union all select task_id from sluice.lease""")
    assert Counter(row[0] for row in places) == Counter(ids)
    assert {row[0] for row in query(url, "select task_id from sluice.result")} == set(ids)


def assert_no_fence_twice(mock):
    """No claim of a task was ever sent twice."""
    sent = Counter(task for arrival in mock.arrivals() for task in arrival["tasks"])
    assert [task for task, count in sent.items() if count > 1] == []


def set_heartbeat_timeout(url, interval):
    query(url, "update sluice.settings set heartbeat_timeout = %s", [interval])


def wait_idle(url, workers=1):
    """Waits until that many workers are registered and one of them watches and has its locks."""
    wait_for(lambda: query(url, "select count(*) from sluice.workers where alive")[0][0] >= workers,
        20, "workers")
    wait_for(lambda: query(url, """
        select count(*) from pg_locks
        where locktype = 'advisory' and classid = sluice.lock_class('sleeper')
          and mode = 'ExclusiveLock' and granted
          and database = (select oid from pg_database where datname = current_database())""")[0][0],
        20, "a sleeper")
