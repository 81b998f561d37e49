"""What the benches share: a private PostgreSQL with databases of their own, counters of rows, WAL
and dead tuples, and the tables in README.md and narrower.md. Every speed is a ratio within one run:
the machine is noisy, its absolute figures are not the claim.
"""
import contextlib
import importlib.machinery
import importlib.util
import json
import mmap
import os
import pathlib
import platform
import re
import shlex
import statistics
import subprocess
import sys
import textwrap
import time

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
# Each bench is one command, also on a machine that has nothing yet.
subprocess.run([SCRIPTS / "setup",
        "smoke" if pathlib.Path(sys.argv[0]).name == "smoke" else "bench"], check=True)
subprocess.run([SCRIPTS / "build", "sluice"], check=True)

import psycopg2

sys.path.insert(0, str(SCRIPTS))
from lab import ROOT, SLUICE, percentile  # the last for the benches

# where benches' tables stand
PAGES = [ROOT / "bench" / "README.md", ROOT / "bench" / "narrower.md"]
BATCH = 250  # tasks in a claim and in a completion

# Off for measuring only: what the operating system's cache does to a checkpoint is not what is
# compared.
SETTINGS = ["shared_buffers=512MB", "max_wal_size=8GB", "checkpoint_timeout=30min",
    "max_locks_per_transaction=1024"]


def load_script(path):
    """A program without the ending .py, as a module."""
    name = path.rpartition("/")[2]
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


private_postgres = load_script("scripts/private_postgres")

# One worker's life on the server's side: submit, claim, complete, each committed by itself, as a
# worker does it. In SQL, so that the client's own cost does not hide what is measured.
ROUNDS = """
create procedure bench_rounds(p_worker bigint, p_rounds int, p_submit jsonb, p_batch int)
  language plpgsql as $$
declare
  v_outcomes sluice.outcome[];
begin
  for i in 1 .. p_rounds loop
    if p_submit is not null then
      perform count(*) from sluice.submit_many(p_submit);
      commit;
    end if;
    select array_agg(row(c.task_id, c.fence, 'solved', repeat('a', 800), null, null, null, 200,
      null, 10, 10, null)::sluice.outcome)
    into v_outcomes from sluice.claim(p_worker, null, p_batch) c;
    commit;
    if v_outcomes is not null then
      perform count(*) from sluice.complete(p_worker, v_outcomes);
      commit;
    end if;
  end loop;
end
$$
"""


