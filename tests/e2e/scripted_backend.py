"""A backend below HTTP, on raw sockets: each prompt names the script that answers it."""
import json
import socket
import socketserver
import struct
import threading

JSON = "application/json"
EVENTS = "text/event-stream"


def response(status, body=b"", content_type=JSON, headers=()):
    """A whole HTTP/1.1 response as bytes, the last one on its connection: another request there
    would be lost."""
    body = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status} Words", f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def reset(connection):
    """RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class ScriptedBackend:
    """`scripts`: name → function of (connection, the request's headers and JSON). The prompt of a
    chat request is the name, up to the first blank. Ends with its `with` block."""

    def __init__(self, scripts):
        self.scripts = scripts
        self.calls = []          # names, as they came
        backend = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                backend.serve(self.request)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def serve(self, connection):
        """One request a connection: what it leaves behind is part of the test."""
        try:
            headers, body = self.read_request(connection)
            if body is None:
                return
            prompt = body["input"] if "input" in body else body["messages"][-1]["content"]
            name = prompt.split()[0]
            self.calls.append(name)
            self.scripts[name](connection, headers, body)
        except OSError:
            pass  # the worker hung up, as it should

    @staticmethod
    def read_request(connection):
        received = b""
        while b"\r\n\r\n" not in received:
            more = connection.recv(65536)
            if not more:
                return None, None
            received += more
        head, body = received.split(b"\r\n\r\n", 1)
        headers = dict(line.decode().lower().split(": ", 1) for line in head.split(b"\r\n")[1:])
        while len(body) < int(headers["content-length"]):
            body += connection.recv(65536)
        return headers, json.loads(body)
