"""Commands on a terminal."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios

from conftest import BINARY, clean_environment, private_postgres, wait_for


class Terminal:
    """A command on a pseudo terminal of its own.

    Params: program: another one than ours, such as a shell, which it controls as a login does."""

    def __init__(self, *arguments, rows=24, columns=80, term="xterm", program=None, env=()):
        self.ours, self.theirs = pty.openpty()
        self.resize(rows, columns)
        self.mode = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen([program or BINARY, *arguments], stdin=self.theirs,
            stdout=self.theirs, stderr=self.theirs,
            env=clean_environment({"TERM": term} | dict(env)), start_new_session=True,
            preexec_fn=lambda: self.begin(bool(program)))
        self.output = b""

    @staticmethod
    def begin(controls):
        """Between fork and exec."""
        private_postgres.die_with_parent(signal.SIGKILL)
        if controls:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, rows, columns):
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        while select.select([self.ours], [], [], 0)[0]:
            self.output += os.read(self.ours, 65536)
        return self.output

    def wait_for(self, text, deadline_s=20):
        try:
            wait_for(lambda: text in self.read(), deadline_s, repr(text))
        except AssertionError as error:
            raise AssertionError(f"{error}, not {self.output[-600:]!r}") from None
        self.output = self.output[self.output.index(text) + len(text):]

    def press(self, keys):
        os.write(self.ours, keys)

    def wait(self):
        code = self.process.wait(20)
        self.read()
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)