def claim_rate(session, tasks):
    """Tasks a second through claim and complete in SQL alone, BATCH at a time: what a drain can
    reach at most."""
    run(session, ROUNDS)
    worker = value(session, "select sluice.register_worker('floor', 1000)")
    begin = time.monotonic()
    run(session, "call bench_rounds(%s, %s, null, %s)", worker, -(-tasks // BATCH), BATCH)
    seconds = time.monotonic() - begin
    return value(session, "select count(*) from sluice.result") / seconds


class Server(contextlib.AbstractContextManager):
    """A private PostgreSQL, fsync on."""

    def __init__(self, settings=()):
        self.postgres = private_postgres.PrivatePostgres(fsync=True,
            settings=[*SETTINGS, *settings])

    def __enter__(self):
        try:
            self.postgres.start()
        except BaseException:
            self.postgres.remove()
            raise
        return self

    def __exit__(self, *_):
        self.postgres.remove()

    def database(self, name):
        """A new database with Sluice's schema; returns its URL."""
        with contextlib.closing(connect(self.postgres.url())) as session:
            run(session, f'create database "{name}" encoding \'UTF8\' template template0')
        url = self.postgres.url(name)
        subprocess.run([SLUICE, "migrate", "up", "--database-url", url], check=True,
            stdout=subprocess.DEVNULL)
        return url


MEMORY_BYTES_MAX = 16 << 30  # the largest run writes 7 GB of WAL, and its tables
MEMORY_BYTES_LEFT = 2 << 30  # free memory that is not touched: for everybody else
CHUNK_BYTES = 256 << 20  # mapped at a time
# a host takes free memory back in blocks of 2 MB or more, anywhere: one page is kept in each half
STRIDE_BYTES = 1 << 20
MADV_NOHUGEPAGE, MADV_POPULATE_WRITE = 15, 23  # of <sys/mman.h>


def free_memory_bytes():
    """Of the machine, or of the control group if that may have less."""
    free = int(re.search(r"^MemFree:\s+(\d+) kB",
            pathlib.Path("/proc/meminfo").read_text(), re.M)[1]) * 1024
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):  # "max"
            free = min(free, int(pathlib.Path(limit).read_text()))
    return free


@contextlib.contextmanager
def memory_at_hand():
    """Free memory that costs as much to get at the end of a run as at its beginning.

    The host of a virtual machine takes back memory that is free in it (page reporting); to touch
    such a page again costs 14 us, another one 2, and which come first is luck. A file cache that
    grows would seem to slow down whatever makes it grow. So all of it is touched once and given
    back but for single pages, which keep the free blocks too small to be taken.
    """
    chunks = []
    # a kernel before 5.14, or one that does not overcommit: the run is then as it would be without
    with contextlib.suppress(OSError):
        for _ in range(max(0,
                    min(free_memory_bytes() - MEMORY_BYTES_LEFT, MEMORY_BYTES_MAX)) // CHUNK_BYTES):
            chunk = mmap.mmap(-1, CHUNK_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            chunks.append(chunk)
            chunk.madvise(MADV_NOHUGEPAGE)
            chunk.madvise(MADV_POPULATE_WRITE)
    for chunk in chunks:
        for begin in range(0, CHUNK_BYTES, STRIDE_BYTES):
            chunk.madvise(mmap.MADV_DONTNEED, begin + mmap.PAGESIZE, STRIDE_BYTES - mmap.PAGESIZE)
    try:
        yield
    finally:
        for chunk in chunks:
            chunk.close()


def connect(url):
    session = psycopg2.connect(url)
    session.autocommit = True
    return session


def run(session, sql, *values):
    """The rows of a statement, or none."""
    with session.cursor() as cursor:
        cursor.execute(sql, values or None)
        return cursor.fetchall() if cursor.description else []


def value(session, sql, *values):
    return run(session, sql, *values)[0][0]


def add_models(session, count, **columns):
    """Models m1 ... m<count>, 200 an insert: each makes a table, and a transaction's locks are
    bounded."""
    names = ["name", "url", *columns]
    for first in range(1, count + 1, 200):
        values = "".join(", %s" for _ in columns)
        run(session, f"""insert into sluice.models ({', '.join(names)})
            select 'm' || n, 'http://127.0.0.1:1'{values} from generate_series(%s, %s) n""",
            *columns.values(), first, min(count, first + 199))


def task_batch(count, models=1, prompt_bytes=1000):
    """The argument of submit_many: `count` prompts, models in turn."""
    return json.dumps(
        [{"prompt": "p" * prompt_bytes, "model": f"m{n % models + 1}"} for n in range(count)])


# Two rows, durably, and nothing else: the floor of a submit.
BARE_TABLES = """
create table bare_task (id bigint generated always as identity primary key,
  created_at timestamptz default clock_timestamp(), prompt text);
create table bare_queue (row bigint generated always as identity primary key, id bigint,
  ready_at timestamptz default clock_timestamp())
"""


def bare_submit(prompt):
    """pgbench's script of it. Params: prompt: an SQL expression."""
    return (f"begin;\ninsert into bare_task (prompt) values ({prompt});"
        "\ninsert into bare_queue default values;\ncommit;\n")


def pgbench(url, script, clients, seconds):
    """The command: one thread, prepared statements. Params: script: a file."""
    return [private_postgres.newest_binaries() / "pgbench", "-n", "-M", "prepared", "-c",
        str(clients), "-j", "1", "-T", str(seconds), "-f", script, url]


def pgbench_figures(output):
    """(transactions a second, transactions) that pgbench printed."""
    return float(re.search(r"tps = ([0-9.]+)", output)[1]), int(
        re.search(r"actually processed: (\d+)", output)[1])


class Cost:
    """Rows written, WAL bytes and dead tuples since it was made; of one database, whose figures are
    quiet meanwhile."""

    def __init__(self, session):
        self.session = session
        self.begin = self._now()

    def _now(self):
        run(self.session, "select pg_stat_force_next_flush()")
        return run(self.session, """
            select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint,
              coalesce(sum(n_tup_upd + n_tup_del), 0)::bigint,
                   (pg_current_wal_lsn() - '0/0')::bigint
            from pg_stat_all_tables where schemaname in ('sluice', 'public')""")[0]

    def per_task(self, tasks):
        rows, dead, wal = self.so_far()
        return {"rows/task": rows / tasks, "WAL B/task": wal / tasks, "dead/task": dead / tasks}

    def so_far(self):
        """Rows, dead tuples, WAL bytes; the last of all databases."""
        return [now - then for now, then in zip(self._now(), self.begin)]


def cpu_s(pid):
    """Of a process and of the children that it has waited for."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid, field="VmHWM"):
    """A field of /proc/PID/status: VmHWM, what was resident at most; VmRSS, now."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", status, re.M)[1]) / 1024


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
        if line.startswith("model name")), "?")
    version = subprocess.check_output([private_postgres.newest_binaries() / "postgres", "-V"],
        text=True)
    return (f"{os.cpu_count()} cores ({model}), {platform.system()} "
            f"{platform.release().split('-')[0]}, PostgreSQL {version.split()[2]}, fsync on")


LINE_CHARS_MAX = 100  # of a page


def wrapped(line):
    return textwrap.fill(line, LINE_CHARS_MAX, subsequent_indent="  " if line.startswith("- ")
        else "", break_on_hyphens=False, break_long_words=False)


class Report:
    """A Markdown section: printed, and with --record put between its markers, wherever these
    are."""

    def __init__(self, name, pages=PAGES):
        self.name, self.pages = name, pages
        self.lines = []

    def say(self, text=""):
        """A line of a table as it is; prose as a page has it."""
        lines = [text] if text.startswith("|") else "\n".join(wrapped(line)
            for line in text.split("\n")).split("\n")
        self.lines += lines
        print("\n".join(lines), flush=True)

    def table(self, header, rows):
        widths = [max(len(str(row[n])) for row in [header, *rows]) for n in range(len(header))]
        line = lambda row: "| " + " | ".join(str(cell).ljust(width)
            for cell, width in zip(row, widths)) + " |"
        self.say(line(header))
        self.say("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        for row in rows:
            self.say(line(row))
        self.say()

    def finish(self, record):
        command = shlex.join(
            [str(pathlib.Path(sys.argv[0]).resolve().relative_to(ROOT)), *sys.argv[1:]])
        self.say(f"{time.strftime('%Y-%m-%d')}, {machine()}. The command:\n`{command}`.")
        if record:
            begin, end = f"<!-- {self.name} -->", f"<!-- /{self.name} -->"
            page = next((page for page in self.pages if begin in page.read_text()), None)
            if page is None:
                sys.exit(f"bench: no page has a place for {self.name}: {begin} … {end}")
            section = begin + "\n" + "\n".join(self.lines) + "\n" + end
            page.write_text(re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: section,
                page.read_text(), flags=re.S))


def progress(text):
    """A passing line on a terminal; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
