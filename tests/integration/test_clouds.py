# SPDX-License-Identifier: Apache-2.0
"""Plans and findings on the recorded snapshots of four clouds."""

import json
import random
import unittest

from fabricbind import Snapshot, answer, bad, data, job, placed, run, verdicts

FREE_P5 = {"p5-0000", "p5-0001", "p5-0003", "p5-0006", "p5-0007"}
P4D = ("p4d-0000", "p4d-0001", "p4d-0002")
MISMATCH = "fabricbind: configured NICs per GPU do not match this instance type"


def block(snapshot, provider, **values):
    """A configuration with one provider of Helix's block enabled."""
    lines = "".join(f", {key}: {value}" for key, value in values.items())
    return snapshot.write("fabricbind.yaml",
                          f"multinodeNetworking:\n  {provider}: {{enabled: true{lines}}}\n")


class Aws(unittest.TestCase):
    def test_auto_keeps_the_gang_on_p5(self):
        with Snapshot("aws") as snapshot:
            config = block(snapshot, "aws", efaDevicesPerGPU="auto")
            plan = answer("plan", "--snapshot", snapshot.path, "--config", config,
                          "--job", job("aws", "mixtral-pre"))
        self.assertTrue(plan["fits"])
        self.assertEqual(plan["gang"]["pods"], 4)
        self.assertEqual(plan["gang"]["blocks"], 1)
        nodes = placed(plan)
        self.assertEqual(set(nodes), {"mixtral-pre-leader-0", "mixtral-pre-worker-0",
                                      "mixtral-pre-worker-1", "mixtral-pre-worker-2"})
        self.assertEqual(len(set(nodes.values())), 4)
        self.assertLessEqual(set(nodes.values()), FREE_P5)
        for place in plan["placements"]:
            self.assertEqual(place["nics"], {"vpc.amazonaws.com/efa": 32})

    def test_own_pods_are_taken_out_and_said(self):
        done = run("plan", "--snapshot", data("snapshots", "aws"),
                   "--job", job("aws", "mixtral-pre"))
        self.assertIn("default/mixtral-pre: its own 4 pods are taken out", done.stderr)

    def test_order_of_objects_changes_nothing(self):
        shuffle = random.Random(20261130)
        seen = set()
        with Snapshot("aws") as snapshot:
            for _ in range(200):
                shuffle.shuffle(snapshot.items("nodes"))
                shuffle.shuffle(snapshot.items("pods"))
                snapshot.save()
                plan = answer("plan", "--snapshot", snapshot.path,
                              "--job", job("aws", "mixtral-pre"))
                seen.add(tuple(sorted(placed(plan).items())))
        self.assertEqual(len(seen), 1)

    def test_keep_members_finds_two_fabrics(self):
        plan = answer("plan", "--snapshot", data("snapshots", "aws"), "--keep-members",
                      "--job", job("aws", "mixtral-pre"), code=1)
        self.assertFalse(plan["fits"])
        self.assertTrue(any("already spans two fabrics" in text for text in plan["warnings"]))
        done = run("plan", "--snapshot", data("snapshots", "aws"), "--keep-members",
                   "--job", job("aws", "mixtral-pre"))
        self.assertIn("already spans two fabrics", done.stdout.replace("\n", " "))

    def test_4_never_fits_p4d(self):
        with Snapshot("aws") as snapshot:
            config = block(snapshot, "aws", efaDevicesPerGPU="4")
            plan = answer("plan", "--snapshot", snapshot.path, "--config", config,
                          "--job", job("aws", "mixtral-pre"))
            found = answer("check", "--snapshot", snapshot.path, "--config", config, code=1)
        for node in P4D:
            for said in verdicts(plan, node).values():
                self.assertEqual(said, ("never", MISMATCH))
        self.assertIn(("error", "ratio-mismatch", "p4d.24xlarge"), bad(found))
        text = next(one["message"] for one in found["findings"] if one["subject"] == "p4d.24xlarge")
        self.assertIn("4 NICs per GPU against 1/2", text)

    def test_1_is_too_much_for_p4d_and_too_little_for_p5(self):
        with Snapshot("aws") as snapshot:
            config = block(snapshot, "aws", efaDevicesPerGPU="1")
            found = answer("check", "--snapshot", snapshot.path, "--config", config, code=1)
        self.assertIn(("error", "ratio-mismatch", "p4d.24xlarge"), bad(found))
        self.assertIn(("warning", "ratio-mismatch", "p5.48xlarge"), bad(found))
        text = next(one["message"] for one in found["findings"] if one["subject"] == "p5.48xlarge")
        self.assertIn("24 of 32 vpc.amazonaws.com/efa stay unused", text)

    def test_one_sick_node_changes_nothing_for_the_others(self):
        for resource, value, code in (("vpc.amazonaws.com/efa", "31", "nics-below-shape"),
                                      ("nvidia.com/gpu", "7", "gpus-below-shape")):
            with Snapshot("aws") as snapshot:
                before = answer("plan", "--snapshot", snapshot.path,
                                "--job", job("aws", "mixtral-pre"))
                sick = snapshot.node("p5-0005")
                sick["status"]["allocatable"][resource] = value
                snapshot.save()
                after = answer("plan", "--snapshot", snapshot.path,
                               "--job", job("aws", "mixtral-pre"))
                found = answer("check", "--snapshot", snapshot.path, code=1)
            self.assertEqual(after["placements"], before["placements"])
            for node in FREE_P5 | set(P4D):
                self.assertEqual(verdicts(after, node), verdicts(before, node))
            named = [one for one in found["findings"] if one["code"] == code]
            self.assertEqual([(one["level"], one["subject"], one["count"]) for one in named],
                             [("warning", "p5.48xlarge", 1)])
            self.assertIn("p5-0005", named[0]["message"])


