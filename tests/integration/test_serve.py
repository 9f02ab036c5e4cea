# SPDX-License-Identifier: Apache-2.0
"""The daemon: what it tells of itself, how it starts, rereads and ends."""

import errno
import os
import signal
import socket
import time
import unittest

from daemon import LISTEN, WAIT, Daemon
from fabricbind import Snapshot, data, run

AWS = data("snapshots", "aws")
NODES = 'fabricbind_inventory_objects{kind="node"}'


class Status(unittest.TestCase):
    def test_it_is_alive_and_ready(self):
        with Daemon(AWS) as daemon:
            for path in ("/livez", "/readyz"):
                status, headers, text = daemon.ask("metrics", "GET", path)
                self.assertEqual((status, text), (200, "ok\n"), path)
                self.assertEqual(headers["Content-Length"], "3")
            status, headers, text = daemon.ask("metrics", "HEAD", "/livez")
            self.assertEqual((status, headers["Content-Length"], text), (200, "3", ""))

    def test_addresses_have_routes_of_their_own(self):
        with Daemon(AWS) as daemon:
            self.assertEqual(daemon.ask("metrics", "POST", "/volcano/predicate", "{}")[0], 404)
            self.assertEqual(daemon.ask("extender", "GET", "/metrics")[0], 404)
            status, headers, _ = daemon.ask("extender", "GET", "/volcano/predicate")
            self.assertEqual((status, headers["Allow"]), (405, "POST"))

    def test_metrics_tell_of_the_snapshot(self):
        with Daemon(AWS) as daemon, Snapshot("aws") as snapshot:
            found = daemon.metrics()
            self.assertEqual(found[NODES], len(snapshot.items("nodes")))
            self.assertEqual(found['fabricbind_inventory_objects{kind="pod"}'],
                             len(snapshot.items("pods")))
            self.assertEqual(sum(name.startswith("fabricbind_build_info{") for name in found), 1)
            self.assertGreater(found['fabricbind_nics{provider="aws",resource='
                                     '"vpc.amazonaws.com/efa",state="allocatable"}'], 0)
            self.assertEqual(found['fabricbind_gangs{state="spanning"}'], 1)  # as check tells
            self.assertEqual(found["fabricbind_ratio_mismatch_nodes"], 0)
            self.assertLess(found["fabricbind_inventory_age_seconds"], WAIT)

    def test_metrics_count_requests(self):
        with Daemon(AWS) as daemon:
            for _ in range(3):
                self.assertEqual(daemon.ask("extender", "POST", "/volcano/sessionopen", "{}")[0],
                                 200)
            daemon.ask("extender", "POST", "/nowhere")
            daemon.counted('fabricbind_requests_total{api="none",verb="none",code="404"}', 1)
            labels = 'api="volcano",verb="sessionopen"'
            found = daemon.counted(f'fabricbind_requests_total{{{labels},code="200"}}', 3)
            self.assertEqual(found[f'fabricbind_requests_total{{{labels},code="200"}}'], 3)
            self.assertEqual(found[f"fabricbind_request_duration_seconds_count{{{labels}}}"], 3)
            self.assertEqual(found[f"fabricbind_request_bytes_total{{{labels}}}"], 6)
            self.assertEqual(found['fabricbind_requests_total{api="none",verb="none",code="404"}'],
                             1)

    def test_it_does_without_a_snapshot(self):
        with Daemon() as daemon:
            found = daemon.metrics()
            self.assertEqual(found[NODES], 0)
            self.assertNotIn("fabricbind_inventory_age_seconds", found)
            self.assertEqual(daemon.ask("metrics", "GET", "/readyz")[0], 200)

    def test_the_log_tells_requests_to_those_who_debug(self):
        with Daemon(args=("--log-level", "debug")) as daemon:
            daemon.ask("extender", "POST", "/volcano/sessionclose", "{}")
            entry = daemon.logged("request", route="/volcano/sessionclose")
            self.assertEqual((entry["level"], entry["status"], entry["bytes"]), ("debug", 200, 2))
            self.assertGreater(entry["request"], 0)
            self.assertGreaterEqual(entry["microseconds"], 0)
        with Daemon() as daemon:
            daemon.ask("extender", "POST", "/volcano/sessionclose", "{}")
            self.assertEqual(daemon.end(), 0)
            self.assertNotIn("request", [one["message"] for one in daemon.log()])


