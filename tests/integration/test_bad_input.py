# SPDX-License-Identifier: Apache-2.0
"""What is refused: exit 2, one line with file and place, nothing on standard output."""

import copy
import json
import re
import unittest

from fabricbind import Snapshot, answer, data, job, load, run

BLOCK = "multinodeNetworking:\n  aws: {enabled: true, efaDevicesPerGPU: %s}\n"

# Text of a configuration file, and what the line on standard error must hold.
CONFIGS = [
    ("multinodeNetworking:\n  aws: {enabled: true}\n  azure: {enabled: true}\n",
     "c.yaml: line [0-9]+: multinodeNetworking: aws and azure are both enabled"),
    ("multinodeNetworking:\n  aws: {enabled: false}\n",
     "c.yaml: line [0-9]+: multinodeNetworking: no provider is enabled"),
    ("provider: onprem\nmultinodeNetworking:\n  aws: {enabled: true}\n",
     "c.yaml: line [0-9]+: .*provider"),
    ("mode: enforce\nplacment: prefer\n",
     "c.yaml: line 2: placment: unknown key, nearest is 'placement'"),
    ("multinodeNetworking:\n  aws: {enabled: true, efaDevicesPerGpu: 4}\n",
     "c.yaml: line 2: .*efaDevicesPerGpu: unknown key, nearest is 'efaDevicesPerGPU'"),
    (BLOCK % "0", "c.yaml: line 2: .*efaDevicesPerGPU: '0' is no ratio"),
    (BLOCK % "-1", "c.yaml: line 2: .*efaDevicesPerGPU: '-1' is no ratio"),
    (BLOCK % "1/0", "c.yaml: line 2: .*efaDevicesPerGPU: '1/0' is no ratio"),
    (BLOCK % "4x", "c.yaml: line 2: .*efaDevicesPerGPU: '4x' is no ratio"),
    ("provider: awz\n", "c.yaml: line 1: provider: .*nearest is 'aws'"),
    ("mode: [enforce]\n", "c.yaml: line 1: mode: "),
    ("mode: enforced\n", "c.yaml: line 1: mode: .*enforce"),
    ("scoring: {weight: nan}\n", "c.yaml: line 1: scoring.weight: "),
    ("limits: {fileBytes: 1Gx}\n", "c.yaml: line 1: limits.fileBytes: "),
    ("a: &x 1\nb: *x\n", "c.yaml: line [12]: "),
    ("mode: observe\nmode: enforce\n", "c.yaml: line 2: .*mode"),
    ("\tmode: observe\n", "c.yaml: line 1: "),
]


