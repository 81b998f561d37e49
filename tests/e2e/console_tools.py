"""A browser as far as the console's server sees one: a cookie, the headers that tell its page. And
a reader of server-sent events."""
import hashlib
import hmac
import json
import re
import time
from http.client import HTTPConnection

from conftest import http

COOKIE = re.compile(r"sluice_console=([^;]*)")


class Browser:
    """At a page of the console."""

    def __init__(self, port, root="/console/"):
        self.port, self.root, self.cookie = port, root, None

    def send(self, method, path, body=None, site="same-origin", headers=()):
        """A request of the page; `site`: what the browser says of it."""
        headers = dict(headers)
        headers |= {"Sec-Fetch-Site": site} if site else {}
        headers |= {"Cookie": f"sluice_console={self.cookie}"} if self.cookie else {}
        reply = http(self.port, method, self.root + path, body, headers=headers)
        if set_cookie := reply.headers["Set-Cookie"]:
            self.cookie = COOKIE.match(set_cookie)[1] or None
        return reply

    def sign_in(self, key, **how):
        return self.send("POST", "session", {"key": key}, **how)

    def session(self):
        reply = self.send("GET", "session")
        assert reply.status == 200, reply.body
        return reply.json


def forged_cookie(key, signed_in_s=None, used_s=None, digest=None):
    """A cookie as the server makes it, of whatever times."""
    now = int(time.time())
    signed_in_s = now if signed_in_s is None else signed_in_s
    text = f"v1.{key.split('_')[1]}.{signed_in_s}.{signed_in_s if used_s is None else used_s}.p"
    mac = hmac.new(digest or hashlib.sha256(key.encode()).digest(),
        b"sluice console session\n" + text.encode(), "sha256").hexdigest()
    return f"{text}.{mac}"


class Events:
    """The server-sent events of a path, one by one."""

    def __init__(self, port, path, headers=(), timeout_s=60):
        self.connection = HTTPConnection("127.0.0.1", port, timeout=timeout_s)
        self.connection.request("GET", path, headers=dict(headers))
        self.reply = self.connection.getresponse()
        assert self.reply.status == 200, self.reply.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.reply.close()
        self.connection.close()

    def next(self):
        """(event, data) of the next one, ("", comment), or None: the stream has ended."""
        fields = {}
        while True:
            line = self.reply.readline().decode()
            if not line:
                return None
            if line == "\n":
                return (fields.get("event", ""), json.loads(fields["data"]) if "data" in fields
                    else fields.get(""))
            name, _, value = line.rstrip("\n").partition(": ")
            fields[name] = value

    def next_named(self, event):
        """The data of the next event of that name."""
        while (found := self.next())[0] != event:
            pass
        return found[1]
