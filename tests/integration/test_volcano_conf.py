# SPDX-License-Identifier: Apache-2.0
"""check --volcano-conf: the files that are shipped, Volcano's own, and broken ones."""

import os
import re
import unittest

from fabricbind import Snapshot, answer, bad, load, run

VOLCANO = os.path.join(os.environ["FB_SOURCE_DIR"], "deploy", "volcano")

STOCK = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
"""


def shipped(wiring):
    with open(os.path.join(VOLCANO, wiring + ".conf"), encoding="utf-8") as file:
        return file.read()


def as_config_map(conf):
    lines = "".join(f"    {line}\n" for line in conf.splitlines())
    return ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: volcano-scheduler-configmap}\n"
            f"data:\n  volcano-scheduler.conf: |\n{lines}")


class VolcanoConf(unittest.TestCase):
    def setUp(self):
        self.cluster = Snapshot("aws")
        self.enterContext(self.cluster)
        self.before = answer("check", "--snapshot", self.cluster.path, code=self.code())
        self.maxDiff = None

    def code(self):
        return run("check", "--snapshot", self.cluster.path).returncode

    def found(self, conf, config="", code=None):
        """What the conf adds to the findings, without info."""
        args = ["check", "--snapshot", self.cluster.path,
                "--volcano-conf", self.cluster.write("v.conf", conf),
                "--config", self.cluster.write("c.yaml", config)]
        done = answer(*args, code=run(*args).returncode if code is None else code)
        known = bad(self.before)
        return [one for one in bad(done) if one not in known]

    def test_shipped_ones_are_sound(self):
        for wiring in ("full", "score"):
            conf = shipped(wiring)
            for text in (conf, as_config_map(conf)):
                self.assertEqual(self.found(text, f"wiring: {wiring}\n"), [], wiring)

    def test_full_is_for_the_default_configuration(self):
        self.assertEqual(self.found(shipped("full")), [])

    def test_one_wirings_conf_does_not_serve_the_other(self):
        self.assertEqual(self.found(shipped("score"), code=1),
                         [("error", "verb-missing", "extender")])
        self.assertEqual(self.found(shipped("full"), "wiring: score\n", code=1),
                         [("warning", "verb-beside-wiring", "extender")])

    def test_shipped_ones_have_volcanos_plugins_and_all_weights(self):
        for wiring in ("full", "score"):
            conf = shipped(wiring)
            names = re.findall(r"- name: (\S+)", conf)
            self.assertEqual([name for name in names if name != "extender"],
                             re.findall(r"- name: (\S+)", STOCK))
            self.assertEqual(names.index("extender"), names.index("predicates") + 1)
            self.assertEqual(len(re.findall(r"^ {6}\w+\.weight: \d+$", conf, re.M)), 9)

    def test_the_readme_has_the_weights_that_are_shipped(self):
        with open(os.path.join(VOLCANO, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        rows = re.findall(r"^\| \S+ `(\S+\.weight)` \| (\d+) \| \d+ \| (\d+) \| (\d+) \|$", readme,
                          re.M)
        self.assertEqual(len(rows), 9)
        for at, wiring in ((2, "full"), (3, "score")):
            weights = {row[0]: row[at] for row in rows}
            self.assertEqual(weights, dict(re.findall(r"^ {6}(\w+\.weight): (\d+)$", shipped(wiring),
                                                      re.M)))
            most = sum(int(row[1]) * int(row[at]) for row in rows)
            self.assertRegex(readme, rf"\| together \|.*\| {most} \|")

    def test_stock_volcano(self):
        self.assertEqual(self.found(STOCK, code=1),
                         [("error", "no-extender", "extender"),
                          ("warning", "score-drowned", "scoring.weight")])

    def test_an_address_that_is_configured(self):
        self.assertEqual(self.found(shipped("full"), "listen: {extender: '127.0.0.1:1234'}\n"),
                         [("error", "url-port", "extender")])

    def test_nics_of_the_policies(self):
        conf = shipped("full").replace("amd.com/gpu]", "amd.com/gpu, vpc.amazonaws.com/efa]")
        self.assertEqual(self.found(conf), [("warning", "managed-nics", "extender")])

    def test_the_level_of_the_exit_status(self):
        """Healthy nodes alone: nothing but the conf decides."""
        node = next(item for item in load("snapshots", "aws", "nodes.json")["items"]
                    if item["metadata"]["labels"].get("node.kubernetes.io/instance-type", "")
                    .startswith("p5"))
        with Snapshot(nodes=[node]) as cluster:
            args = ("check", "--snapshot", cluster.path, "--volcano-conf")
            good = cluster.write("v.conf", shipped("full"))
            self.assertEqual(run(*args, good).returncode, 0)
            worse = cluster.write("v.conf", shipped("full").replace('"true"', '"false"'))
            done = run(*args, worse)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("not-ignorable", done.stdout)

    def test_what_is_refused(self):
        for text, want in (("tiers: &a []\n", "v.conf: line 1: anchors"),
                           ("tiers: []\ntiers: []\n", "v.conf: line 2: key 'tiers' is given twice"),
                           ("", "v.conf: line 1: tiers: missing"),
                           ("kind: ConfigMap\ndata: {}\n", "v.conf: line 2: data: no entry")):
            path = self.cluster.write("v.conf", text)
            done = run("check", "--snapshot", self.cluster.path, "--volcano-conf", path)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(want, done.stderr.splitlines()[-1])
        done = run("check", "--snapshot", self.cluster.path, "--volcano-conf", "/nowhere.conf")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere.conf", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
