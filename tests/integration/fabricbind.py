# SPDX-License-Identifier: Apache-2.0
"""Runs the program on snapshots; what the integration tests share."""

import json
import os
import subprocess
import tempfile

BIN = os.environ["FB_BIN"]
DATA = os.environ["FB_TEST_DATA"]


def data(*parts):
    return os.path.join(DATA, *parts)


def load(*parts):
    with open(data(*parts), encoding="utf-8") as file:
        return json.load(file)


def run(*args, stdin=None, env=None):
    """The finished process; output is text."""
    surroundings = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    surroundings.update(env or {})
    return subprocess.run([BIN, *args], input=stdin, capture_output=True, text=True,
                          env=surroundings, check=False, timeout=100)


def answer(*args, code=0, **kwargs):
    """The JSON that the program prints; its exit code must be @code."""
    done = run(*args, "-o", "json", **kwargs)
    if done.returncode != code:
        raise AssertionError(f"{args}: exit {done.returncode}, not {code}: {done.stderr}")
    return json.loads(done.stdout)


class Snapshot:
    """A snapshot directory that a test may change; removed at the end of the with block."""

    def __init__(self, provider=None, nodes=None):
        self._folder = tempfile.TemporaryDirectory(prefix="fabricbind-test-")
        self.path = self._folder.name
        self.lists = {}
        if provider is not None:
            for name in ("nodes", "pods", "podgroups", "vcjobs"):
                self.lists[name] = load("snapshots", provider, name + ".json")
        if nodes is not None:
            self.lists["nodes"] = {"apiVersion": "v1", "kind": "List", "items": nodes}

    def __enter__(self):
        self.save()
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def items(self, name):
        return self.lists[name]["items"]

    def node(self, name):
        return next(node for node in self.items("nodes") if node["metadata"]["name"] == name)

    def empty(self):
        """No pod runs."""
        self.lists["pods"]["items"] = []

    def save(self):
        for name, value in self.lists.items():
            self.write(name + ".json", json.dumps(value))

    def write(self, name, text):
        path = os.path.join(self.path, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def job(provider, name):
    return data("snapshots", provider, f"job-{name}.yaml")


def placed(plan):
    """Node by pod."""
    return {place["pod"]: place["node"] for place in plan["placements"]}


def verdicts(plan, node):
    """(verdict, reason) by task of @node."""
    tasks = next(entry for entry in plan["nodes"] if entry["node"] == node)["tasks"]
    return {task: (said["verdict"], said["reason"]) for task, said in tasks.items()}


def bad(findings):
    """(level, code, subject) of what is worse than info."""
    return [(one["level"], one["code"], one["subject"])
            for one in findings["findings"] if one["level"] != "info"]
