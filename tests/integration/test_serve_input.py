# SPDX-License-Identifier: Apache-2.0
"""Bad input over the wire: always the documented answer, and nothing stays behind."""

import copy
import json
import re
import unittest

from daemon import Daemon
from fabricbind import data
from peer import (NEUTRAL, READING, Peer, body, chunk, descriptors, is_sanitized, memory, pack,
                  request, settled)

AWS = data("snapshots", "aws")
PATH = "/volcano/predicate"
PASSES = NEUTRAL["predicate"]
REFUSES = ('{"errorMessage":"fabricbind: request not readable",'
           '"status":"fabricbind: request not readable","code":2}')
MEGABYTE = b"a" * 1000000
KEPT = 8 << 10  # KiB that the process may grow by and keep
LATE = 30  # seconds after which the server waits no longer for a body


class Input(unittest.TestCase):
    """Each test has a daemon that is as before when the test is over."""

    def start(self, config=""):
        self.daemon = self.enterContext(Daemon(AWS, config))
        self.daemon.port("metrics")
        self.pid = self.daemon.process.pid
        self.open = descriptors(self.pid)
        with self.peer() as peer:
            for verb in READING:
                peer.ask(f"/volcano/{verb}", pack(body(verb)))
        self.resident = memory(self.pid)

    def peer(self):
        return Peer(self.daemon.port("extender"))

    def faults(self, verb="predicate"):
        return self.daemon.metrics().get(f'fabricbind_faults_total{{where="{verb}"}}', 0)

    def finish(self):
        """It still answers, no descriptor and little memory is kept, and it ends well."""
        with self.peer() as peer:
            self.assertEqual(peer.ask(PATH, pack(body("predicate"))), (200, PASSES))
        self.assertEqual(settled(self.pid, self.open), self.open)
        if not is_sanitized(self.pid):
            self.assertLess(memory(self.pid), self.resident + KEPT)
        self.assertEqual(self.daemon.end(), 0)

    def test_bodies_that_are_none(self):
        self.start()
        broken = [b"", b"{", b"null", b"7", b"[]", b'"x"', b"{}", b"{]", b"{}}", b"\xff\xfe",
                  b"\0" * 100, b"GET / HTTP/1.1\r\n\r\n", b'{"task":{"UID":"\\ud800"}}']
        with self.peer() as peer:
            for verb, want in NEUTRAL.items():
                for content in broken:
                    self.assertEqual(peer.ask(f"/volcano/{verb}", content), (200, want), content)
        for verb in NEUTRAL:
            self.assertEqual(self.faults(verb), len(broken) if verb in READING else 0, verb)
        self.finish()

    def test_bodies_cut_at_every_byte(self):
        self.start("onFault: reject\n")
        content = pack(body("predicate"))
        with self.peer() as peer:
            for at in range(len(content)):
                self.assertEqual(peer.ask(PATH, content[:at]), (200, REFUSES), at)
            self.assertEqual(peer.ask("/volcano-1.9/predicate", b"{"),
                             (200, '{"status":[{"Code":2,"Reason":'
                                   '"fabricbind: request not readable"}]}'))
            self.assertEqual(peer.ask(PATH, content), (200, PASSES))
        self.assertEqual(self.faults(), len(content) + 1)
        self.finish()

    def test_values_of_other_types(self):
        self.start()
        count = 0
        with self.peer() as peer:
            for verb in READING:
                for content in each_value_replaced(body(verb)):
                    status, text = peer.ask(f"/volcano/{verb}", content)
                    self.assertEqual(status, 200)
                    self.assertTrue(is_documented(verb, text), (content, text))
                    count += 1
        self.assertGreater(count, 500)
        self.finish()

    def test_ten_thousand_levels(self):
        self.start()
        with self.peer() as peer:
            for deep in (b"[" * 10000, b'{"a":' * 10000, b"[" * 10000 + b"]" * 10000):
                for where in (b'{"task":', b'{"task":{"Pod":', b'{"other":', b""):
                    self.assertEqual(peer.ask(PATH, where + deep), (200, PASSES))
        self.assertEqual(self.faults(), 12)
        self.finish()

    def test_a_string_of_200_megabytes(self):
        self.start("onFault: reject\n")
        before = memory(self.pid, "VmHWM")
        for where in (b'{"other":"', b'{"task":{"UID":"', b'{"'):
            with self.peer() as peer:
                peer.send(b"POST /volcano/predicate HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n"
                          b"\r\n" % (len(where) + 200 * len(MEGABYTE)) + where)
                for _ in range(200):
                    peer.send(MEGABYTE)
                self.assertEqual(peer.read()[::2], (200, REFUSES))
                self.assertEqual(peer.ask(PATH, pack(body("predicate"))), (200, PASSES))
        if not is_sanitized(self.pid):
            self.assertLess(memory(self.pid, "VmHWM"), before + KEPT)
        self.finish()

    def test_bodies_beyond_the_limit(self):
        self.start("onFault: reject\nlimits: {bodyBytes: 1Mi}\n")
        with self.peer() as peer:
            peer.send_pieces(PATH, b" " * 3000000, 1000000, chunked=True)
            self.assertEqual(peer.read()[::2], (200, REFUSES))
            peer.send_pieces(PATH, b" " * 3000000, 1000000, chunked=False)
            self.assertEqual(peer.read()[::2], (200, REFUSES))
        self.finish()

    def test_paths_and_methods_that_are_none(self):
        self.start()
        with self.peer() as peer:
            for path in ("/volcano/nothing", "/volcano/", "/volcano/predicate/", "/", "/metrics",
                         "/volcano-1.9/prioritize", "/volcano/PREDICATE", "/volcano/../x"):
                self.assertEqual(peer.ask(path, b"{}"), (404, '{"error":"no such path"}\n'), path)
            for method in ("GET", "PUT", "DELETE", "OPTIONS"):
                peer.send(request(PATH, b"{}", method))
                status, headers, text = peer.read()
                self.assertEqual((status, headers["allow"]), (405, "POST"), method)
                self.assertEqual(text, '{"error":"this path does not take this method"}\n')
            self.assertEqual(peer.ask(PATH + "?a=b", pack(body("predicate"))), (200, PASSES))
        self.finish()

    def test_heads_that_are_none(self):
        self.start()
        for head in ("Content-Length: -1", "Content-Length: x", "a" * 40000, "\n".join(["a: b\r"] * 200) + "\nc: d"):
            with self.peer() as peer:
                peer.send(f"POST {PATH} HTTP/1.1\r\nHost: a\r\n{head}\r\n\r\n".encode())
                try:
                    self.assertIn(peer.read()[0], range(400, 600), head[:30])
                except ConnectionError:
                    pass  # closed without an answer: fine, too
        for text in (b"\r\n\r\n", b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\0" * 100,
                     b"POST /volcano/predicate HTTP/1.1\r\nHost: a\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"):
            with self.peer() as peer:
                peer.send(text)
        self.finish()

    def test_connections_dropped_in_the_middle(self):
        self.start()
        content = request("/volcano/allocate", pack(body("allocate")))
        for at in range(0, len(content), 3):
            with self.peer() as peer:
                peer.send(content[:at])
                if at % 2 == 1:
                    peer.reset()
        with self.peer() as peer:
            peer.send_pieces("/volcano/allocate", pack(body("allocate")), 50, chunked=True)
            self.assertEqual(peer.read()[0], 200)
        found = self.daemon.metrics()
        self.assertEqual(found.get('fabricbind_ledger_entries{kind="allocated"}', 0), 0)
        self.assertEqual(self.faults("allocate"), 0)
        self.finish()

    def test_requests_pipelined(self):
        self.start()
        good = pack(body("predicate"))
        score = pack(body("prioritize"))
        with self.peer() as peer:
            peer.send(request(PATH, good) + request("/volcano/prioritize", score))
            self.assertEqual(peer.read()[::2], (200, PASSES))
            status, _, text = peer.read()
            self.assertEqual(status, 200)
            self.assertRegex(text, r'^\{"nodeScore":\{"n-1":')
            peer.send(request(PATH, b"{") + request("/volcano/jobready", b"{}") +
                      request("/nothing", b"") + request(PATH, good))
            for want in ((200, PASSES), (200, '{"status":true}'),
                         (404, '{"error":"no such path"}\n'), (200, PASSES)):
                self.assertEqual(peer.read()[::2], want)
        self.finish()

    def test_bodies_that_come_slowly_or_never_end(self):
        self.start("onFault: reject\n")
        good = pack(body("predicate"))
        head = b"POST /volcano/predicate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        with self.peer() as stuck, self.peer() as other:
            stuck.send(head + chunk(good[:100]))
            for chunked in (False, True):  # byte by byte, and others are served meanwhile
                with self.peer() as slow:
                    slow.send_pieces(PATH, good[:-1], 1, chunked=True)
                    self.assertEqual(other.ask(PATH, good), (200, PASSES))
                    self.assertEqual(slow.read()[::2], (200, REFUSES))
                    slow.send_pieces(PATH, good, 1, chunked)
                    self.assertEqual(slow.read()[::2], (200, PASSES))
            stuck.socket.settimeout(LATE + 30)
            self.assertEqual(stuck.read()[::2], (200, REFUSES))
        self.finish()


def each_value_replaced(tree):
    """The tree as JSON, once for each value in it and each of some others in its place."""
    for place in places(tree):
        for other in (None, 7, -1.5e300, "x", [], {}, True, [[{}]]):
            changed = copy.deepcopy(tree)
            at = changed
            for key in place[:-1]:
                at = at[key]
            at[place[-1]] = other
            yield pack(changed)


def places(tree, so_far=()):
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in entries:
        yield so_far + (key,)
        if isinstance(value, (dict, list)):
            yield from places(value, so_far + (key,))


def is_documented(verb, text):
    if verb == "predicate":
        said = json.loads(text)
        return (re.fullmatch(r'\{"errorMessage":".*","status":".*","code":[023]\}', text) and
                said["errorMessage"] == said["status"] and
                (said["code"] == 0) == (said["status"] == ""))
    if verb == "prioritize":
        said = json.loads(text)
        return (list(said) == ["nodeScore", "errorMessage"] and said["errorMessage"] == "" and
                all(0 <= score <= 1000 for score in said["nodeScore"].values()))
    return text == NEUTRAL[verb]


if __name__ == "__main__":
    unittest.main()
