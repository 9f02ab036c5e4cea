# SPDX-License-Identifier: Apache-2.0
"""Every item that NeMo Helix's policies put into the 155 pods of tests/data/kyverno, against ours.

Each item of each case is `same`, `better` with a reason out of REASONS, or `left out` out of
LEFT_OUT. Run three times: with the configured ratio on the provider's nodes, with `auto`, and
with no nodes at all. The table in policies/README.md is what this test counts.
"""

import collections
import copy
import functools
import glob
import json
import os
import re
import sys
import unittest

import jsonpatch

from fabricbind import Snapshot, data, load, run

PROVIDERS = ("aws", "azure", "gcp", "oci")
RUNS = ("configured", "auto", "no nodes")

REASONS = {
    "user": "the user's own value stays",
    "node": "depends on the node: bound with it, in nccl.conf",
    "topology": "the topology file of the very instance type, bound with the node",
    "count": "as many NICs as the instance type has, in whole numbers",
    "seat": "one seat at the shared plugin gives all NICs",
    "networks": "as many networks as the pod has NICs",
    "metadata": "in metadata, where the API server keeps it",
    "daemon": "the current version of the daemon, with what it needs",
    "current": "the current value of the provider's own documentation",
    "zero": "no GPU is asked for: nothing is added",
    "whole": "less than a whole node: refused, with the reason",
    "free name": "a volume of that name is another kind: a free name is taken",
    "denied": "no node and no instance type is known: refused, with the reason",
}
# The API server fills these in.
DEFAULTED = {"terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy"}
LEFT_OUT = {"KUBE_NODE_TYPE", "daemon arguments"}

# Where nothing tells how many NICs a pod needs, it is not made: ratio is auto in that run.
RATIO_KEYS = {"aws": "efaDevicesPerGPU", "azure": "rdmaDevicesPerGPU", "oci": "rdmaDevicesPerGPU"}


def cases():
    for path in sorted(glob.glob(data("kyverno", "*", "*.in.json"))):
        provider = os.path.basename(os.path.dirname(path))
        name = os.path.basename(path)[:-len(".in.json")]
        ratio = re.search(r"-ratio([0-9.]+)$", name)
        peer = path[:-len(".in.json")] + ".out.json"
        yield (provider, name, ratio.group(1) if ratio else "1", path,
               peer if os.path.exists(peer) else None)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def by_name(pod):
    spec = pod["spec"]
    return {one["name"]: one for one in spec.get("initContainers", []) + spec["containers"]}


def flat(value, where=""):
    """(dotted path, leaf) of nested maps."""
    if isinstance(value, dict) and value:
        for key in value:
            yield from flat(value[key], f"{where}.{key}" if where else key)
    elif where:
        yield where, value


def entries(container):
    """Everything of a container that injection touches, as {item: value}."""
    found = {}
    for part in ("requests", "limits"):
        for name, amount in container.get("resources", {}).get(part, {}).items():
            found[(part, name)] = amount
    for one in container.get("env", []):
        found[("env", one["name"])] = one.get("value", one.get("valueFrom"))
    for one in container.get("volumeMounts", []):
        found[("mount", one["mountPath"])] = {key: one[key] for key in one if key != "mountPath"}
    for where, leaf in flat(container.get("securityContext", {})):
        if where.endswith("capabilities.add"):
            for name in leaf:
                found[("capability", name)] = True
        else:
            found[("security", where)] = leaf
    return found


def items_of(before, after):
    """What the peer changed or added: (where, item, value)."""
    old, new = by_name(before), by_name(after)
    for name, container in new.items():
        if name not in old:
            for key, value in container.items():
                if key != "name":
                    yield name, ("sidecar", key), value
            continue
        had = entries(old[name])
        for item, value in entries(container).items():
            if had.get(item) != value:
                yield name, item, value
    had = {one["name"]: one for one in before["spec"].get("volumes", [])}
    for one in after["spec"].get("volumes", []):
        if had.get(one["name"]) != one:
            yield "", ("volume", one["name"]), {key: one[key] for key in one if key != "name"}
    for holder in (after.get("annotations", {}), after["metadata"].get("annotations", {})):
        for key, value in holder.items():
            if before["metadata"].get("annotations", {}).get(key) != value:
                yield "", ("annotation", key), value


