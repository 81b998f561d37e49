"""A proxy in front of PostgreSQL that wedges, as a pooler or a load balancer may."""
import contextlib
import socket
import threading
import urllib.parse


class DumbProxy:
    """Before PostgreSQL's Unix socket. After go_dumb() the connections of before stay open and are
    read, and nothing of them is passed on; new ones work."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.server = dict(urllib.parse.parse_qsl(parts.query))["host"] + "/.s.PGSQL.5432"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"postgresql://sluice@127.0.0.1:{self.listener.getsockname()[1]}{parts.path}"
        self.era, self.accepted, self.sockets = 0, 0, []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.server)
                self.accepted += 1
                self.sockets += client, server
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self.pump, args=(*ends, self.era), daemon=True).start()

    def pump(self, source, sink, era):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                if self.era == era:
                    sink.sendall(piece)
            if self.era == era:
                sink.shutdown(socket.SHUT_WR)

    def go_dumb(self):
        self.era += 1

    def close(self):
        for each in (self.listener, *self.sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
