"""Routes that choose: a worker calls the model that is cheaper or faster, notices a change of
speed, and waits for none that cannot take a task."""
import collections
import contextlib
import threading
import time

import pytest
from conftest import query, wait_for
from queue_tools import add_model

pytestmark = pytest.mark.plain_build_only
FAST_S, SLOW_S = 0.02, 0.3  # fifteen times: the machine may be slow


class Backend(contextlib.AbstractContextManager):
    """Answers each model's calls after its own time."""

    def __init__(self, **seconds):
        import http.server
        import json
        self.seconds, self.calls = seconds, []
        backend = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                model = json.loads(self.rfile.read(int(self.headers["content-length"])))["model"]
                backend.calls.append(model)
                time.sleep(backend.seconds[model])
                body = json.dumps({"answer": "a" * 400}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def add_route(url, backend, prefer, **models):
    for name, columns in models.items():
        add_model(url, name, backend.url, **columns)
        query(url, "insert into sluice.routes (route, model, prefer) values ('r', %s, %s)",
            [name, prefer])


def solve(url, count):
    """So many tasks one after the other; how many each model has solved of them."""
    before = collections.Counter(solved(url))
    for _ in range(count):
        task = query(url, "select sluice.submit('question', 'r')")[0][0]
        wait_for(lambda: query(url, "select 1 from sluice.tasks "
            "where id = %s and status = 'solved'", [task]), 30, "the answer")
    return collections.Counter(solved(url)) - before


def solved(url):
    return dict(query(url,
        "select model, count(*) from sluice.tasks where status = 'solved' group by model"))


def test_the_fastest_model_is_called_and_again_when_it_has_recovered(pg, worker):
    url = pg.database()
    with Backend(a=FAST_S, b=SLOW_S) as backend:
        add_route(url, backend, "latency", a={}, b={})
        worker(url)
        solve(url, 10)  # both become known
        wait_for(lambda: len(query(url, "select 1 from sluice.route_choices('r') "
            "where ms_per_token is not null")) == 2, 30, "both speeds")
        assert solve(url, 30)["a"] >= 28
        backend.seconds.update(a=SLOW_S, b=FAST_S)
        wait_for(lambda: solve(url, 5)["b"] == 5, 60, "the other one to be called")
        task = query(url, "select sluice.submit('question', 'r')")[0][0]
        assert "; by latency: b " in query(url, "select sluice.explain(%s)", [task])[0][0] or (
            query(url, "select status from sluice.tasks where id = %s", [task]) == [("solved",)])


def test_tasks_do_not_wait_for_a_model_at_its_limit(pg, worker):
    url = pg.database()
    with Backend(cheap=SLOW_S, dear=FAST_S) as backend:
        add_route(url, backend, "cost", cheap={"max_in_flight": 1}, dear={})
        for model, price in (("cheap", 0.001), ("dear", 0.01)):
            query(url, "insert into sluice.prices (model, valid_from, input, output, per_request) "
                "values (%s, 'epoch', 0, 0, %s * 1000000000)", [model, price])
        worker(url)
        assert solve(url, 3) == {"cheap": 3}
        query(url, "select count(*) from (select sluice.submit('question', 'r') "
            "from generate_series(1, 40)) s")
        wait_for(lambda: sum(solved(url).values()) == 43, 30, "the answers")
        assert solved(url)["dear"] >= 30
