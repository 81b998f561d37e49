"""Large requests: the worker's memory for those under way is bounded, and its loop goes on for
everybody else's calls."""
import re
import socketserver
import threading
from contextlib import closing

from conftest import Monitor, connect, memory_bytes, query, unless_instrumented, wait_for
from queue_tools import add_model, as_user, submit, wait_ended
from scripted_backend import response

MEMORY = 64 << 20
OTHERS_S_MAX = 3  # on a machine that has other tests to do; alone it is some 0.1
ANSWER = response(200, b'{"answer":"a"}')


class Sink(socketserver.ThreadingTCPServer):
    """A backend that reads requests without looking at them, as `reads` allows, and answers when it
    has read all of one."""
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, reads=True):
        self.reads, self.arrived, self.over = reads, [], threading.Event()
        super().__init__(("127.0.0.1", 0), None)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def finish_request(self, request, _address):
        try:
            head, _, body = self.head_of(request).partition(b"\r\n\r\n")
            left = int(re.search(rb"content-length: (\d+)", head.lower())[1])
            self.arrived.append(left)
            if not self.reads:
                self.over.wait(120)
                return
            left -= len(body)
            while left > 0:
                left -= len(request.recv(1 << 20)) or left
            request.sendall(ANSWER)
        except OSError:
            pass  # the worker hung up

    @staticmethod
    def head_of(request):
        received = b""
        while b"\r\n\r\n" not in received and (more := request.recv(4096)):
            received += more
        return received

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()


def submit_large(url, count, prompt, model):
    """The texts are the server's own: nothing large goes there."""
    query(url, f"select sluice.submit({prompt}, %s) from generate_series(1, {count})", [model])


def ready_worker(worker, url, *flags):
    process = worker(url, "--http", "127.0.0.1:0", "--request-memory", MEMORY, *flags)
    monitor = Monitor(process)
    wait_for(lambda: monitor.get("/readyz")[0] == 200, 20, "readiness")
    return process, monitor


def gauge(monitor, name):
    return float(re.search(rf"^{name} (\S+)", monitor.get("/metrics")[1], re.M)[1])


def slowest_s(url, model):
    return query(url, "select max(extract(epoch from finished_at - created_at)) "
        "from sluice.tasks where model = %s", [model])[0][0]


@unless_instrumented
def test_large_prompts_that_are_all_escapes_hold_up_no_other_model(pg, worker, mock):
    with Sink() as sink:
        url = pg.database()
        add_model(url, "large", sink.url)
        add_model(url, "m", mock("--latency", "100%:0ms").url)
        process, monitor = ready_worker(worker, url)
        submit(url, "warm up")
        wait_ended(url, 1)
        submit_large(url, 40, "repeat(chr(1), 5000000)", "large")

        def others():
            submit(url, "prompt")
            return query(url, "select count(*) from sluice.tasks "
                "where model = 'large' and status = 'solved'") == [(40,)]
        wait_for(others, 120, "the large ones")
        assert slowest_s(url, "m") < OTHERS_S_MAX
        assert set(sink.arrived) == {6 * 5_000_000 + len('{"model":"large","prompt":""}')}
        wait_for(lambda: gauge(monitor, "sluice_request_memory_bytes") == 0, 10,
            "their memory to be given back")
        assert memory_bytes(process.pid, "VmHWM") < 250 << 20


@unless_instrumented
def test_large_prompts_for_a_backend_that_reads_nothing_take_bounded_memory(pg, worker, mock):
    with Sink(reads=False) as sink:
        url = pg.database()
        add_model(url, "mute", sink.url)
        add_model(url, "m", mock("--latency", "100%:0ms").url)
        process, monitor = ready_worker(worker, url)
        submit_large(url, 60, "repeat('x', 20000000)", "mute")
        wait_for(lambda: query(url, "select count(*) from sluice.lease") == [(60,)],
            30, "the calls")
        wait_for(lambda: len(sink.arrived) >= 2, 30, "those that have room")
        for i in range(20):
            submit(url, f"prompt {i}")
        wait_for(lambda: query(url,
            "select count(*) from sluice.tasks where model = 'm' and status = 'solved'") == [(20,)],
            20, "the others")
        assert slowest_s(url, "m") < OTHERS_S_MAX
        assert 0 < gauge(monitor, "sluice_request_memory_bytes") <= MEMORY + (20 << 20)
        assert memory_bytes(process.pid, "VmHWM") < 250 << 20


# Fetches wait while somebody holds lock 1.
SLOW_REQUESTS = r"""
    do $$ begin
      execute regexp_replace(pg_get_functiondef('sluice.requests(bigint, bigint[])'::regprocedure),
        '\nbegin\n', E'\nbegin perform pg_advisory_xact_lock_shared(1);\n');
    end $$"""
WAITING = "select pid from pg_locks where locktype = 'advisory' and objid = 1 and not granted"


def solved(url, model):
    return query(url, "select count(*) from sluice.tasks where model = %s and status = 'solved'",
        [model])[0][0]


def test_others_tasks_begin_while_a_large_request_is_fetched(pg, worker, mock):
    url = pg.database()
    for model in ("large", "m"):
        add_model(url, model, mock("--latency", "100%:0ms").url)
    query(url, SLOW_REQUESTS)
    ready_worker(worker, url)
    with closing(connect(url)) as session, session.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(1)")
        submit_large(url, 2, "repeat('x', 100000)", "large")
        wait_for(lambda: query(url, WAITING), what="the fetch")
        submit(url, "prompt")
        wait_for(lambda: solved(url, "m") == 1, what="the small task")
        # a session that is lost is opened anew
        query(url, f"select pg_terminate_backend(pid) from ({WAITING}) w")
        wait_for(lambda: query(url, WAITING), what="the next fetch")
    wait_for(lambda: solved(url, "large") == 2, what="the large ones")


def test_a_worker_ends_while_a_large_request_is_fetched(pg, worker, mock):
    url = pg.database()
    add_model(url, "large", mock("--latency", "100%:0ms").url)
    query(url, SLOW_REQUESTS)
    process, _ = ready_worker(worker, url, "--drain-timeout", "1ms")
    with closing(connect(url)) as session, session.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(1)")
        submit_large(url, 1, "repeat('x', 100000)", "large")
        wait_for(lambda: query(url, WAITING), what="the fetch")
        assert process.stop() == 0
        assert query(url, "select count(*) from sluice.lease") == [(0,)]


def test_large_requests_come_also_where_there_is_no_session_for_them(pg, worker, mock):
    url = pg.database()
    add_model(url, "large", mock("--latency", "100%:0ms").url)
    query(url, "create role of_three login connection limit 3 in role sluice_worker")
    process, _ = ready_worker(worker, as_user(url, "of_three"))
    submit_large(url, 2, "repeat('x', 100000)", "large")
    wait_for(lambda: solved(url, "large") == 2, what="the large ones")
    assert process.stderr().count("no session for large requests, so claims wait for them") == 1
