/* SPDX-License-Identifier: Apache-2.0 */
#include "options_table.h"

#define NONE FB_BIT(FB_COMMAND_NONE)
#define SERVE FB_BIT(FB_COMMAND_SERVE)
#define PLAN FB_BIT(FB_COMMAND_PLAN)
#define NODES FB_BIT(FB_COMMAND_NODES)
#define CHECK FB_BIT(FB_COMMAND_CHECK)
#define REPLAY FB_BIT(FB_COMMAND_REPLAY)
#define VERSION FB_BIT(FB_COMMAND_VERSION)
#define READERS (PLAN | NODES | CHECK)
#define LOADERS (READERS | SERVE)
#define AT(member) offsetof(struct fb_options, member)

/* clang-format off */
const struct fb_option fb_options_table[] = {
    {"snapshot", "DIR|-",
     "the cluster: a directory with nodes.json and, where there are any, pods.json, "
     "podgroups.json, vcjobs.json and owners.json; - reads one List",
     AT(snapshot), LOADERS, READERS, FB_OPTION_TEXT, 0},
    {"kubeconfig", "FILE",
     "the cluster as its API server tells it; in a pod its own is found without, unless "
     "--snapshot is given",
     AT(kubeconfig), SERVE, 0, FB_OPTION_TEXT, 0},
    {"job", "FILE|-",
     "a job's manifest, YAML or JSON; again for more jobs, later ones see what earlier ones took",
     AT(jobs), PLAN, PLAN, FB_OPTION_TEXTS, 0},
    {"keep-members", NULL,
     "count the job's own pods of the snapshot as placed, instead of planning it anew",
     AT(keep_members), PLAN, 0, FB_OPTION_FLAG, 0},
    {"explain-pod", "NAME", "show the whole of one pod: what it gets at creation and at bind",
     AT(explain_pod), PLAN, 0, FB_OPTION_TEXT, 0},
    {"pod-security", "LEVEL",
     "the Pod Security level of the jobs' namespaces: privileged, baseline or restricted",
     AT(pod_security), PLAN, 0, FB_OPTION_LEVEL, 0},
    {"config", "FILE", "configuration; its keys are listed by fabricbind --help",
     AT(config), LOADERS, 0, FB_OPTION_TEXT, 0},
    {"helix-values", "FILE", "a values.yaml of NeMo Helix; its multinodeNetworking is read",
     AT(helix_values), LOADERS, 0, FB_OPTION_TEXT, 0},
    {"policies", "DIR",
     "policy files that add providers or replace shipped ones; may be given again",
     AT(policies), LOADERS, 0, FB_OPTION_TEXTS, 0},
    {"volcano-conf", "FILE", "a volcano-scheduler.conf that is checked, too",
     AT(volcano_conf), CHECK, 0, FB_OPTION_TEXT, 0},
    {"log-level", "LEVEL", "what is logged at least: debug, info, warning or error",
     AT(log_level), SERVE, 0, FB_OPTION_LOG, 0},
    {"url", "URL", "whom to send to; http://127.0.0.1:9712 unless given",
     AT(url), REPLAY, 0, FB_OPTION_TEXT, 0},
    {"repeat", "N", "send all of it N times; 1 to 1000000",
     AT(rounds), REPLAY, 0, FB_OPTION_ROUNDS, 0},
    {"connections", "C", "send over C connections at once, which does not keep the order; 1 to 256",
     AT(connections), REPLAY, 0, FB_OPTION_CONNECTIONS, 0},
    {"volcano-1.9", NULL, "the recording is of Volcano 1.8 or 1.9, whose predicate answers differ",
     AT(array_dialect), REPLAY, 0, FB_OPTION_FLAG, 0},
    {"output", "table|json|yaml", "how to print: table is for people, json is stable",
     AT(output), READERS | REPLAY, 0, FB_OPTION_OUTPUT, 'o'},
    {"help", NULL, "print this",
     AT(help), NONE | LOADERS | REPLAY | VERSION, 0, FB_OPTION_FLAG, 'h'},
    {"version", NULL, "print the version",
     0, NONE, 0, FB_OPTION_VERSION, 0},
};
/* clang-format on */
const size_t fb_options_table_len = sizeof fb_options_table / sizeof fb_options_table[0];

const struct fb_command_row fb_command_table[FB_COMMANDS] = {
    [FB_COMMAND_NONE] =
        {
            .name = "",
            .summary =
                "Places the pods of multi-node GPU jobs on nodes with enough free fast NICs.",
            .examples = {"fabricbind nodes --snapshot snapshot",
                         "fabricbind plan --snapshot snapshot --job job.yaml",
                         "fabricbind check --snapshot snapshot --helix-values values.yaml"},
        },
    [FB_COMMAND_SERVE] =
        {
            .name = "serve",
            .summary = "Answers schedulers over HTTP until it is stopped.",
            .more = "SIGHUP reads the files anew. SIGTERM answers what is under way, then ends.",
            .examples = {"fabricbind serve --config fabricbind.yaml",
                         "fabricbind serve --kubeconfig ~/.kube/config",
                         "fabricbind serve --snapshot snapshot --log-level debug"},
        },
    [FB_COMMAND_PLAN] =
        {
            .name = "plan",
            .summary = "Shows where each pod of a job would go, and why not elsewhere.",
            .more = "The job is planned as if submitted anew. Exit status 1: it does not fit.",
            .examples =
                {"fabricbind plan --snapshot snapshot --job job.yaml",
                 "fabricbind plan --snapshot snapshot --job a.yaml --job b.yaml -o json",
                 "kinds=nodes,pods,podgroups.scheduling.volcano.sh,jobs.batch.volcano.sh",
                 "kubectl get $kinds -A -o json | fabricbind plan --snapshot - --job job.yaml"},
        },
    [FB_COMMAND_NODES] =
        {
            .name = "nodes",
            .summary = "Shows how each node is read: shape, GPUs, NICs, fabric and problems.",
            .examples = {"kubectl get nodes -o json > snapshot/nodes.json",
                         "kubectl get pods -A -o json > snapshot/pods.json",
                         "fabricbind nodes --snapshot snapshot",
                         "fabricbind nodes --snapshot snapshot -o json | jq '.nodes[].problems'"},
        },
    [FB_COMMAND_CHECK] =
        {
            .name = "check",
            .summary = "Checks the configuration against the nodes of a cluster.",
            .more =
                "Levels are error, warning and info. Exit status 1: there is a warning or worse.",
            .examples = {"fabricbind check --snapshot snapshot --config fabricbind.yaml",
                         "fabricbind check --snapshot snapshot --helix-values values.yaml",
                         "fabricbind check --snapshot snapshot --volcano-conf full.conf"},
        },
    [FB_COMMAND_REPLAY] =
        {
            .name = "replay",
            .operand = "DIR",
            .summary = "Sends recorded requests of a scheduler and shows answers and times.",
            .more = "DIR holds bodies as NNNN-verb.json, which are sent in this order.\n"
                    "Exit status 1: not all were answered as they should.",
            .examples = {"fabricbind replay recorded",
                         "fabricbind replay recorded --repeat 100 --connections 16 -o json"},
        },
    [FB_COMMAND_VERSION] =
        {
            .name = "version",
            .summary = "Prints the version.",
            .examples = {"fabricbind version"},
        },
};