class BadInput(unittest.TestCase):
    def refused(self, want, *args, **kwargs):
        done = run(*args, **kwargs)
        lines = [line for line in done.stderr.splitlines()
                 if not re.search(r"fabricbind: \S+: no .*\.json: |taken out of the snapshot", line)]
        self.assertEqual(done.returncode, 2, (args, done.stderr))
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], want)

    def test_configurations(self):
        with Snapshot("aws") as snapshot:
            for text, want in CONFIGS:
                config = snapshot.write("c.yaml", text)
                self.refused(want, "check", "--snapshot", snapshot.path, "--config", config)

    def test_helix_values(self):
        with Snapshot("aws") as snapshot:
            values = snapshot.write("values.yaml", "image: {tag: x}\nmultinodeNetworking:\n"
                                                   "  aws: {enabled: true, efaDevices: 4}\n")
            self.refused("values.yaml: line 3: .*efaDevices: unknown key",
                         "check", "--snapshot", snapshot.path, "--helix-values", values)
            values = snapshot.write("values.yaml", "image: {tag: x}\n")
            self.refused("values.yaml: .*multinodeNetworking",
                         "check", "--snapshot", snapshot.path, "--helix-values", values)
            values = snapshot.write("values.yaml", "image: {tag: x}\nmultinodeNetworking:\n"
                                                   "  aws: {enabled: true, efaDevicesPerGPU: 0.5}\n"
                                                   "  azure: {enabled: false}\nother: [1]\n")
            found = answer("check", "--snapshot", snapshot.path, "--helix-values", values, code=1)
            texts = [one["message"] for one in found["findings"] if one["code"] == "ratio-mismatch"]
            self.assertEqual(len(texts), 1)  # p5; p4d has just that ratio
            self.assertIn("1/2 NICs per GPU against 4", texts[0])

    def test_snapshots(self):
        with open(data("snapshots", "aws", "nodes.json"), encoding="utf-8") as file:
            text = file.read()
        cut = text[:len(text) // 2]
        good = load("snapshots", "aws", "nodes.json")
        wrong_quantity = copy.deepcopy(good)
        wrong_quantity["items"][3]["status"]["allocatable"]["nvidia.com/gpu"] = "8x"
        negative = copy.deepcopy(good)
        negative["items"][3]["status"]["allocatable"]["nvidia.com/gpu"] = "-1"
        cases = [
            (cut, f"nodes.json: byte {len(cut.encode())}: input ends inside"),
            ("", "nodes.json: .*input ends"),
            (json.dumps({"kind": "List", "items": {"a": 1}}), "nodes.json: .*items: not a list"),
            (json.dumps({"kind": "List", "items": "x"}), "nodes.json: .*items: not a list"),
            (json.dumps(wrong_quantity),
             r"nodes.json: byte \d+: items\[3\].status.allocatable.nvidia.com/gpu: "
             "'8x' is no quantity"),
            (json.dumps(negative),
             r"nodes.json: byte \d+: items\[3\].status.allocatable.nvidia.com/gpu: '-1'"),
            ("[1, 2]", "nodes.json: .*not a List"),
            ("{\"items\": [}", "nodes.json: byte 11: "),
        ]
        with Snapshot("aws") as snapshot:
            for nodes, want in cases:
                snapshot.write("nodes.json", nodes)
                self.refused(want, "nodes", "--snapshot", snapshot.path)

    def test_a_file_over_its_limit(self):
        with Snapshot("aws") as snapshot:
            config = snapshot.write("c.yaml", "limits: {fileBytes: 10Ki}\n")
            self.refused("nodes.json: more than 10240 bytes",
                         "nodes", "--snapshot", snapshot.path, "--config", config)
            config = snapshot.write("c.yaml", "limits: {nodes: 5}\n")
            self.refused("nodes.json: .*more than 5 nodes",
                         "nodes", "--snapshot", snapshot.path, "--config", config)

    def test_manifests(self):
        cases = [
            ("kind: Service\napiVersion: v1\nmetadata: {name: x}\n", "j.yaml: no job in it"),
            ("", "j.yaml: no job in it"),
            ("kind: Pod\n  x: [\n", "j.yaml: line [0-9]+: "),
            ("apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec: {parallelism: -1, "
             "template: {spec: {containers: []}}}\n", "j.yaml: .*spec.parallelism: .*-1"),
            ("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: a, "
             "resources: {requests: {nvidia.com/gpu: 1z}}}]}\n", "j.yaml: .*'1z' is no quantity"),
        ]
        with Snapshot("aws") as snapshot:
            for text, want in cases:
                manifest = snapshot.write("j.yaml", text)
                self.refused(want, "plan", "--snapshot", snapshot.path, "--job", manifest)

    def test_usage(self):
        with Snapshot("aws") as snapshot:
            cases = [
                ((), "fabricbind: "),
                (("plan",), "fabricbind plan: --snapshot is missing"),
                (("plan", "--snapshot", snapshot.path), "fabricbind plan: --job is missing"),
                (("nodes", "--snapshott", snapshot.path), "fabricbind nodes: .*--snapshot"),
                (("nods",), "fabricbind: .*nodes"),
                (("nodes", "--snapshot", snapshot.path, "-o", "xml"), "table"),
                (("nodes", "--snapshot", snapshot.path + "/no"), "no/nodes.json: "),
                (("plan", "--snapshot", snapshot.path, "--job", snapshot.path + "/no.yaml"),
                 "no.yaml: No such file"),
                (("nodes", "--snapshot", snapshot.path, "--config", snapshot.path),
                 "is a directory"),
            ]
            for args, want in cases:
                self.refused(want, *args)


class Read(unittest.TestCase):
    """Strange, but read."""

    def test_bare_and_null_nodes(self):
        for strange in ({"kind": "Node", "metadata": {"name": "bare"}},
                        {"kind": "Node", "metadata": {"name": "bare", "labels": None},
                         "spec": None, "status": {"allocatable": None, "conditions": None}}):
            with Snapshot(nodes=[strange]) as snapshot:
                nodes = answer("nodes", "--snapshot", snapshot.path)["nodes"]
            self.assertEqual(nodes[0]["problems"], ["not-initialised"])

    def test_no_gpus_on_a_node_and_on_a_pod(self):
        with Snapshot("aws") as snapshot:
            snapshot.node("p5-0000")["status"]["allocatable"]["nvidia.com/gpu"] = "0"
            snapshot.save()
            node = next(one for one in answer("nodes", "--snapshot", snapshot.path)["nodes"]
                        if one["node"] == "p5-0000")
            self.assertEqual((node["gpus"], node["problems"]), (0, ["gpus-below-shape"]))
            with open(job("aws", "eval-single"), encoding="utf-8") as file:
                none = snapshot.write("none.yaml",
                                      file.read().replace("nvidia.com/gpu: '2'",
                                                          "nvidia.com/gpu: '0'"))
            plan = answer("plan", "--snapshot", snapshot.path, "--job", none)
            self.assertTrue(plan["fits"])

    def test_an_empty_cluster(self):
        with Snapshot(nodes=[]) as snapshot:
            self.assertEqual(answer("nodes", "--snapshot", snapshot.path), {"nodes": []})
            self.assertEqual(answer("check", "--snapshot", snapshot.path),
                             {"ok": True, "findings": []})
            plan = answer("plan", "--snapshot", snapshot.path,
                          "--job", job("aws", "mixtral-pre"), code=1)
            self.assertEqual(plan["short"]["pods"], 4)


if __name__ == "__main__":
    unittest.main()