@functools.lru_cache
def usual_conf(provider):
    """nccl.conf of the provider's nodes, for pods that find no place."""
    name = next(one[1] for one in cases() if one[0] == provider and one[1].startswith("base"))
    with Snapshot(provider) as snapshot:
        snapshot.empty()
        snapshot.save()
        config = Parity.configure(snapshot, provider, "1", "auto")
        plan, _, _ = Parity.equip(snapshot, config,
                                  read(data("kyverno", provider, name + ".in.json")))
    return next(iter(plan["binding"].values()))["fabricbind.io/nccl.conf"]


def faults(pod):
    """What an API server would refuse of what the policies touch; the schema is checked elsewhere."""
    volumes = [one["name"] for one in pod["spec"].get("volumes", [])]
    if len(volumes) != len(set(volumes)):
        yield "a volume twice"
    for one in pod["spec"].get("volumes", []):
        if len(one) > 2:
            yield f"volume {one['name']} has two sources"
    for name, container in by_name(pod).items():
        mounts = container.get("volumeMounts", [])
        paths = [one["mountPath"] for one in mounts]
        if len(paths) != len(set(paths)):
            yield f"{name}: a path mounted twice"
        if any(one["name"] not in volumes for one in mounts):
            yield f"{name}: a mount without a volume"
        for one in container.get("env", []):
            if "value" in one and "valueFrom" in one:
                yield f"{name}: {one['name']} has value and valueFrom"
        yield from security_faults(name, container.get("securityContext", {}))
        limits = container.get("resources", {}).get("limits", {})
        requests = container.get("resources", {}).get("requests", {})
        # A limit alone is the request too.
        for resource in set(limits) | set(requests):
            asked = requests.get(resource, limits.get(resource))
            if "/" in resource and (limits.get(resource) != asked or not str(asked).isdigit()):
                yield f"{name}: {resource} {requests.get(resource)} of {limits.get(resource)}"


def security_faults(name, context):
    if context.get("privileged") and context.get("allowPrivilegeEscalation") is False:
        yield f"{name}: privileged without escalation"
    profile = context.get("seccompProfile", {})
    if ("localhostProfile" in profile) != (profile.get("type") == "Localhost"):
        yield f"{name}: a seccomp profile's name without its type"