class Start(unittest.TestCase):
    def refused(self, want, snapshot=AWS, config=""):
        with Daemon(snapshot, config) as daemon:
            self.assertEqual(daemon.process.wait(WAIT), 2)
            entry = daemon.logged(daemon.log()[-1]["message"], level="error")
            self.assertRegex(entry["message"], want)
            self.assertEqual(sum(one["level"] == "error" for one in daemon.log()), 1)
            self.assertEqual(daemon.process.stdout.read(), b"")

    def test_what_cannot_be_read_is_said(self):
        self.refused("fabricbind.yaml: line 2: placment: unknown key", config="placment: prefer\n")
        self.refused("nowhere/nodes.json: No such file", snapshot=data("nowhere"))
        self.refused("--snapshot: a directory is wanted", snapshot="-")

    def test_an_address_in_use_is_said(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.refused(f"listen.extender: {address}: Address already in use",
                         config=f"listen: {{extender: {address}, metrics: 127.0.0.1:0}}\n")
            self.refused(f"listen.metrics: {address}: Address already in use",
                         config=f"listen: {{extender: 127.0.0.1:0, metrics: {address}}}\n")

    def test_usage(self):
        done = run("serve", "--log-level", "loud")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--log-level", done.stderr)


class Reload(unittest.TestCase):
    def test_the_snapshot_is_read_anew(self):
        with Snapshot("aws") as snapshot, Daemon(snapshot.path) as daemon:
            before = daemon.metrics()[NODES]
            snapshot.items("nodes").pop()
            snapshot.save()
            entry = daemon.reload()
            self.assertEqual((entry["level"], entry["nodes"]), ("info", before - 1))
            self.assertEqual(daemon.metrics()[NODES], before - 1)

    def test_the_configuration_is_read_anew(self):
        with Daemon(AWS) as daemon:
            self.assertEqual(daemon.metrics()["fabricbind_ratio_mismatch_nodes"], 0)
            daemon.configure("multinodeNetworking:\n"
                             "  aws: {enabled: true, efaDevicesPerGPU: 1/2}\n")
            daemon.reload()
            self.assertGreater(daemon.metrics()["fabricbind_ratio_mismatch_nodes"], 0)

    def test_what_is_bad_leaves_the_old_one_in_place(self):
        with Snapshot("aws") as snapshot, Daemon(snapshot.path) as daemon:
            before = daemon.metrics()[NODES]
            snapshot.write("nodes.json", '{"kind": "List", "items": [}')
            entry = daemon.reload("not reloaded, what was read before stays")
            self.assertEqual(entry["level"], "error")
            self.assertRegex(entry["error"], "nodes.json: byte 27: ")
            self.assertEqual(daemon.metrics()[NODES], before)
            snapshot.save()
            daemon.configure("mode: enforced\n")
            entry = daemon.reload("not reloaded, what was read before stays")
            self.assertIn("fabricbind.yaml: line 2: mode: ", entry["error"])
            self.assertEqual(daemon.ask("metrics", "GET", "/readyz")[0], 200)
            daemon.configure("")
            daemon.reload()
            self.assertEqual(daemon.end(), 0)

    def test_what_takes_a_restart_is_said(self):
        with Daemon(AWS) as daemon:
            port = daemon.port("extender")
            daemon.configure("listen: {extender: 127.0.0.1:1, metrics: 127.0.0.1:0}\n"
                             "limits: {bodyBytes: 1Mi}\n")
            daemon.reload()
            keys = [one["key"] for one in daemon.log() if one["level"] == "warning" and "key" in one]
            self.assertEqual(keys, ["listen.extender", "limits.bodyBytes"])
            self.assertEqual(daemon.port("extender"), port)
            self.assertEqual(daemon.ask("extender", "POST", "/volcano/sessionopen")[0], 200)

    def test_many_in_a_row(self):
        with Daemon(AWS) as daemon:
            daemon.port("metrics")
            for _ in range(50):
                daemon.signal(signal.SIGHUP)
                self.assertEqual(daemon.ask("metrics", "GET", "/metrics")[0], 200)
            daemon.reload()
            self.assertEqual(daemon.end(), 0)


class End(unittest.TestCase):
    def open_request(self, daemon):
        """A connection in the middle of a request, of which the server knows."""
        peer = socket.create_connection(("127.0.0.1", daemon.port("extender")), WAIT)
        peer.sendall(b"POST /volcano/predicate HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n"
                     b"Expect: 100-continue\r\n\r\n")
        self.assertEqual(peer.recv(12), b"HTTP/1.1 100")
        return peer

    def test_it_ends_when_told(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Daemon(AWS) as daemon:
                daemon.port("metrics")
                daemon.signal(number)
                self.assertEqual(daemon.process.wait(WAIT), 0)
                self.assertEqual([one["message"] for one in daemon.log()][-2:],
                                 ["shutting down", "stopped"])
                self.assertEqual(daemon.process.stdout.read(), b"")

    def test_a_request_under_way_is_waited_for(self):
        with Daemon(AWS) as daemon:
            daemon.port("metrics")
            with self.open_request(daemon) as peer:
                daemon.signal(signal.SIGTERM)
                daemon.logged("shutting down")
                self.assertEqual(self.not_ready(daemon), (503, "shutting down\n"))
                peer.sendall(b"x" * 100)
                self.assertIn(b"HTTP/1.1 200", read_all(peer))
            self.assertEqual(daemon.process.wait(WAIT), 0)

    def not_ready(self, daemon):
        status, _, text = daemon.ask("metrics", "GET", "/readyz")
        return status, text

    def test_a_request_that_stands_still_is_not(self):
        with Daemon(AWS) as daemon:
            daemon.port("metrics")
            with self.open_request(daemon):
                began = time.monotonic()
                self.assertEqual(daemon.end(), 0)
                self.assertLess(time.monotonic() - began, 5)

    def test_a_second_signal_ends_it_at_once(self):
        with Daemon(AWS) as daemon:
            daemon.port("metrics")
            with self.open_request(daemon):
                daemon.signal(signal.SIGTERM)
                daemon.logged("shutting down")
                began = time.monotonic()
                daemon.signal(signal.SIGTERM)
                self.assertEqual(daemon.process.wait(WAIT), 128 + signal.SIGTERM)
                self.assertLess(time.monotonic() - began, 3)

    def test_a_reload_that_hangs_does_not_hold_it(self):
        with Snapshot("aws") as snapshot, Daemon(snapshot.path) as daemon:
            daemon.port("metrics")
            path = os.path.join(snapshot.path, "pods.json")
            os.unlink(path)
            os.mkfifo(path)
            daemon.signal(signal.SIGHUP)
            with open_for(daemon, path):  # and the reload waits for bytes
                began = time.monotonic()
                self.assertEqual(daemon.end(), 0)
                self.assertLess(time.monotonic() - began, 5)
            daemon.logged("stopped")

    def test_it_ends_while_it_starts(self):
        with Snapshot("aws") as snapshot:
            path = os.path.join(snapshot.path, "pods.json")
            os.unlink(path)
            os.mkfifo(path)
            with Daemon(snapshot.path) as daemon, open_for(daemon, path):
                self.assertEqual(daemon.end(), 128 + signal.SIGTERM)


def open_for(daemon, path):
    """The writing end of a fifo that the daemon has opened to read; there is nothing to wait on."""
    until = time.monotonic() + WAIT
    while daemon.process.poll() is None and time.monotonic() < until:
        try:
            return os.fdopen(os.open(path, os.O_WRONLY | os.O_NONBLOCK), "wb")
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        time.sleep(0.01)
    raise AssertionError(f"{path} is not read: {daemon.log()}")


def read_all(peer):
    found = b""
    while True:
        piece = peer.recv(65536)
        if not piece:
            return found
        found += piece


class Lines(unittest.TestCase):
    def test_a_change_of_nothing_warns_of_nothing(self):
        with Daemon(config=LISTEN) as daemon:
            daemon.port("metrics")
            daemon.reload()
            self.assertEqual([one for one in daemon.log() if one["level"] != "info"], [])


if __name__ == "__main__":
    unittest.main()
