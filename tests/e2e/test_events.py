"""settings.events: the ids of finished tasks on the channel sluice_done."""
import re
import select
import threading

import pytest
from conftest import Monitor, connect, query, wait_for
from queue_tools import add_model, submit_many, wait_ended


class Listener:
    """A session that listens on sluice_done."""

    def __init__(self, url):
        self.connection = connect(url)
        self.connection.cursor().execute("listen sluice_done")

    def heard(self):
        """The ids so far, in the order of their arrival."""
        select.select([self.connection], [], [], 0)
        self.connection.poll()
        return [int(task) for notice in self.connection.notifies
            for task in notice.payload.split(",")]

    def wait_for(self, ids):
        wait_for(lambda: len(self.heard()) >= len(ids), what=f"{len(ids)} ids")
        assert sorted(self.heard()) == sorted(ids)


@pytest.fixture
def listener():
    listeners = []

    def start(url):
        listeners.append(Listener(url))
        return listeners[-1]
    yield start
    for each in listeners:
        each.connection.close()


def switch(url, on):
    query(url, "update sluice.settings set events = %s", [on])


def test_each_finished_task_is_announced_once_while_events_are_on(pg, mock, worker, listener):
    url, backend = pg.database(), mock("--latency", "1ms-20ms")
    add_model(url, "m", backend.url, max_attempts=2, backoff_base="1 ms", backoff_max="1 ms")
    listening = listener(url)
    switch(url, True)
    worker(url)
    ids = submit_many(url, [f"prompt {i}" for i in range(1500)]
        + ["mock:status=400", "mock:status=500"])
    listening.wait_for(ids)
    assert wait_ended(url, len(ids)) == {"solved": 1500, "failed": 2}


def test_the_switch_is_followed_within_a_second_without_a_restart(pg, mock, worker, listener):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    listening = listener(url)
    process = worker(url)
    off = submit_many(url, [f"unheard {i}" for i in range(20)])
    wait_ended(url, len(off))
    switch(url, True)
    announced = []

    def is_on():
        announced.extend(submit_many(url, ["is it on?"]))
        wait_ended(url, len(off) + len(announced))
        return listening.heard()
    wait_for(is_on, 10, "the first id")
    assert not set(listening.heard()) & set(off)
    switch(url, False)
    # announce() looks at the setting itself: whatever the worker has heard, nothing is announced
    # from here on.
    more = submit_many(url, [f"unheard again {i}" for i in range(20)])
    wait_ended(url, len(off) + len(announced) + len(more))
    assert process.stop() == 0  # it has sent what it would send
    assert not set(listening.heard()) & set(more)


def test_what_ends_without_a_worker_is_announced_too(pg, mock, worker, listener):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    query(url, "update sluice.models set paused = true")
    listening = listener(url)
    switch(url, True)
    single, *many = submit_many(url, [f"prompt {i}" for i in range(5)])
    late = query(url, "select sluice.submit('late', 'm', "
        "deadline => clock_timestamp() + interval '200 ms')")[0][0]
    query(url, "select sluice.cancel(%s)", [single])
    listening.wait_for([single])
    worker(url)  # sweeps
    listening.wait_for([single, late])
    query(url, "select sluice.cancel_all('m')")
    listening.wait_for([single, late, *many])


def test_a_cancelled_running_task_is_announced(pg, mock, worker, listener):
    url, backend = pg.database(), mock("--latency", "60s")
    add_model(url, "m", backend.url)
    listening = listener(url)
    switch(url, True)
    worker(url)
    ids = submit_many(url, ["long"])
    wait_for(backend.arrivals, what="the call")
    query(url, "select sluice.cancel(%s)", ids)
    listening.wait_for(ids)


@pytest.fixture
def stuck_notifier(pg):
    """A function that makes a session hold the lock of all who notify: its commit waits for a
    standby that never comes."""
    threads, over = [], threading.Event()

    def settle(standbys):
        query(pg.url("postgres"), f"alter system set synchronous_standby_names = '{standbys}'")
        query(pg.url("postgres"), "select pg_reload_conf()")

    def notify(url):
        while not over.is_set():  # the first may be quicker than the setting
            query(url, "update sluice.settings set ageing = ageing; notify others")

    def start(url):
        settle("nobody")
        threads.append(threading.Thread(target=notify, args=[url]))
        threads[0].start()
        wait_for(lambda: query(url, "select 1 from pg_stat_activity where wait_event = 'SyncRep'"),
            what="the stuck commit")
    yield start
    over.set()
    settle("")
    for thread in threads:
        thread.join()


def test_other_sessions_notifications_delay_no_task(pg, mock, worker, listener, stuck_notifier):
    """Ids are dropped, counted, and said once."""
    url, backend = pg.database(), mock("--latency", "2s-3s")
    add_model(url, "m", backend.url)
    switch(url, True)
    process = worker(url, "--http", "127.0.0.1:0", env={"PGOPTIONS": "-c synchronous_commit=local"})
    monitor = Monitor(process)
    listening = listener(url)
    ids = submit_many(url, [f"prompt {i}" for i in range(20)])
    wait_for(lambda: len(backend.arrivals()) == len(ids), what="the calls")
    stuck_notifier(url)

    def dropped():
        return int(re.search(r"^sluice_worker_events_dropped_total (\d+)$",
                monitor.get("/metrics")[1], re.M)[1])
    wait_for(lambda: dropped() == len(ids), 30, "the drops")
    assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    assert not listening.heard()
    assert process.stderr().count("ids of finished tasks are dropped") == 1
