# SPDX-License-Identifier: Apache-2.0
"""A client that sends what it is told, byte by byte if need be, and what it sees of the process."""

import copy
import json
import os
import socket
import tarfile
import time

from daemon import WAIT
from fabricbind import data

NEUTRAL = {
    "predicate": '{"errorMessage":"","status":"","code":0}',
    "prioritize": '{"nodeScore":{},"errorMessage":""}',
    "allocate": '{"errorMessage":""}',
    "deallocate": '{"errorMessage":""}',
    "jobenqueueable": '{"status":0}',
    "jobready": '{"status":true}',
    "preemptable": '{"status":0,"victims":[]}',
    "reclaimable": '{"status":0,"victims":[]}',
    "queueoverused": '{"overused":false}',
    "jobenqueued": "{}",
    "sessionopen": "",
    "sessionclose": "",
}
READING = ("predicate", "prioritize", "allocate", "deallocate")

POD = {
    "metadata": {"name": "p", "namespace": "team", "uid": "p",
                 "annotations": {"fabricbind.io/networking": "true"}},
    "spec": {"containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "8"}}}]},
}
AMOUNTS = {"MilliCPU": 9000, "Memory": 1000000,
           "ScalarResources": {"nvidia.com/gpu": 8000, "vpc.amazonaws.com/efa": 32000}}
NODE = {
    "Name": "n-1",
    "Node": {
        "metadata": {"name": "n-1", "labels": {"node.kubernetes.io/instance-type": "p5.48xlarge"}},
        "status": {"allocatable": {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"},
                   "conditions": [{"type": "Ready", "status": "True"}]},
    },
    "Idle": AMOUNTS,
    "Tasks": {"team/o": {"Status": 64, "Pod": POD}},
}
TASK = {"UID": "p", "NodeName": "", "Status": 1, "Pod": POD}


def body(verb):
    """A small body of this verb, as a tree that the caller may change."""
    tree = {"task": TASK}
    if verb == "predicate":
        tree["node"] = NODE
    elif verb == "prioritize":
        tree["nodes"] = [NODE]
    return copy.deepcopy(tree)


def pack(tree):
    return json.dumps(tree, separators=(",", ":")).encode()


def recorded(folder, verb):
    """Recorded bodies of a verb, in order."""
    with tarfile.open(data("recorded", "volcano.tar.xz")) as tar:
        names = sorted(name for name in tar.getnames()
                       if f"{folder}/" in name and name.endswith(f"-{verb}.json"))
        return [tar.extractfile(name).read() for name in names]


def request(path, content, method="POST"):
    return (f"{method} {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(content)}\r\n\r\n"
            .encode() + content)


def chunk(content):
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


class Peer:
    """A connection to @port."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), WAIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._got = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, content):
        self.socket.sendall(content)

    def send_pieces(self, path, content, size, chunked):
        """A request whose body goes out in pieces of @size bytes, each by one call."""
        length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(content)}"
        self.send(f"POST {path} HTTP/1.1\r\nHost: a\r\n{length}\r\n\r\n".encode())
        for at in range(0, len(content), size):
            piece = content[at:at + size]
            self.send(chunk(piece) if chunked else piece)
        if chunked:
            self.send(b"0\r\n\r\n")

    def reset(self):
        """Close so that the other side is told of it by RST, not by FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def _more(self):
        got = self.socket.recv(65536)
        if not got:
            raise ConnectionError(f"closed after {self._got[:200]}")
        self._got += got

    def read(self):
        """(status, headers in lower case, body) of the next answer."""
        while b"\r\n\r\n" not in self._got:
            self._more()
        head, _, self._got = self._got.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        headers = {key.lower(): value for key, value in
                   (line.split(": ", 1) for line in lines[1:])}
        length = int(headers["content-length"])
        while len(self._got) < length:
            self._more()
        text, self._got = self._got[:length], self._got[length:]
        return int(lines[0].split(" ")[1]), headers, text.decode()

    def ask(self, path, content):
        self.send(request(path, content))
        status, _, text = self.read()
        return status, text


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory(pid, key="VmRSS"):
    """KiB; key VmHWM: the most so far."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key + ":"))


def is_sanitized(pid):
    """Its memory is then another matter."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        text = file.read()
    return "libasan" in text or "libtsan" in text or "libclang_rt" in text


def settled(pid, most):
    """Wait until no more than @most descriptors are open; how many there are."""
    end = time.monotonic() + WAIT
    while descriptors(pid) > most and time.monotonic() < end:
        time.sleep(0.01)
    return descriptors(pid)