class Azure(unittest.TestCase):
    def test_seats(self):
        with Snapshot("azure") as snapshot:
            snapshot.empty()
            snapshot.save()
            for ratio, seats in (("auto", 1), ("1", 8)):
                config = block(snapshot, "azure", rdmaDevicesPerGPU=ratio,
                               rdmaDeviceName="hca_shared_devices_a")
                plan = answer("plan", "--snapshot", snapshot.path, "--config", config,
                              "--job", job("azure", "mixtral-pre"))
                self.assertEqual([place["nics"] for place in plan["placements"]],
                                 [{"rdma/hca_shared_devices_a": seats}] * 4)
                found = answer("check", "--snapshot", snapshot.path, "--config", config)
                self.assertEqual(bad(found), [])
            nodes = answer("nodes", "--snapshot", snapshot.path)["nodes"]
        told = [node["units"] for node in nodes if node["node"].startswith("nd-")]
        self.assertEqual(told, [{"rdma/hca_shared_devices_a": 63}] * 8)

    def two_sets(self, snapshot):
        for number in range(4, 8):
            spec = snapshot.node(f"nd-000{number}")["spec"]
            spec["providerID"] = spec["providerID"].replace("aks-nd0-24680135-vmss",
                                                            "aks-nd1-13579246-vmss")

    def test_a_gang_stays_in_one_scale_set(self):
        with Snapshot("azure") as snapshot:
            self.two_sets(snapshot)
            snapshot.save()
            plan = answer("plan", "--snapshot", snapshot.path, "--job", job("azure", "llama-sft"))
            sets = {dict(map(tuple, place["fabric"]))["spec.providerID"]
                    for place in plan["placements"]}
        self.assertEqual(len(plan["placements"]), 2)
        self.assertEqual(len(sets), 1)

    def test_a_gang_of_5_is_short_by_1(self):
        with Snapshot("azure") as snapshot:
            self.two_sets(snapshot)
            snapshot.empty()
            snapshot.save()
            with open(job("azure", "llama-sft"), encoding="utf-8") as file:
                text = file.read()
            five = snapshot.write("five.yaml", text.replace("minAvailable: 2", "minAvailable: 5")
                                  .replace("num-nodes: '2'", "num-nodes: '5'")
                                  .replace("name: worker\n    replicas: 1",
                                           "name: worker\n    replicas: 4"))
            plan = answer("plan", "--snapshot", snapshot.path, "--job", five, code=1)
        self.assertEqual(plan["pods"], 5)
        self.assertEqual(plan["short"]["pods"], 1)
        self.assertEqual(plan["short"]["takes"], 4)
        self.assertEqual(plan["placements"], [])


class Gcp(unittest.TestCase):
    def test_whole_nodes_and_each_network(self):
        with Snapshot("gcp") as snapshot:
            snapshot.empty()
            snapshot.save()
            plan = answer("plan", "--snapshot", snapshot.path, "--job", job("gcp", "mixtral-pre"))
            want = {f"networking.gke.io.networks/gpu-nic{i}": 1 for i in range(8)}
            self.assertEqual([place["nics"] for place in plan["placements"]], [want] * 4)
            # Half a node is refused by name.
            with open(job("gcp", "mixtral-pre"), encoding="utf-8") as file:
                half = snapshot.write("half.yaml", file.read().replace("nvidia.com/gpu: '8'",
                                                                       "nvidia.com/gpu: '4'"))
            plan = answer("plan", "--snapshot", snapshot.path, "--job", half, code=1)
            self.assertEqual(verdicts(plan, "a3m-0000")["worker"],
                             ("never",
                              "fabricbind: this network is shared by whole nodes only"))

    def test_a_missing_network_is_missed(self):
        for number in range(8):
            with Snapshot("gcp") as snapshot:
                snapshot.empty()
                name = f"networking.gke.io.networks/gpu-nic{number}"
                del snapshot.node("a3m-0003")["status"]["allocatable"][name]
                snapshot.save()
                plan = answer("plan", "--snapshot", snapshot.path,
                              "--job", job("gcp", "mixtral-pre"))
            self.assertEqual(verdicts(plan, "a3m-0003")["worker"],
                             ("never", f"fabricbind: node has no {name}"))
            self.assertNotIn("a3m-0003", placed(plan).values())


