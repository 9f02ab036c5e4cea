#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server.py: fabricbind serve against an extender written the usual way in Go.

Both get the same bodies from the same client (fabricbind replay) over the same number of
connections, in turns, in one run. What counts is the CPU time (user and system) of the server's
process by request, and for large bodies its memory. A scheduler asks for verdicts from many
threads, but for scores once a task: large bodies come over one connection.
"""

import argparse
import copy
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import statistics
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_of(pid, key):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(key)


class Server:
    def __init__(self, name, process, port):
        self.name, self.process, self.url = name, process, f"http://127.0.0.1:{port}"

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)


def start_peer(binary):
    process = subprocess.Popen([binary], stdout=subprocess.PIPE, text=True)
    return Server("peer", process, int(process.stdout.readline()))


def start_serve(binary, work, snapshot):
    config = work / "serve.yaml"
    config.write_text("provider: auto\nlisten: {extender: 127.0.0.1:0, admission: 127.0.0.1:0, "
                      "metrics: 127.0.0.1:0}\n")
    args = [binary, "serve", "--config", str(config), "--log-level", "info"]
    if snapshot:
        args += ["--snapshot", str(snapshot)]
    process = subprocess.Popen(args, stderr=subprocess.PIPE, text=True)
    port = None
    for line in process.stderr:
        said = json.loads(line)
        if said["message"] == "listening" and said["server"] == "extender":
            port = said["port"]
        if said["message"] == "listening" and said["server"] == "metrics":
            break
    return Server("fabricbind", process, port)


def replay(binary, folder, server, repeat, connections):
    """Send the bodies of a folder; returns the CPU seconds of one request."""
    bodies = len(list(folder.iterdir()))
    before = cpu_of(server.process.pid)
    subprocess.run([binary, "replay", str(folder), "--url", server.url, "--repeat", str(repeat),
                    "--connections", str(connections)], check=True, stdout=subprocess.DEVNULL)
    return (cpu_of(server.process.pid) - before) / (bodies * repeat)


def compare(binary, folder, servers, repeats, rounds, connections):
    """CPU by request of each server: the medians, and the ratios of all rounds."""
    seen = {server.name: [] for server in servers}
    for turn in range(rounds + 1):
        for server in servers:
            cost = replay(binary, folder, server, repeats[server.name], connections)
            if turn > 0:
                seen[server.name].append(cost)
    ratios = [theirs / ours for ours, theirs in zip(seen["fabricbind"], seen["peer"])]
    return {"ours_us": statistics.median(seen["fabricbind"]) * 1e6,
            "peer_us": statistics.median(seen["peer"]) * 1e6,
            "ratio": statistics.median(ratios), "ratio_least": min(ratios)}


def pick(recorded, work, verb):
    folder = work / verb
    folder.mkdir()
    for file in sorted(recorded.glob(f"*-{verb}.json")):
        shutil.copy(file, folder)
    return folder


def recorded_body(recorded, single):
    """The first prioritize body of a gang's pod, or of a GPU pod on its own."""
    for file in sorted(recorded.glob("*-prioritize.json")):
        body = json.loads(file.read_text())
        size = body["task"]["Pod"]["metadata"].get("annotations", {}).get(
            "nhx.nvidia.com/num-nodes")
        gpus = body["task"]["InitResreq"]["ScalarResources"].get("nvidia.com/gpu", 0)
        if gpus > 0 and single == (size is None):
            return body
    raise LookupError("no such body")


def make_candidates(recorded, snapshot, work, count):
    """Prioritize bodies of so many candidates, recorded nodes under new names, and a snapshot
    that has them: one of a gang's pod, which makes a plan, and one of a single pod."""
    body = recorded_body(recorded, False)
    known = {node["metadata"]["name"]: node
             for node in json.loads((snapshot / "nodes.json").read_text())["items"]}
    models = [node for node in body["nodes"] if node["Name"].startswith("p5")] or body["nodes"]
    nodes, items = [], []
    for i in range(count):
        model = models[i % len(models)]
        item = copy.deepcopy(known[model["Name"]])
        node = dict(model, Name=f"many-{i:05}", Node=copy.deepcopy(model["Node"]))
        for metadata in (node["Node"]["metadata"], item["metadata"]):
            metadata["name"] = node["Name"]
            metadata["labels"] = dict(metadata["labels"], **{
                "kubernetes.io/hostname": node["Name"],
                "topology.k8s.aws/network-node-layer-3": f"nn-{i // 16}",
                "topology.k8s.aws/network-node-layer-2": f"nn-{i // 128}"})
        nodes.append(node)
        items.append(item)
    folder = work / f"candidates-{count}"
    (folder / "snapshot").mkdir(parents=True)
    for name, model in (("gang", body), ("single", recorded_body(recorded, True))):
        (folder / name).mkdir()
        (folder / name / "0001-prioritize.json").write_text(
            json.dumps(dict(model, nodes=nodes), separators=(",", ":")))
    (folder / "snapshot" / "nodes.json").write_text(
        json.dumps({"kind": "NodeList", "apiVersion": "v1", "items": items}))
    return folder


