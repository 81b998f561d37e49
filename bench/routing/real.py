"""The scenes for real, all of them at once: workers, and clients that go by the rules of gateways,
each with a backend in this process whose models change their speed, price and health while it
answers."""
import asyncio
import concurrent.futures
import contextlib
import datetime
import json
import pathlib
import random
import tempfile
import time

import harness
import scenes
from harness import run, value
from lab import SLUICE, Process, wait_for
from scenes import Done

START_S = 60    # for a worker, while the others' databases are made
END_S = 60      # for the last answers
ANSWERS = {
    True: (b"200 OK", b'{"choices":[{"message":{"role":"assistant","content":"an answer"},'
        b'"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":10}}'),
    False: (b"500 Internal Server Error", b'{"error":{"message":"it fails"}}')}

# On a machine that is so busy that the deadline is past it is missed.
SUBMIT = """select sluice.submit('question', 'r', deadline => case when d.at is not null
      then greatest(d.at, clock_timestamp() + '10 ms') end)
    from (select %s::timestamptz as at) d"""


class Backend:
    """Answers POST {"model"} as a model of the scene does now. A call that hangs is answered when
    its client has timed out."""

    def __init__(self, scene):
        self.models, self.begin_s = scenes.Backends(scene, scenes.SEED), 0.0

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.begin()
        return self

    async def __aexit__(self, *_):
        self.server.close()

    def begin(self):
        self.begin_s = time.monotonic()

    def now_s(self):
        """Since the scene began."""
        return time.monotonic() - self.begin_s

    async def _serve(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = next(int(line.split(":")[1]) for line in head.split("\r\n")
                    if line.startswith("content-length:"))
                model = json.loads(await reader.readexactly(length))["model"]
                now_s = self.now_s()
                end_s, is_well, _ = self.models.call(model, now_s)
                await asyncio.sleep(end_s - now_s)
                status, body = ANSWERS[is_well]
                writer.write(b"HTTP/1.1 %s\r\ncontent-type: application/json\r\n"
                    b"content-length: %d\r\n\r\n%s" % (status, len(body), body))
                await writer.drain()
        writer.close()


class Gateway:
    """Sends each task at once to the model that a rule chooses, as scenes.send() does."""

    def __init__(self, scene, rule, backend):
        self.scene, self.rule, self.backend = scene, rule, backend
        self.under_way = dict.fromkeys(scene.models, 0)
        self.random, self.done = random.Random(scenes.SEED), []

    def calls(self, model, _):
        """For the rule."""
        return self.under_way[model]

    async def play(self):
        self.backend.begin()
        await asyncio.gather(*(self._solve(*task) for task in self.scene.arrivals(scenes.SEED)))
        return self.done

    async def _solve(self, at_s, deadline_s):
        await asyncio.sleep(max(0.0, at_s - self.backend.now_s()))
        while True:
            begun_s = self.backend.now_s()
            model = self.rule.choose(self, begun_s, self.random)
            if await self._call(model):
                self.done.append(Done(at_s, deadline_s, begun_s, self.backend.now_s(), model,
                        self.scene.state(model, begun_s).price))
                return
            await asyncio.sleep(self.random.uniform(0, 2 * scenes.BACKOFF_S))

    async def _call(self, model):
        """Whether it was answered."""
        self.under_way[model] += 1
        try:
            return await asyncio.wait_for(self._post(model), scenes.TIMEOUT_S)
        except (asyncio.TimeoutError, ConnectionError):
            return False
        finally:
            self.under_way[model] -= 1

    async def _post(self, model):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.backend.port)
        try:
            body = json.dumps({"model": model,
                "messages": [{"role": "user", "content": "question"}]}).encode()
            writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: backend\r\n"
                b"content-length: %d\r\n\r\n%s" % (len(body), body))
            return (await reader.readline()).split()[1:2] == [b"200"]
        finally:
            writer.close()