class Judge:
    """What became of the peer's items in our pod."""

    def __init__(self, case, before, plan, ours, ratio_run):
        self.provider, self.name = case[0], case[1]
        self.before, self.plan, self.ours, self.run = before, plan, ours, ratio_run
        self.mine = {name: entries(one) for name, one in by_name(ours).items()}
        self.user = {name: entries(one) for name, one in by_name(before).items()}
        self.conf = "".join(one["fabricbind.io/nccl.conf"]
                            for one in plan["binding"].values())

    def verdict(self, where, item, value):
        kind, name = item
        if kind == "sidecar":
            return self.sidecar(where, name, value)
        if kind == "volume":
            return self.volume(name, value)
        if kind == "annotation":
            return self.annotation(name, value)
        if not self.patched():
            return self.nothing()
        mine = self.mine.get(where, {})
        if mine.get(item) == value:
            return "same"
        if where in self.user and not self.asks_for_gpus(where):
            return "user"  # a container of that name is the user's own
        if item in self.user.get(where, {}):
            return "user" if mine.get(item) == self.user[where][item] else None
        return {"env": self.env, "mount": self.mount, "requests": self.amount,
                "limits": self.amount, "security": self.security,
                "capability": self.security}[kind](where, name, value, mine)

    def patched(self):
        return self.ours != self.before

    def asks_for_gpus(self, where):
        return ("limits", "nvidia.com/gpu") in self.user[where]

    def nothing(self):
        """Nothing was added to the whole pod, for a reason."""
        gpus = sum(int(one.get("resources", {}).get("limits", {}).get("nvidia.com/gpu", 0))
                   for one in by_name(self.before).values())
        if gpus == 0:
            return "zero"
        warnings = " ".join(self.plan["warnings"])
        if "whole nodes only" in warnings:
            return "whole"
        if "no instance type is named" in warnings:
            return "denied"
        return None

    def env(self, where, name, value, mine):
        if name in LEFT_OUT:
            return "left out"
        if ("env", name) in mine:
            return "current" if self.provider == "gcp" else None
        if name == "NCCL_TOPO_FILE":
            return "topology"
        if f"{name}=" in (self.conf or usual_conf(self.provider)):
            return "node"
        return "current" if self.provider == "gcp" and name in (
            "NCCL_ALGO", "NCCL_DYNAMIC_CHUNK_SIZE") else None

    def mount(self, where, path, value, mine):
        ours = mine.get(("mount", path))
        if path == "/etc/nccl":
            return "topology" if ("mount", "/etc/fabricbind") in mine else None
        if ours is None:
            return None
        if ours["name"].startswith(value["name"]):
            return "free name"
        return "current" if self.provider == "gcp" else None

    def amount(self, where, name, value, mine):
        got = mine.get(("limits", name))
        if got is None:
            # The user asked for NICs in another container, or by another name.
            return None
        if self.provider == "azure":
            return "seat"
        return "count" if got != value else "same"

    def security(self, where, name, value, mine):
        if self.user[where].get(("security", "privileged")):
            return "user"
        if name.startswith("seccompProfile") and any(
                key[1].startswith("seccompProfile") for key in self.user[where]):
            return "user"
        return None

    def volume(self, name, value):
        if not self.patched():
            return self.nothing()
        ours = {one["name"]: one for one in self.ours["spec"].get("volumes", [])}
        theirs = {one["name"]: one for one in self.before["spec"].get("volumes", [])}
        if name in ours and {key: ours[name][key] for key in ours[name] if key != "name"} == value:
            return "same"
        if name in theirs:
            return "user" if ours.get(name) == theirs[name] else None
        if "configMap" in value:
            return "topology"
        if any(one["name"].startswith(name + "-") for one in ours.values()):
            return "free name"
        # Every path that it would be mounted at is the user's own.
        if self.all_taken(name):
            return "user"
        return "current" if self.provider == "gcp" else None

    def all_taken(self, volume):
        peer = read(data("kyverno", self.provider, self.name + ".out.json"))
        for name, container in by_name(peer).items():
            for one in container.get("volumeMounts", []):
                if one["name"] != volume or name not in self.user:
                    continue
                if ("mount", one["mountPath"]) not in self.user[name]:
                    return False
        return True

    def annotation(self, key, value):
        if not self.patched():
            return self.nothing()
        ours = self.ours["metadata"].get("annotations", {}).get(key)
        theirs = self.before["metadata"].get("annotations", {}).get(key)
        if self.provider == "gcp":
            return "user" if theirs is not None and ours == theirs else (
                "metadata" if ours is not None else None)
        if ours == value:
            return "same"
        return "networks" if ours is not None else None

    def sidecar(self, where, key, value):
        if not self.patched():
            return self.nothing()
        ours = by_name(self.ours).get(where)
        if ours is None:
            return None
        if ours.get(key) == value or (key in DEFAULTED and key not in ours):
            return "same"
        return "daemon" if key in ours else ("left out" if key == "args" else None)


