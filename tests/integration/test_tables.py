# SPDX-License-Identifier: Apache-2.0
"""Tables for people: golden at 80 and 160 columns, on a pipe and on a terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from fabricbind import BIN, Snapshot, data, job, load, run

COLOUR = re.compile("\x1b\\[[0-9;]*m")
LONG_NAME = "gpu-node-with-a-name-of-exactly-sixty-three-characters-in-all-x"
WIDTHS = (80, 160)
COMMANDS = {
    "nodes": ("nodes",),
    "plan": ("plan", "--job", job("aws", "mixtral-pre")),
    "too-big": ("plan", "--job", job("aws", "too-big")),
    "check": ("check",),
}


def golden(name):
    with open(data("tables", name + ".txt"), encoding="utf-8") as file:
        return file.read()


def on_terminal(args, width, env=None):
    """What the program writes to a terminal of @width columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    surroundings = {key: value for key, value in os.environ.items()
                    if key not in ("COLUMNS", "NO_COLOR")}
    surroundings.update({"TERM": "xterm"}, **(env or {}))
    with subprocess.Popen([BIN, *args], stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=subprocess.DEVNULL, env=surroundings) as child:
        os.close(theirs)
        pieces = []
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            pieces.append(piece)
        child.wait(timeout=60)
    os.close(ours)
    return b"".join(pieces).decode("utf-8").replace("\r\n", "\n")


class Tables(unittest.TestCase):
    maxDiff = None

    def narrow(self, text, width):
        for line in COLOUR.sub("", text).splitlines():
            self.assertLessEqual(len(line), width, line)
            self.assertEqual(line, line.rstrip(), "blanks at the end")

    def test_golden_on_a_pipe_and_on_a_terminal(self):
        for name, command in COMMANDS.items():
            args = (*command, "--snapshot", data("snapshots", "aws"))
            for width in WIDTHS:
                piped = run(*args, env={"COLUMNS": str(width)}).stdout
                self.assertEqual(piped, golden(f"{name}-{width}"), (name, width))
                self.narrow(piped, width)
                shown = on_terminal(args, width)
                self.assertIn("\x1b[", shown)
                self.assertEqual(COLOUR.sub("", shown), piped)
                self.assertEqual(on_terminal(args, width, {"NO_COLOR": "1"}), piped)
                self.assertEqual(on_terminal(args, width, {"TERM": "dumb"}), piped)

    def test_golden_colours(self):
        args = (*COMMANDS["check"], "--snapshot", data("snapshots", "aws"))
        shown = on_terminal(args, 160).replace("\x1b", "<ESC>")
        self.assertEqual(shown, golden("check-160-colour"))

    def test_a_pipe_without_a_width_is_80_wide_and_plain(self):
        args = (*COMMANDS["nodes"], "--snapshot", data("snapshots", "aws"))
        self.assertEqual(run(*args).stdout, golden("nodes-80"))

    def test_a_node_name_of_63_characters(self):
        self.assertEqual(len(LONG_NAME), 63)
        nodes = load("snapshots", "aws", "nodes.json")["items"]
        nodes[5]["metadata"]["name"] = LONG_NAME
        with Snapshot(nodes=nodes) as snapshot:
            for command in COMMANDS.values():
                for width in (20, 40, *WIDTHS, 300):
                    text = run(*command, "--snapshot", snapshot.path,
                               env={"COLUMNS": str(width)}).stdout
                    self.narrow(text, width)
            wide = run("nodes", "--snapshot", snapshot.path, env={"COLUMNS": "160"}).stdout
        self.assertIn(LONG_NAME, wide)

    def test_what_a_name_holds_does_not_reach_the_terminal(self):
        nodes = load("snapshots", "aws", "nodes.json")["items"][:6]
        nodes[5]["metadata"]["name"] = "n\x1b[2Jx\ny"
        with Snapshot(nodes=nodes) as snapshot:
            text = run("nodes", "--snapshot", snapshot.path).stdout
        self.assertNotIn("\x1b", text)
        self.assertIn("n?[2Jx?y", text)


if __name__ == "__main__":
    unittest.main()