def add_route(session, scene, prefer, port):
    for name in scene.models:
        run(session, "insert into sluice.models (name, api, url, max_attempts, timeout) "
            "values (%s, 'openai-chat', %s, 100, %s)", name, f"http://127.0.0.1:{port}/v1",
            datetime.timedelta(seconds=scenes.TIMEOUT_S))
        run(session, "insert into sluice.routes (route, model, prefer) values ('r', %s, %s)", name,
            prefer)


def begin(session, scene):
    """Enters the prices of all of the scene, which begins now; returns the time."""
    at = value(session, "select clock_timestamp()")
    for name, changes in scene.models.items():
        for change in changes:
            run(session, "insert into sluice.prices (model, valid_from, input, output, "
                "per_request) values (%s, %s, 0, 0, %s)", name,
                at + datetime.timedelta(seconds=change.at_s),
                int(change.price * scenes.PRICE_NANOS))
    return at


def submit(session, scene, begun_at, backend, splits):
    """The tasks of the scene, as they come. `splits`: {second: weights of the models from then
    on}."""
    events = [(at_s, None) for at_s in splits] + scene.arrivals(scenes.SEED)
    for at_s, deadline_s in sorted(events, key=lambda event: event[0]):
        time.sleep(max(0.0, at_s - backend.now_s()))
        if at_s in splits:
            for name, weight in splits[at_s].items():
                run(session, "update sluice.routes set weight = %s where model = %s", weight, name)
        else:
            run(session, SUBMIT,
                deadline_s and begun_at + datetime.timedelta(seconds=deadline_s))


def solved(session, begun_at):
    """What became of the tasks."""
    return [Done(*row, cost * 1e9 / scenes.PRICE_NANOS) for *row, cost in run(session, """
            select extract(epoch from r.created_at - b.at)::float8,
              extract(epoch from t.deadline - b.at)::float8,
              extract(epoch from r.started_at - b.at)::float8,
              extract(epoch from r.finished_at - b.at)::float8, r.model, r.cost::float8
            from sluice.result r join sluice.task t on t.id = r.task_id
            cross join (select %s::timestamptz as at) b
            where r.status = 'solved'""", begun_at)]


def drive(server, scene, prefer, splits, backend):
    """One worker, and a client that submits."""
    url = server.database(f"real {scene.name} {'split' if splits else prefer}")
    with tempfile.TemporaryDirectory(prefix="sluice-routing.") as name, \
            contextlib.closing(harness.connect(url)) as session:
        add_route(session, scene, prefer, backend.port)
        worker = Process("the worker", [SLUICE, "worker", "--database-url", url],
            pathlib.Path(name) / "worker.log")
        try:
            wait_for("the registration", lambda: value(session,
                "select count(*) from sluice.workers"), START_S, [worker])
            backend.begin()
            begun_at = begin(session, scene)
            submit(session, scene, begun_at, backend, splits)
            wait_for("the last answer", lambda: value(session,
                "select count(*) = (select count(*) from sluice.task) from sluice.result"), END_S,
                [worker])
        finally:
            worker.stop()
        return solved(session, begun_at)


async def play_route(server, scene, prefer, splits):
    async with Backend(scene) as backend:
        return await asyncio.to_thread(drive, server, scene, prefer, splits, backend)


async def play_gateway(scene, rule):
    async with Backend(scene) as backend:
        return await Gateway(scene, rule, backend).play()


async def play(server, plays):
    """Those of `plays` at once: (scene, rule's name, the rule or (prefer, splits)). Returns the
    tasks by the names of scene and rule."""
    asyncio.get_running_loop().set_default_executor(
        concurrent.futures.ThreadPoolExecutor(len(plays)))
    done = await asyncio.gather(*(
        play_route(server, scene, *how) if isinstance(how, tuple) else play_gateway(scene, how)
        for scene, _, how in plays))
    return {(scene.name, name): tasks for (scene, name, _), tasks in zip(plays, done)}
