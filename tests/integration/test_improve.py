# SPDX-License-Identifier: Apache-2.0
"""The list "Improve" of tests/data/kyverno/README.md: a test for each of its 15 points."""

import json
import unittest

import test_parity
from fabricbind import Snapshot, data, run
from test_parity import by_name, cases, faults, read


def equip(provider, name, ratio="auto"):
    """(plan, pod with our patch, patch) of one recorded pod on its provider's nodes."""
    pod = read(data("kyverno", provider, name + ".in.json"))
    with Snapshot(provider) as snapshot:
        snapshot.empty()
        snapshot.save()
        which = "auto" if ratio == "auto" else "configured"
        config = test_parity.Parity.configure(snapshot, provider, ratio, which)
        return test_parity.Parity.equip(snapshot, config, pod)


def limits(pod, container="trainer"):
    return by_name(pod)[container].get("resources", {}).get("limits", {})


def variables(pod, container="trainer"):
    return {one["name"]: one.get("value", one.get("valueFrom"))
            for one in by_name(pod)[container].get("env", [])}


def mounts(pod, container="trainer"):
    return {one["mountPath"]: one for one in by_name(pod)[container].get("volumeMounts", [])}


def networks(pod):
    text = pod["metadata"].get("annotations", {}).get("k8s.v1.cni.cncf.io/networks", "")
    return [one for one in text.split(",") if one]


