# SPDX-License-Identifier: Apache-2.0
"""Recorded requests against a stand-in that answers as told."""

import http.server
import json
import os
import socket
import tempfile
import threading
import unittest

from fabricbind import run

# Body of each verb's answer, and what replay makes of it.
ANSWERS = {
    "predicate": ('{"errorMessage":"","status":"","code":0}', "fits"),
    "prioritize": ('{"nodeScore":{"gpu-1":3,"gpu-2":996.04},"errorMessage":""}',
                   "2 scores, best gpu-2 996.0"),
    "allocate": ('{"errorMessage":""}', "ok"),
    "deallocate": ('{"errorMessage":"no such task"}', "error: no such task"),
    "jobenqueueable": ('{"status":-1}', "status -1"),
    "jobenqueued": ("{}", "ok"),
    "jobready": ('{"status":true}', "status true"),
    "preemptable": ('{"status":0,"victims":[{"UID":"a"}]}', "status 0, 1 victim"),
    "reclaimable": ('{"status":1,"victims":[]}', "status 1, 0 victims"),
    "queueoverused": ('{"overused":false}', "overused false"),
    "sessionopen": ("", "ok"),
    "sessionclose": ("", "ok"),
}
FILES = ["onSessionOpen", "jobEnqueueable", "jobEnqueued", "predicate", "prioritize",
         "allocateFunc", "deallocateFunc", "jobReady", "preemptable", "reclaimable",
         "queueOverused", "onSessionClose"]


class Standin:
    """A server on a free port; @answers: path to (status, body), else ANSWERS are given."""

    def __init__(self, answers=None):
        self.seen = []
        self.peers = set()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.seen.append((self.path, body))
                outer.peers.add(self.client_address)
                verb = self.path.rpartition("/")[2]
                status, text = (answers or {}).get(self.path, (200, ANSWERS[verb][0]))
                if status is None:
                    self.wfile.write(text.encode())
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fabricbind-test-")
        self.addCleanup(folder.cleanup)
        self.path = folder.name

    def record(self, *verbs):
        for number, verb in enumerate(verbs):
            with open(os.path.join(self.path, f"{number:04d}-{verb}.json"), "w",
                      encoding="utf-8") as file:
                file.write('{"number":%d}' % number)

    def replay(self, server, *args):
        return run("replay", self.path, "--url", server.url, *args)

    def one(self, verb, status, text):
        """The row of one request that is answered so."""
        self.record(verb)
        with Standin({f"/volcano/{verb}": (status, text)}) as server:
            done = self.replay(server, "-o", "json")
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)["requests"][0]

    def refused(self, want, *args):
        done = run("replay", *args)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, want)

    def test_sends_every_verb_in_order_over_one_connection(self):
        self.record(*FILES)
        with Standin() as server:
            done = self.replay(server, "-o", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = json.loads(done.stdout)["requests"]
        want = [verb.removeprefix("on").removesuffix("Func").lower() for verb in FILES]
        self.assertEqual([path for path, _ in server.seen], ["/volcano/" + verb for verb in want])
        self.assertEqual([json.loads(body)["number"] for _, body in server.seen],
                         list(range(len(FILES))))
        self.assertEqual([row["verb"] for row in rows], want)
        self.assertEqual([row["answer"] for row in rows], [ANSWERS[verb][1] for verb in want])
        self.assertEqual(len(server.peers), 1)

    def test_prints_tables_and_what_was_skipped(self):
        self.record("predicate", "admission-pods", "admission-pods", "admission-jobs")
        with Standin() as server:
            done = self.replay(server)
        self.assertEqual((done.returncode, done.stderr, len(server.seen)), (0, "", 1))
        self.assertRegex(done.stdout, r"(?m)^0000-predicate.json +predicate +200 +[0-9.]+ +fits$")
        self.assertRegex(done.stdout, r"(?m)^predicate +1 +0( +[0-9]+\.[0-9]{3}){4}$")
        self.assertIn("skipped: 2 admission-pods, 1 admission-jobs\n", done.stdout)
        self.assertIn("1 requests in ", done.stdout)

    def test_repeats_over_many_connections(self):
        self.record("predicate", "allocateFunc", "filter")
        with Standin() as server:
            done = self.replay(server, "--repeat", "50", "--connections", "4", "-o", "json")
        out = json.loads(done.stdout)
        self.assertEqual((done.returncode, out["sent"], len(server.seen)), (0, 100, 100))
        self.assertEqual([(verb["verb"], verb["sent"]) for verb in out["verbs"]],
                         [("predicate", 50), ("allocate", 50)])
        self.assertNotIn("requests", out)
        self.assertEqual(out["skipped"], {"filter": 1})
        self.assertTrue(1 <= len(server.peers) <= 4)

    def test_the_array_dialect_has_a_route_of_its_own(self):
        self.record("predicate", "prioritize")
        answer = '{"status":[{"Code":0,"Reason":""},{"Code":3,"Reason":"other fabric"}]}'
        with Standin({"/volcano-1.9/predicate": (200, answer)}) as server:
            done = self.replay(server, "--volcano-1.9", "-o", "json")
        self.assertEqual([path for path, _ in server.seen],
                         ["/volcano-1.9/predicate", "/volcano/prioritize"])
        self.assertEqual(json.loads(done.stdout)["requests"][0]["answer"], "code 3: other fabric")

    def test_prioritize_of_kube_scheduler_is_skipped(self):
        self.record("filter", "prioritize", "predicate")
        with Standin() as server:
            done = self.replay(server, "-o", "json")
        self.assertEqual(json.loads(done.stdout)["skipped"], {"filter": 1, "prioritize": 1})
        self.assertEqual(len(server.seen), 1)

    def test_bad_answers_are_errors_of_one_line(self):
        for status, text, want in [
                (500, "out of\norder", "^500: out of.order$"), (404, "", "^404$"),
                (200, "hello", "^answer: byte "), (200, "[]", "^answer: not an object$"),
                (200, '{"code":"x"}', "^code is no number$"),
                (None, "hello\r\n\r\n", "^http://.*HTTP/0.9"), (None, "", "^http://.*: ")]:
            with self.subTest(text):
                code, row = self.one("predicate", status, text)
                self.assertEqual((code, row["good"], row["status"]), (1, False, status or 0))
                self.assertRegex(row["answer"], want)

    def test_the_first_error_is_told_where_rows_are_not(self):
        self.record("allocateFunc", "predicate")
        with Standin({"/volcano/predicate": (500, "broken")}) as server:
            done = self.replay(server, "--repeat", "3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("6 requests in ", done.stdout)
        self.assertIn(" s, 3 errors\n", done.stdout)
        self.assertIn("first error: 0001-predicate.json: 500: broken\n", done.stdout)

    def test_what_cannot_be_sent_is_refused(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
            self.refused(": no requests of Volcano's$", self.path)
            self.record("predicate")
            self.refused(f"^fabricbind: {url}/volcano/predicate: .*connect", self.path,
                         "--url", url)
        self.refused("'ftp://x' is no http URL$", self.path, "--url", "ftp://x")
        self.refused("nowhere: No such file", os.path.join(self.path, "nowhere"))
        self.record("predicate", "predicates")
        self.refused("/0001-predicates.json: is not named as NNNN-verb.json$", self.path)


if __name__ == "__main__":
    unittest.main()