class Oci(unittest.TestCase):
    def test_8_asks_64_of_16(self):
        with Snapshot("oci") as snapshot:
            snapshot.empty()
            snapshot.save()
            config = block(snapshot, "oci", rdmaDevicesPerGPU="8")
            found = answer("check", "--snapshot", snapshot.path, "--config", config, code=1)
            plan = answer("plan", "--snapshot", snapshot.path, "--config", config,
                          "--job", job("oci", "mixtral-pre"), code=1)
        self.assertEqual(bad(found), [("error", "ratio-mismatch", "BM.GPU.H100.8")])
        self.assertIn("asks for 64 of 16 nvidia.com/mlnxnics", found["findings"][0]["message"])
        self.assertEqual(verdicts(plan, "oci-0000")["worker"], ("never", MISMATCH))

    def test_auto_asks_16(self):
        with Snapshot("oci") as snapshot:
            snapshot.empty()
            snapshot.save()
            plan = answer("plan", "--snapshot", snapshot.path, "--job", job("oci", "mixtral-pre"))
        self.assertEqual([place["nics"] for place in plan["placements"]],
                         [{"nvidia.com/mlnxnics": 16}] * 4)


class All(unittest.TestCase):
    def test_check_finds_only_gangs_on_two_fabrics(self):
        want = {"aws": [("error", "gang-two-fabrics", "default/mixtral-pre")],
                "azure": [], "gcp": [], "oci": []}
        for provider, findings in want.items():
            found = answer("check", "--snapshot", data("snapshots", provider),
                           code=1 if findings else 0)
            self.assertEqual(bad(found), findings, provider)
            self.assertEqual(found["ok"], not findings)
            # Side by side is information, and the only one.
            self.assertLessEqual({one["code"] for one in found["findings"]},
                                 {"gang-two-fabrics", "fabrics"})

    def test_too_big_says_how_much(self):
        want = {"aws": (61, "p5.48xlarge"), "azure": (63, "Standard_ND96isr_H100_v5"),
                "gcp": (63, "a3-megagpu-8g"), "oci": (63, "BM.GPU.H100.8")}
        for provider, (pods, shape) in want.items():
            args = ("plan", "--snapshot", data("snapshots", provider),
                    "--job", job(provider, "too-big"))
            plan = answer(*args, code=1)
            self.assertEqual(plan["short"]["pods"], pods, provider)
            self.assertEqual(plan["short"]["resource"], "nvidia.com/gpu", provider)
            self.assertEqual(plan["short"]["takes"], 64 - pods, provider)
            self.assertIn(shape, plan["short"]["fabric"])
            done = run(*args)
            lines = [line for line in done.stderr.splitlines() if "do not fit" in line]
            self.assertEqual(len(lines), 1, provider)
            self.assertIn(f"{pods} of 64 pods do not fit", lines[0])
            self.assertIn("nvidia.com/gpu", lines[0])
            self.assertIn(shape, lines[0])

    def test_one_list_on_standard_input(self):
        with Snapshot("aws") as snapshot:
            both = dict(snapshot.lists["nodes"])
            both["items"] = [item for value in snapshot.lists.values() for item in value["items"]]
        args = ("plan", "--job", job("aws", "mixtral-pre"), "--snapshot")
        piped = answer(*args, "-", stdin=json.dumps(both))
        self.assertEqual(piped, answer(*args, data("snapshots", "aws")))

    def test_later_jobs_see_what_earlier_ones_took(self):
        plans = answer("plan", "--snapshot", data("snapshots", "aws"),
                       "--job", job("aws", "mixtral-pre"), "--job", job("aws", "llama-sft"))
        first, second = (set(placed(plan).values()) for plan in plans["plans"])
        self.assertEqual(len(first), 4)
        self.assertEqual(len(second), 2)
        self.assertFalse(first & second)


if __name__ == "__main__":
    unittest.main()
