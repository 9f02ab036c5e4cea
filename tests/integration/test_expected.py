# SPDX-License-Identifier: Apache-2.0
"""The 29 nodes and 6 jobs of tests/data against what their READMEs conclude."""

import json
import unittest

from fabricbind import Snapshot, answer, data, load, run

NODES = load("nodes", "expected.json")
JOBS = load("jobs", "expected.json")

# The page of the nodes says that a pod would find its NICs here; the design says that a gang of
# two or more never runs on a node whose fabric nobody knows. The design holds.
FABRIC_UNKNOWN = ("never", "fabricbind: fabric of this node is unknown")
UNKNOWN_NODES = ("oke-a100-no-imds",)

# The word in front of the colon is the verdict; these are the reasons behind it.
REASONS = {
    "never: need 32, node has 2": "node has fewer vpc.amazonaws.com/efa than the pod needs",
    "never: need 16, node has 2": "node has fewer vpc.amazonaws.com/efa than the pod needs",
    "never: need 32, node has 0": "node has no vpc.amazonaws.com/efa",
    "never: need 16, node has 0": "node has no vpc.amazonaws.com/efa",
    "never: node has no vpc.amazonaws.com/efa": "node has no vpc.amazonaws.com/efa",
    "never: asks 32 vpc.amazonaws.com/efa, node has 2":
        "node has fewer vpc.amazonaws.com/efa than the pod needs",
    "never: 7 GPUs of 8": "node has fewer nvidia.com/gpu than the pod needs",
    "never: 0 GPUs of 8": "node has no nvidia.com/gpu",
    "never: 0 GPUs of 4": "node has no nvidia.com/gpu",
    "never: node has no nvidia.com/gpu": "node has no nvidia.com/gpu",
    "never: whole nodes only": "this network is shared by whole nodes only",
}

# The task whose pods ask for GPUs.
GPU_TASKS = {
    "pytorchjob-fsdp.yaml": ("master", "worker"),
    "mpijob-nccl.yaml": ("worker",),
    "jobset-driver-workers.yaml": ("workers",),
    "volcano-mpi.yaml": ("mpiworker",),
    "indexed-job-half-node.yaml": ("main",),
}


def objects():
    """The node objects, by file name without .json."""
    return {name[:-len(".json")]: load("nodes", name) for name in NODES}


def said(expected, node):
    """What the program must say where the data says @expected."""
    verdict, _, why = expected.partition(": ")
    if verdict == "fits":
        return FABRIC_UNKNOWN if node in UNKNOWN_NODES else ("fits", "")
    if verdict == "excluded":
        return ("excluded", why)
    return ("never", "fabricbind: " + REASONS[expected])


class Nodes(unittest.TestCase):
    def test_every_value_of_29_nodes(self):
        nodes = objects()
        files = {node["metadata"]["name"]: name for name, node in nodes.items()}
        with Snapshot(nodes=list(nodes.values())) as snapshot:
            told = answer("nodes", "--snapshot", snapshot.path)["nodes"]
        self.assertEqual(len(told), 29)
        for node in told:
            name = files[node.pop("node")]
            want = {key: value for key, value in NODES[name + ".json"].items() if key != "notes"}
            self.assertIn("free", node)
            del node["free"]
            node["problems"].sort()
            want["problems"].sort()
            self.assertEqual(node, want, name)


class Jobs(unittest.TestCase):
    def plan(self, snapshot, job):
        done = run("plan", "--snapshot", snapshot.path, "--job", data("jobs", job), "-o", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def check_node(self, job, plan, file, node):
        expected = JOBS[job].get("on_empty_nodes", {}).get(file)
        entry = next(one for one in plan["nodes"] if one["node"] == node)
        for task in GPU_TASKS.get(job, ()):
            got = entry["tasks"][task]
            self.assertEqual((got["verdict"], got["reason"]), said(expected, file), (job, file))
        if job not in GPU_TASKS:
            self.assertIsNone(expected)

    def test_verdicts_in_one_cluster(self):
        nodes = objects()
        with Snapshot(nodes=list(nodes.values())) as snapshot:
            for job in JOBS:
                plan = self.plan(snapshot, job)
                for file, node in nodes.items():
                    self.check_node(job, plan, file, node["metadata"]["name"])

    def test_verdicts_on_each_node_alone(self):
        for file, node in objects().items():
            with Snapshot(nodes=[node]) as snapshot:
                for job in JOBS:
                    self.check_node(job, self.plan(snapshot, job), file, node["metadata"]["name"])

    def test_gangs(self):
        with Snapshot(nodes=list(objects().values())) as snapshot:
            for job, want in JOBS.items():
                plan = self.plan(snapshot, job)
                gangs = [plan["gang"]["pods"]] if plan["gang"] else []
                self.assertEqual(gangs, want["gangs"], job)
                self.assertEqual(plan["pods"], want["gpu_pods"] + want["pods_without_gpu"], job)

    def test_needs_by_count(self):
        """What a pod takes where it is placed is what the data says it needs."""
        nodes = objects()
        for job in GPU_TASKS:
            for file, expected in JOBS[job]["on_empty_nodes"].items():
                if not expected.startswith("fits: need ") or file in UNKNOWN_NODES:
                    continue
                # As many copies of the node as the gang has pods, and a node for those without GPUs.
                copies = [dict(nodes[file], metadata=dict(nodes[file]["metadata"], name=f"n{i}"))
                          for i in range(JOBS[job]["gangs"][0])]
                with Snapshot(nodes=[*copies, load("snapshots", "aws", "nodes.json")["items"][0]]) as snapshot:
                    plan = self.plan(snapshot, job)
                self.assertTrue(plan["fits"], (job, file, plan["short"]))
                nics = [place["nics"] for place in plan["placements"] if place["nics"]]
                self.assertEqual(len(nics), JOBS[job]["gangs"][0], (job, file))
                words = expected.removeprefix("fits: need ").split()
                for one in nics:
                    if "each" in words:
                        self.assertEqual(len(one), int(words[-1]), (job, file))
                        self.assertEqual(set(one.values()), {1}, (job, file))
                    else:
                        self.assertEqual(list(one.values()), [int(words[0])], (job, file))

    def test_part_of_a_gpu_warns(self):
        with Snapshot(nodes=list(objects().values())) as snapshot:
            plan = self.plan(snapshot, "pod-mig.yaml")
        self.assertEqual(len(plan["warnings"]), 1)
        self.assertIn("no whole GPUs", plan["warnings"][0])


if __name__ == "__main__":
    unittest.main()
