# SPDX-License-Identifier: Apache-2.0
"""Runs `fabricbind serve` on free ports of the loopback; what tests of the daemon share."""

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from fabricbind import BIN

WAIT = 60  # seconds until something that must happen counts as not happening
LISTEN = "listen: {extender: 127.0.0.1:0, metrics: 127.0.0.1:0}\n"


class Daemon:
    """The process, its log, and requests to it; ended with the with block."""

    def __init__(self, snapshot=None, config="", args=()):
        self._folder = tempfile.TemporaryDirectory(prefix="fabricbind-test-")
        self.config = os.path.join(self._folder.name, "fabricbind.yaml")
        self.configure(config)
        self._args = [BIN, "serve", "--config", self.config, *args]
        if snapshot is not None:
            self._args += ["--snapshot", snapshot]
        self._lines = []  # of the log, as they were written
        self._more = threading.Condition()
        self._ended = False  # the log
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(self._args, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT)
        self._reader.join(WAIT)
        self.process.stdout.close()
        self.process.stderr.close()
        self._folder.cleanup()

    def _read(self):
        for line in self.process.stderr:
            with self._more:
                self._lines.append(line.decode())
                self._more.notify_all()
        with self._more:
            self._ended = True
            self._more.notify_all()

    def configure(self, text):
        """Write the configuration file, with free ports unless it says where to listen."""
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text if "listen:" in text else LISTEN + text)

    def log(self):
        """All that is logged so far, or, when it has ended, at all; every line must be JSON."""
        if self.process.poll() is not None:
            self._reader.join(WAIT)
        with self._more:
            return [json.loads(line) for line in self._lines]

    def logged(self, message, count=1, **fields):
        """Wait for the @count-th entry with that message and these fields, and return it."""
        def found():
            return [one for one in map(json.loads, self._lines) if one["message"] == message
                    and all(one.get(key) == value for key, value in fields.items())]

        with self._more:
            self._more.wait_for(lambda: self._ended or len(found()) >= count, WAIT)
            if len(found()) < count:
                raise AssertionError(f"no {message} {fields} in {''.join(self._lines)}")
            return found()[count - 1]

    def port(self, server):
        return self.logged("listening", server=server)["port"]

    def connect(self, server):
        return http.client.HTTPConnection("127.0.0.1", self.port(server), timeout=WAIT)

    def ask(self, server, method, path, body=None):
        """(status, headers, body) of one request on a connection of its own."""
        connection = self.connect(server)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def metrics(self):
        """Value by series, as "name{label=\\"value\\"}"; every line must be one of the format's."""
        status, headers, text = self.ask("metrics", "GET", "/metrics")
        if status != 200 or not headers["Content-Type"].startswith("text/plain; version=0.0.4"):
            raise AssertionError(f"/metrics: {status}, {headers['Content-Type']}")
        return parse_metrics(text)

    def counted(self, series, value):
        """The metrics once a series has a value: requests are counted behind their answer."""
        end = time.monotonic() + WAIT
        found = self.metrics()
        while found.get(series) != value and time.monotonic() < end:
            found = self.metrics()
        return found

    def signal(self, number):
        self.process.send_signal(number)

    def reload(self, message="reloaded"):
        """SIGHUP, and wait until the log says how it went."""
        before = sum(one["message"] == message for one in self.log())
        self.signal(signal.SIGHUP)
        return self.logged(message, count=before + 1)

    def end(self):
        """SIGTERM, and the exit code."""
        self.signal(signal.SIGTERM)
        return self.process.wait(WAIT)


SERIES = re.compile(r'([a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})?)'
                    r" (\S+)")


def parse_metrics(text):
    found = {}
    if not text.endswith("\n"):
        raise AssertionError("the last line is cut")
    for line in text.splitlines():
        if line.startswith(("# HELP ", "# TYPE ")):
            continue
        match = SERIES.fullmatch(line)
        if match is None or match.group(1) in found:
            raise AssertionError(f"no line of the format, or twice: {line}")
        found[match.group(1)] = float(match.group(2))
    return found