class Improve(unittest.TestCase):
    def test_01_gcp_annotations_are_in_metadata(self):
        _, pod, _ = equip("gcp", "base")
        self.assertNotIn("annotations", pod)
        annotations = pod["metadata"]["annotations"]
        self.assertEqual(annotations["networking.gke.io/default-interface"], "eth0")
        pairs = {one["interfaceName"]: one["network"]
                 for one in json.loads(annotations["networking.gke.io/interfaces"])}
        self.assertEqual(pairs, {"eth0": "default",
                                 **{f"eth{i + 1}": f"gpu-nic{i}" for i in range(8)}})
        self.assertIn("/dev/nvidia7", annotations["devices.gke.io/container.tcpxo-daemon"])

    def test_02_pods_that_were_refused_are_valid(self):
        for provider, name, ratio in (
                ("aws", "env-valuefrom-ratio4", "4"), ("azure", "env-valuefrom", "1"),
                ("gcp", "env-valuefrom", "auto"), ("oci", "env-valuefrom-ratio2", "2"),
                ("aws", "shm-name-conflict-ratio4", "4"), ("azure", "shm-name-conflict", "1"),
                ("gcp", "shm-name-conflict", "auto"), ("oci", "shm-name-conflict-ratio2", "2"),
                ("azure", "secctx-localhost", "1"), ("azure", "secctx-privileged", "1"),
                ("aws", "gpu1-ratio0.5", "0.5")):
            _, pod, patch = equip(provider, name, ratio)
            self.assertTrue(patch, (provider, name))
            self.assertEqual(list(faults(pod)), [], (provider, name))

    def test_03_the_users_own_settings_win(self):
        _, pod, _ = equip("aws", "env-shm-ratio4")
        self.assertEqual(variables(pod)["FI_EFA_USE_HUGE_PAGE"], "1")
        _, pod, _ = equip("aws", "nic-preset-ratio4")
        self.assertEqual(limits(pod)["vpc.amazonaws.com/efa"], "16")
        _, pod, _ = equip("oci", "networks-preset-ratio2")
        before = read(data("kyverno", "oci", "networks-preset-ratio2.in.json"))
        self.assertEqual(networks(pod)[:len(networks(before))], networks(before))
        self.assertEqual(len(networks(pod)), 16 + len(networks(before)))
        _, pod, _ = equip("azure", "secctx-caps")
        context = by_name(pod)["trainer"]["securityContext"]
        self.assertEqual(context["seccompProfile"]["type"], "Unconfined")
        self.assertTrue(context["allowPrivilegeEscalation"])
        self.assertEqual(set(context["capabilities"]["add"]), {"SYS_PTRACE", "IPC_LOCK"})
        _, pod, _ = equip("gcp", "daemon-preset")
        before = read(data("kyverno", "gcp", "daemon-preset.in.json"))
        self.assertEqual(by_name(pod)["tcpxo-daemon"], by_name(before)["tcpxo-daemon"])

    def test_04_a_claim_on_scratch_stays_in_view(self):
        before = read(data("kyverno", "gcp", "scratch-other-volume.in.json"))
        _, pod, _ = equip("gcp", "scratch-other-volume")
        self.assertEqual(mounts(pod)["/scratch"], mounts(before)["/scratch"])

    def test_05_the_limit_of_the_users_shm_stays(self):
        before = read(data("kyverno", "aws", "env-shm-ratio4.in.json"))
        _, pod, _ = equip("aws", "env-shm-ratio4")
        self.assertEqual(mounts(pod)["/dev/shm"], mounts(before)["/dev/shm"])

    def test_06_two_gpu_containers_get_as_many_networks_as_nics(self):
        _, pod, _ = equip("oci", "two-gpu-ratio2")
        nics = sum(int(limits(pod, name)["nvidia.com/mlnxnics"])
                   for name in ("trainer", "trainer-2"))
        self.assertEqual(nics, 16)
        self.assertEqual(networks(pod), ["network-operator/sriov-net"] * nics)

    def test_07_256_nics_get_256_networks(self):
        plan, pod, _ = equip("oci", "gpu32-ratio8", "8")
        self.assertEqual(plan["warnings"], [])
        self.assertEqual(limits(pod)["nvidia.com/mlnxnics"], "256")
        self.assertEqual(len(networks(pod)), 256)

    def test_08_every_instance_type_has_its_own_ratio(self):
        _, pod, _ = equip("aws", "base-ratio1")
        terms = pod["spec"]["affinity"]["nodeAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        pins = {one["key"]: one["values"] for one in terms[0]["matchExpressions"]}
        wanted = {"p4d.24xlarge": "4", "p5.48xlarge": "32"}
        self.assertEqual(limits(pod)["vpc.amazonaws.com/efa"],
                         wanted[pins["node.kubernetes.io/instance-type"][0]])
        path = data("kyverno", "aws", "base-ratio1.in.json")
        with Snapshot("aws") as snapshot:
            snapshot.empty()
            snapshot.save()
            config = test_parity.Parity.configure(snapshot, "aws", "auto", "auto")
            pod = read(path)
            pod["spec"]["nodeSelector"] = {"node.kubernetes.io/instance-type": "p4d.24xlarge"}
            _, pod, _ = test_parity.Parity.equip(snapshot, config, pod)
        self.assertEqual(limits(pod)["vpc.amazonaws.com/efa"], "4")
        _, pod, _ = equip("oci", "base-ratio8")
        self.assertEqual(limits(pod)["nvidia.com/mlnxnics"], "16")

    def test_09_no_gpu_no_network(self):
        for provider, name in (("aws", "gpu0-ratio4"), ("azure", "gpu0"), ("gcp", "gpu0"),
                               ("oci", "gpu0-ratio2")):
            plan, _, patch = equip(provider, name)
            self.assertEqual(patch, [], name)
            self.assertIn("no whole GPUs", plan["warnings"][0])

    def test_10_gcp_a_part_of_a_node_is_refused_and_each_network_requested(self):
        plan, _, patch = equip("gcp", "gpu1")
        self.assertEqual(patch, [])
        self.assertIn("whole nodes only", plan["warnings"][0])
        _, pod, _ = equip("gcp", "base")
        for number in range(8):
            name = f"networking.gke.io.networks/gpu-nic{number}"
            self.assertEqual(limits(pod)[name], "1")

    def test_11_gpus_of_init_containers_get_nics_and_parts_of_gpus_none(self):
        _, pod, _ = equip("aws", "init-gpu-ratio4")
        init = pod["spec"]["initContainers"][0]["name"]
        self.assertIn(limits(pod, init)["vpc.amazonaws.com/efa"], ("4", "32"))
        _, pod, _ = equip("aws", "init-and-main-gpu-ratio4")
        counted = [name for name in by_name(pod) if "vpc.amazonaws.com/efa" in limits(pod, name)]
        self.assertEqual(len(counted), 2)
        for provider, name in (("aws", "mig-ratio4"), ("azure", "mig"), ("gcp", "mig"),
                               ("oci", "mig-ratio2")):
            plan, _, patch = equip(provider, name)
            self.assertEqual(patch, [])
            self.assertIn("no whole GPUs", plan["warnings"][0])

    def test_12_containers_keep_their_order(self):
        for provider, name in (("aws", "sidecar-nores-ratio4"), ("azure", "sidecar-nores"),
                               ("gcp", "sidecar-nores"), ("oci", "sidecar-nores-ratio2")):
            before = read(data("kyverno", provider, name + ".in.json"))
            _, pod, _ = equip(provider, name)
            self.assertEqual([one["name"] for one in pod["spec"]["containers"]],
                             [one["name"] for one in before["spec"]["containers"]])

    def test_13_kind_and_group_of_an_owner_are_matched_together(self):
        """Not annotated, so that only the owner counts: example.com Job plus batch CronJob."""
        for name, owned in (("owner-cross-ratio4", False), ("base-ratio4", True)):
            path = data("kyverno", "aws", name + ".in.json")
            pod = read(path)
            del pod["metadata"]["annotations"]["nhx.nvidia.com/enable-multi-node-networking"]
            job = {"apiVersion": "batch.volcano.sh/v1alpha1" if owned else "example.com/v1",
                   "kind": "Job", "metadata": {"name": "train", "namespace": "default"},
                   "spec": {"tasks": [{"name": "worker", "replicas": 2, "template": {
                       "metadata": pod["metadata"], "spec": pod["spec"]}}]}}
            with Snapshot("aws") as snapshot:
                snapshot.empty()
                snapshot.save()
                path = snapshot.write("job.json", json.dumps(job))
                done = run("plan", "--snapshot", snapshot.path, "--job", path, "-o", "json")
            if owned:
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout)["injection"]["worker"])
            else:
                self.assertEqual(done.returncode, 2)
                self.assertIn("no job in it", done.stderr)

    def test_14_one_pod_alone_is_no_gang(self):
        """The annotation asks for the network, not for a gang: one pod may go anywhere."""
        plan, _, _ = equip("oci", "num-nodes-1-ratio2")
        self.assertIsNone(plan["gang"])
        pod = read(data("kyverno", "oci", "num-nodes-1-ratio2.in.json"))
        del pod["metadata"]["annotations"]["nhx.nvidia.com/enable-multi-node-networking"]
        with Snapshot("oci") as snapshot:
            snapshot.empty()
            snapshot.save()
            config = test_parity.Parity.configure(snapshot, "oci", "auto", "auto")
            _, _, patch = test_parity.Parity.equip(snapshot, config, pod)
        self.assertEqual(patch, [])

    def test_15_azure_needs_no_config_map(self):
        _, pod, _ = equip("azure", "base")
        self.assertFalse([one for one in pod["spec"]["volumes"]
                          if one.get("configMap", {}).get("name", "").endswith("nccl-topo")])
        self.assertNotIn("/etc/nccl", mounts(pod))
        self.assertEqual(mounts(pod)["/etc/fabricbind"]["name"], "fabricbind")
        plan, _, _ = equip("azure", "base")
        bound = next(iter(plan["binding"].values()))
        self.assertIn("NCCL_TOPO_FILE=/etc/fabricbind/nccl-topo.xml", bound["fabricbind.io/nccl.conf"])
        self.assertIn("0101:00:00.0", bound["fabricbind.io/nccl-topo.xml"])


class Inputs(unittest.TestCase):
    def test_all_155_are_there(self):
        self.assertEqual(len(list(cases())), 155)


if __name__ == "__main__":
    unittest.main()
