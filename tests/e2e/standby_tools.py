"""A primary and its streaming standby. Test files import the fixture and the class that they
use."""
import contextlib
import time

import pytest
from conftest import private_postgres, query, wait_for

SETTINGS = ["shared_buffers=16MB", "max_connections=50", "wal_receiver_status_interval=1s",
    "hot_standby=on"]


@contextlib.contextmanager
def private_servers():
    """A function that makes a PrivatePostgres, not started yet."""
    made = []

    def make(*settings):
        # The writes of a killed server are with the kernel: only a power cut, which no test
        # plays, needs a disk.
        made.append(private_postgres.PrivatePostgres(fsync=False, settings=[*SETTINGS, *settings]))
        return made[-1]
    try:
        yield make
    finally:
        for server in made:
            server.remove()


@pytest.fixture
def servers():
    with private_servers() as make:
        yield make


class Pair:
    """A primary and its streaming standby, in step; `url` leads to whichever takes writes."""

    def __init__(self, servers):
        self.primary, self.standby = servers(), servers()
        self.primary.start()
        self.standby.copy(self.primary, "-R")
        self.standby.start()
        hosts = f"{self.primary.directory},{self.standby.directory}"
        self.url = (f"postgresql:///postgres?host={hosts}&user=sluice"
                    "&target_session_attrs=read-write")

    def replicate_synchronously(self, synchronous_commit):
        for setting in ("synchronous_standby_names = '*'",
                f"synchronous_commit = '{synchronous_commit}'"):
            query(self.primary.url(), f"alter system set {setting}")
        query(self.primary.url(), "select pg_reload_conf()")
        wait_for(lambda: query(self.primary.url(),
            "select sync_state from pg_stat_replication") == [("sync",)], 20, "the standby")

    def restartpoint(self):
        """What the standby has replayed so far is on its disk."""
        query(self.primary.url(), "checkpoint")
        lsn = query(self.primary.url(), "select redo_lsn from pg_control_checkpoint()")[0][0]
        wait_for(lambda: query(self.standby.url(), "select pg_last_wal_replay_lsn() > %s",
                [lsn])[0][0], 20, "the replay")
        query(self.standby.url(), "checkpoint")
        assert query(self.standby.url(), "select redo_lsn >= %s from pg_control_checkpoint()",
            [lsn]) == [(True,)]

    def catch_up(self):
        """Waits until the standby has replayed all that the primary has written."""
        lsn = query(self.primary.url(), "select pg_current_wal_lsn()")[0][0]
        wait_for(lambda: query(self.standby.url(), "select pg_last_wal_replay_lsn() >= %s",
            [lsn])[0][0], 20, "the replay")

    def fail_over(self):
        """Kills the primary and promotes the standby; the moment at which it takes writes."""
        self.primary.kill()
        query(self.standby.url(), "alter system reset synchronous_standby_names")
        query(self.standby.url(), "select pg_reload_conf(), pg_promote(wait => true)")
        return time.monotonic()
