"""A proxy in front of a server, as people set one up: what lies below a path of its host goes to
the server, which knows nothing of it."""
import contextlib
import threading
import urllib.error
import urllib.request
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PREFIX = "/deep/sluice"
PIECE_BYTES = 65536
# A stream rests for 15 s at most; the machine may be slow.
TIMEOUT_S = 120


class SubPathProxy(BaseHTTPRequestHandler):
    """Takes PREFIX away, and has a Host of its own. Passes on what comes when it comes: events."""
    port = None

    def forward(self):
        if not self.path.startswith(PREFIX + "/"):
            return self.send_error(404)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items()
            if name.lower() not in ("host", "content-length", "connection")}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{self.path.removeprefix(PREFIX)}", body or None, headers,
            method=self.command)
        if not body and self.command in ("POST", "PUT", "PATCH"):
            request.add_header("Content-Length", "0")
        try:
            reply = urllib.request.build_opener(NoRedirect).open(request, timeout=TIMEOUT_S)
        except urllib.error.HTTPError as error:
            reply = error
        # Either side may go in the middle of an answer; http.client meets that with a ValueError.
        with reply, contextlib.suppress(ConnectionError, TimeoutError, HTTPException, ValueError):
            self.answer(reply)

    def answer(self, reply):
        """Ends with the connection, so that it needs no length."""
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            if name.lower() not in ("connection", "date", "transfer-encoding"):
                self.send_header(name, value)
        self.end_headers()
        while piece := reply.read1(PIECE_BYTES):
            self.wfile.write(piece)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = forward

    def log_message(self, *_):
        pass


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@contextlib.contextmanager
def sub_path_proxy(port):
    """Its port, in front of the server at `port`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0),
        type("Proxy", (SubPathProxy,), {"port": port}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
