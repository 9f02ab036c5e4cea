# SPDX-License-Identifier: Apache-2.0
"""Many requests, in one piece and in many: no error, and no descriptor or memory is kept.

FB_LOAD is how many predicates come in one piece, 2000 unless set. A tenth of it comes in pieces of
64 KiB, a hundredth in pieces of 7 bytes and a thousandth byte by byte, each with Content-Length
and chunked.
"""

import collections
import concurrent.futures
import json
import multiprocessing
import os
import time
import unittest

from daemon import Daemon
from fabricbind import data
from peer import (Peer, body, descriptors, is_sanitized, memory, pack, recorded, request, settled)

LOAD = int(os.environ.get("FB_LOAD", "2000"))
PEERS = 16
PATH = "/volcano/predicate"
KEPT = 8 << 10  # KiB that the process may grow by and keep
KEPT_SANITIZED = 384 << 10  # freed memory is kept back for a while

Answers = collections.Counter  # by (status, code)


def judge(answers, answer):
    status, _, text = answer
    said = json.loads(text)
    answers[status, said["code"]] += 1


def send_whole(port, contents, count, anew):
    """@count requests on one connection, or on one each."""
    answers = Answers()
    peer = None if anew else Peer(port)
    for i in range(count):
        if anew:
            peer = Peer(port)
        peer.send(request(PATH, contents[i % len(contents)]))
        judge(answers, peer.read())
        if anew:
            peer.socket.close()
    if peer is not None:
        peer.socket.close()
    return answers


def send_pieces(port, content, count, size):
    answers = Answers()
    with Peer(port) as peer:
        for i in range(count):
            peer.send_pieces(PATH, content, size, chunked=i % 2 == 1)
            judge(answers, peer.read())
    return answers


class Load(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Daemon(data("snapshots", "aws")))
        self.daemon.port("metrics")
        self.port = self.daemon.port("extender")
        self.pid = self.daemon.process.pid
        self.pool = self.enterContext(concurrent.futures.ProcessPoolExecutor(
            PEERS, multiprocessing.get_context("fork")))
        self.open = descriptors(self.pid)

    def run_all(self, jobs):
        """Answers of all, with what the process has open at most meanwhile."""
        began = time.monotonic()
        futures = [self.pool.submit(*job) for job in jobs]
        most = 0
        while not all(future.done() for future in futures):
            most = max(most, descriptors(self.pid))
            concurrent.futures.wait(futures, 0.2)
        answers = sum((future.result() for future in futures), Answers())
        print(f"{sum(answers.values())} requests, {time.monotonic() - began:.1f} s, "
              f"{most - self.open} descriptors, {memory(self.pid)} KiB", flush=True)
        self.assertLessEqual(most, self.open + 3 * PEERS)  # those of closed peers may linger
        return answers

    def expect(self, answers, count):
        self.assertEqual(sum(answers.values()), count)
        self.assertEqual({status for status, _ in answers}, {200})
        self.assertLessEqual({code for _, code in answers}, {0, 2, 3})
        self.assertGreaterEqual(answers[200, 0], count // 2)

    def finish(self, resident):
        self.assertEqual(settled(self.pid, self.open), self.open)
        kept = KEPT_SANITIZED if is_sanitized(self.pid) else KEPT
        self.assertLess(memory(self.pid), resident + kept)
        self.assertNotIn("faults_total", " ".join(self.daemon.metrics()))
        self.assertEqual(self.daemon.end(), 0)
        self.assertNotIn("error", [one["level"] for one in self.daemon.log()])

    def whole(self, contents, count):
        each = count // PEERS
        return self.run_all((send_whole, self.port, contents, each, i % 2 == 1)
                            for i in range(PEERS))

    def test_whole(self):
        contents = recorded("aws", "predicate")
        self.whole(contents, max(LOAD // 20, PEERS * 50))
        resident = memory(self.pid)
        count = LOAD // PEERS * PEERS
        self.expect(self.whole(contents, LOAD), count)
        self.finish(resident)

    def pieces(self, content, count, size):
        each = max(-(-2 * count // PEERS), 2)
        answers = self.run_all((send_pieces, self.port, content, each, size)
                               for _ in range(PEERS))
        self.expect(answers, PEERS * each)

    def test_in_pieces(self):
        small = pack(body("predicate"))
        tree = body("predicate")
        tree["node"]["ImageStates"] = {f"image-{i}": {"Size": i} for i in range(8000)}
        large = pack(tree)
        self.assertGreater(len(large), 3 * 65536)
        self.pieces(large, LOAD // 100, 65536)
        resident = memory(self.pid)
        self.pieces(large, LOAD // 10, 65536)
        self.pieces(small, LOAD // 100, 7)
        self.pieces(small, LOAD // 1000, 1)
        self.finish(resident)


if __name__ == "__main__":
    unittest.main()