def measure_candidates(args, work, folder, peer, count):
    """Rows with the inventory and without; the memory is that of the first request
    of a single pod, and of the first of a gang's pod, which makes a plan."""
    bodies = folder / "gang"
    repeat = max(1, 2000 // count)
    rows = {}
    for name, snapshot in (("snapshot", folder / "snapshot"), ("no snapshot", None)):
        ours = start_serve(args.binary, work, snapshot)
        idle = memory_of(ours.process.pid, "VmRSS")
        replay(args.binary, folder / "single", ours, 1, 1)
        single = memory_of(ours.process.pid, "VmHWM")
        replay(args.binary, bodies, ours, 1, 1)
        gang = memory_of(ours.process.pid, "VmHWM")
        row = compare(args.binary, bodies, [ours, peer],
                      {"fabricbind": 4 * repeat, "peer": repeat}, args.rounds, 1)
        row.update(MB=(bodies / "0001-prioritize.json").stat().st_size / 1e6, idle_MiB=idle,
                   reading_MiB=single - idle, gang_MiB=gang - idle,
                   peak_MiB=memory_of(ours.process.pid, "VmHWM"))
        ours.stop()
        rows[name] = row
    return rows


def measure_whole(args, work, folders):
    """The memory of one process that gets all bodies of this run, with the largest inventory."""
    ours = start_serve(args.binary, work, folders[-1] / "snapshot")
    for verb in ("predicate", "prioritize"):
        replay(args.binary, work / verb, ours, 10, 4)
    for folder in folders:
        replay(args.binary, folder / "gang", ours, 2, 1)
    row = {"after_MiB": memory_of(ours.process.pid, "VmRSS"),
           "peak_MiB": memory_of(ours.process.pid, "VmHWM")}
    ours.stop()
    return row


def line(what, row):
    memory = "".join(f"{row[key]:9.1f}" for key in ("reading_MiB", "gang_MiB", "peak_MiB")
                     if key in row)
    print(f"{what:42} {row['ours_us']:11.1f} {row['peer_us']:11.1f} {row['ratio']:7.1f} "
          f"{row['ratio_least']:7.1f} {memory}", flush=True)


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {"cpu": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(),
            "date": time.strftime("%Y-%m-%d", time.gmtime())}


def write_json(args, rows):
    scan = [json.loads(text) for text in pathlib.Path(args.scan).read_text().splitlines()] \
        if args.scan else []
    pathlib.Path(args.json).write_text(
        json.dumps({"machine": machine(), "scan": scan, "server": rows}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the program, release build")
    parser.add_argument("--peer", required=True, help="the built peer-go")
    parser.add_argument("--recorded", required=True, help="a folder of recorded bodies")
    parser.add_argument("--snapshot", required=True, help="the nodes they were recorded with")
    parser.add_argument("--work", required=True, help="a folder to work in, made anew")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--scan", help="what bench_scan --json printed, to go into that file")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    work, recorded = pathlib.Path(args.work), pathlib.Path(args.recorded)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    rows = {}
    print(f"{'':42} {'us a request, CPU':>23} {'ratio':>15} {'MiB of serve':>26}")
    print(f"{'':42} {'fabricbind':>11} {'Go':>11} {'median':>7} {'least':>7} "
          f"{'single':>8} {'gang':>8} {'at most':>8}")
    peer = start_peer(args.peer)
    ours = start_serve(args.binary, work, pathlib.Path(args.snapshot))
    for verb, repeat in (("predicate", 10), ("prioritize", 20)):
        folder = pick(recorded, work, verb)
        rows[verb] = compare(args.binary, folder, [ours, peer],
                             {"fabricbind": 10 * repeat, "peer": repeat}, args.rounds, 4)
        line(verb + ", as recorded", rows[verb])
    ours.stop()
    counts = (100, 500, 5000)
    folders = [make_candidates(recorded, pathlib.Path(args.snapshot), work, count)
               for count in counts]
    for count, folder in zip(counts, folders):
        for name, row in measure_candidates(args, work, folder, peer, count).items():
            rows[f"prioritize {count}, {name}"] = row
            line(f"prioritize, {count} candidates, {name}", row)
    peer.stop()
    rows["whole"] = measure_whole(args, work, folders)
    print("the process after all of it: {after_MiB:.1f} MiB, at most {peak_MiB:.1f} MiB".format(
        **rows["whole"]))
    if args.json:
        write_json(args, rows)


if __name__ == "__main__":
    started = time.time()
    main()
    print(f"{time.time() - started:.0f} s")