class Parity(unittest.TestCase):
    maxDiff = None
    table = collections.Counter()
    bad = []

    @classmethod
    def configure(cls, snapshot, provider, ratio, which):
        values = {"enabled": "true"}
        if provider in RATIO_KEYS:
            values[RATIO_KEYS[provider]] = "auto" if which == "auto" else f'"{ratio}"'
        if provider == "azure":
            values["rdmaDeviceName"] = "hca_shared_devices_a"
        inner = ", ".join(f"{key}: {value}" for key, value in values.items())
        return snapshot.write("c.yaml", f"multinodeNetworking:\n  {provider}: {{{inner}}}\n")

    @classmethod
    def equip(cls, snapshot, config, pod):
        """Our plan of one pod, and the pod with our patch."""
        path = snapshot.write("pod.json", json.dumps(pod))
        done = run("plan", "--snapshot", snapshot.path, "--config", config, "--job", path,
                   "-o", "json")
        if done.returncode == 2:
            raise AssertionError(done.stderr)
        plan = json.loads(done.stdout)
        patch = plan["injection"]["main"]
        return plan, jsonpatch.apply_patch(copy.deepcopy(pod), patch), patch

    def test_parity(self):
        total = collections.Counter()
        reasons = collections.Counter()
        bad = []
        for which in RUNS:
            for provider in PROVIDERS:
                with Snapshot(provider) as snapshot:
                    snapshot.empty()
                    if which == "no nodes":
                        snapshot.lists["nodes"]["items"] = []
                    snapshot.save()
                    for case in cases():
                        if case[0] == provider:
                            self.one(case, snapshot, which, total, reasons, bad)
        self.assertEqual(bad[:40], [])
        self.check_table(total, reasons)

    def one(self, case, snapshot, which, total, reasons, bad):
        provider, name, ratio, path, peer = case
        before = read(path)
        config = self.configure(snapshot, provider, ratio, which)
        plan, ours, _ = self.equip(snapshot, config, before)
        again, twice, _ = self.equip(snapshot, config, ours)
        del again
        if twice != ours:
            bad.append((which, provider, name, "twice is not once"))
        self.survives(before, ours, (which, provider, name), bad)
        self.keep_result(provider, name, which, ours)
        bad += [(which, provider, name, fault) for fault in faults(ours)]
        if peer is None:
            return
        judge = Judge(case, before, plan, ours, which)
        for where, item, value in items_of(before, read(peer)):
            verdict = judge.verdict(where, item, value)
            if verdict is None:
                bad.append((which, provider, name, where, item, value))
                continue
            word = verdict if verdict in ("same", "left out") else "better"
            total[(provider, which, word)] += 1
            if word == "better":
                reasons[verdict] += 1

    def survives(self, before, ours, case, bad):
        """All that the user wrote is still there."""
        old, new = by_name(before), by_name(ours)
        for name, container in old.items():
            had, has = entries(container), entries(new[name])
            for item, value in had.items():
                if has.get(item) != value:
                    bad.append((*case, "lost", name, item))
            order = [one["name"] for one in container.get("env", [])]
            kept = [one["name"] for one in new[name].get("env", [])
                    if ("env", one["name"]) in had]
            if order != kept:
                bad.append((*case, "order of variables", name))
        names = [one["name"] for one in before["spec"]["containers"]]
        if names != [one["name"] for one in ours["spec"]["containers"]]:
            bad.append((*case, "order of containers"))
        for one in before["spec"].get("volumes", []):
            if one not in ours["spec"]["volumes"]:
                bad.append((*case, "volume lost", one["name"]))

    @staticmethod
    def keep_result(provider, name, which, pod):
        """For the schema test, which reads what comes out."""
        folder = os.environ.get("FB_PARITY_OUT")
        if folder:
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, f"{provider}-{name}-{which.replace(' ', '-')}.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(pod, file)

    def check_table(self, total, reasons):
        lines = ["| provider | run | same | better | left out |", "|---|---|---|---|---|"]
        for provider in PROVIDERS:
            for which in RUNS:
                counts = [str(total[(provider, which, word)])
                          for word in ("same", "better", "left out")]
                lines.append(f"| {provider} | {which} | " + " | ".join(counts) + " |")
        lines += ["", "| better because | items |", "|---|---|"]
        lines += [f"| {REASONS[key]} | {reasons[key]} |" for key in REASONS if reasons[key]]
        table = "\n".join(lines)
        if len(sys.argv) > 1 and sys.argv[1] == "--print":
            print(table)
            return
        with open(os.path.join(os.environ["FB_SOURCE_DIR"], "policies", "README.md"),
                  encoding="utf-8") as file:
            self.assertIn(table, file.read(), "policies/README.md has another table:\n" + table)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--print":
        unittest.main(argv=sys.argv[:1])
    unittest.main()
