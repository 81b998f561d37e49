"""A collector of spans, or a backend, that notes what it receives."""
import http.server
import json
import threading

import pytest

TRACE = "0af7651916cd43dd8448eb211c80319c"
SUBMITTER = "b7ad6b7169203331"
SAMPLED, UNSAMPLED = f"00-{TRACE}-{SUBMITTER}-01", f"00-{TRACE}-{SUBMITTER}-00"


class Recorder(http.server.ThreadingHTTPServer):
    """A server that notes each request and answers with what `answer` (of path and JSON) returns: a
    status and an object."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer):
        self.answer, self.requests = answer, []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # the worker hung up, as it should


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers, body))
        status, answer = self.server.answer(self.path, body)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


@pytest.fixture
def recorder():
    """A function that starts a Recorder."""
    servers = []

    def start(answer=lambda path, body: (200, {})):
        servers.append(Recorder(answer))
        return servers[-1]
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def spans_of(collector):
    return [span for _, _, body in collector.requests for resource in body["resourceSpans"]
            for scope in resource["scopeSpans"] for span in scope["spans"]]


def attributes(span):
    return {each["key"]: int(value) if kind == "intValue" else value
            for each in span["attributes"] for kind, value in each["value"].items()}
