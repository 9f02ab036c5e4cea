/* SPDX-License-Identifier: Apache-2.0 */
#include "inventory.h"
#include "fabricbind/kubestream.h"
#include "fabricbind/own.h"
#include "store.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Memory and time of a live inventory: nodes and pods as an API server lists them, in pages of
 * 500, half of the pods of five DaemonSets, a tenth of gangs, the rest of ReplicaSets; then
 * inventories one after the other, as when pods change all the time.
 *
 * bench_inventory [NODES [PODS]]
 */

#define PAGE 500
#define DAEMONS 5
#define BUILDS 5

struct text {
    char *at;
    size_t len, size;
};

static void __attribute__((format(printf, 2, 3))) put(struct text *text, const char *fmt, ...)
{
    va_list args;
    int len;

    if (text->size - text->len < 8192) {
        text->size = text->size * 2 + 65536;
        text->at = realloc(text->at, text->size);
        if (text->at == NULL)
            abort();
    }
    va_start(args, fmt);
    len = vsnprintf(text->at + text->len, text->size - text->len, fmt, args);
    va_end(args);
    text->len += (size_t)len;
}

static void put_meta(struct text *text, const char *space, const char *name, size_t index)
{
    put(text,
        "{\"metadata\":{\"name\":\"%s\",%s%s%s\"uid\":\"%08zx-1b2c-4d3e-8f90-%012zx\","
        "\"resourceVersion\":\"%zu\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\","
        "\"managedFields\":[{\"manager\":\"kubelet\",\"operation\":\"Update\",\"fieldsV1\":{"
        "\"f:metadata\":{\"f:labels\":{\".\":{},\"f:a\":{},\"f:b\":{}}},\"f:spec\":{\"f:x\":{}}}}]"
        ",",
        name, *space != '\0' ? "\"namespace\":\"" : "", space, *space != '\0' ? "\"," : "",
        index * 2654435761 % 4294967296, index, index + 1000);
}

static void put_amounts(struct text *text, const char *key)
{
    put(text,
        "\"%s\":{\"cpu\":\"191450m\",\"memory\":\"2052030372Ki\",\"pods\":\"110\","
        "\"nvidia.com/gpu\":\"8\",\"hugepages-2Mi\":\"42242Mi\",\"hugepages-1Gi\":\"0\","
        "\"ephemeral-storage\":\"92529286780\",\"vpc.amazonaws.com/efa\":\"32\"}",
        key);
}

static void put_node(struct text *text, size_t i)
{
    char name[64];

    (void)snprintf(name, sizeof name, "ip-10-%zu-%zu-%zu.ec2.internal", i >> 16, i >> 8 & 255,
                   i & 255);
    put_meta(text, "", name, i);
    put(text,
        "\"labels\":{\"beta.kubernetes.io/arch\":\"amd64\",\"kubernetes.io/arch\":\"amd64\","
        "\"beta.kubernetes.io/os\":\"linux\",\"kubernetes.io/os\":\"linux\","
        "\"kubernetes.io/hostname\":\"%s\",\"node.kubernetes.io/instance-type\":\"p5.48xlarge\","
        "\"beta.kubernetes.io/instance-type\":\"p5.48xlarge\","
        "\"topology.kubernetes.io/zone\":\"us-east-1a\",\"topology.kubernetes.io/region\":"
        "\"us-east-1\",\"failure-domain.beta.kubernetes.io/zone\":\"us-east-1a\","
        "\"eks.amazonaws.com/nodegroup\":\"gpu-%zu\",\"eks.amazonaws.com/capacityType\":"
        "\"ON_DEMAND\",\"nvidia.com/gpu.product\":\"NVIDIA-H100-80GB-HBM3\","
        "\"nvidia.com/gpu.count\":\"8\",\"nvidia.com/gpu.memory\":\"81559\","
        "\"nvidia.com/gpu.replicas\":\"1\",\"nvidia.com/cuda.driver.major\":\"550\","
        "\"nvidia.com/mig.capable\":\"true\",\"feature.node.kubernetes.io/pci-10de.present\":"
        "\"true\",\"topology.k8s.aws/network-node-layer-1\":\"nn-%017zx\","
        "\"topology.k8s.aws/network-node-layer-2\":\"nn-%017zx\","
        "\"topology.k8s.aws/network-node-layer-3\":\"nn-%017zx\"}},",
        name, i % 40, i / 1024, i / 128, i / 16);
    put(text,
        "\"spec\":{\"providerID\":\"aws:///us-east-1a/i-%017zx\",\"taints\":[{\"key\":"
        "\"nvidia.com/gpu\",\"value\":\"present\",\"effect\":\"NoSchedule\"}]},\"status\":{",
        i);
    put_amounts(text, "capacity");
    put(text, ",");
    put_amounts(text, "allocatable");
    put(text, ",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":"
              "\"KubeletReady\"}],\"nodeInfo\":{\"kernelVersion\":\"6.1\"}}}");
}

static void put_owner(struct text *text, const char *api, const char *kind, const char *name,
                      size_t number)
{
    put(text,
        "\"ownerReferences\":[{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"name\":\"%s\",\"uid\":"
        "\"%08zx-aaaa-4bbb-8ccc-%012zx\",\"controller\":true,\"blockOwnerDeletion\":true}]},",
        api, kind, name, number * 40503 % 4294967296, number);
}

static void put_spec(struct text *text, size_t node, const char *affinity, const char *requests)
{
    put(text,
        "\"spec\":{\"nodeName\":\"ip-10-%zu-%zu-%zu.ec2.internal\",%s\"tolerations\":["
        "{\"key\":\"nvidia.com/gpu\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"},"
        "{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":"
        "\"NoExecute\",\"tolerationSeconds\":300},{\"key\":\"node.kubernetes.io/unreachable\","
        "\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],"
        "\"containers\":[{\"name\":\"main\",\"image\":\"registry.example.com/app:1\",\"env\":["
        "{\"name\":\"A\",\"value\":\"1\"}],\"resources\":{\"limits\":%s,\"requests\":%s},"
        "\"volumeMounts\":[{\"name\":\"kube-api-access\",\"mountPath\":\"/var/run\"}]}],"
        "\"serviceAccountName\":\"default\"},\"status\":{\"phase\":\"Running\",\"podIP\":"
        "\"10.0.0.1\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
        node >> 16, node >> 8 & 255, node & 255, affinity, requests, requests);
}

static void put_daemon(struct text *text, size_t i, size_t nodes)
{
    size_t node = i % nodes;
    size_t set = i / nodes;
    char name[64];
    char affinity[512];

    (void)snprintf(name, sizeof name, "daemon-%zu-%05zx", set, i * 7919 % 1048576);
    put_meta(text, "kube-system", name, i + 100000);
    put(text,
        "\"labels\":{\"app\":\"daemon-%zu\",\"controller-revision-hash\":\"6f8b7c9d5\","
        "\"pod-template-generation\":\"3\"},",
        set);
    (void)snprintf(name, sizeof name, "daemon-%zu", set);
    put_owner(text, "apps/v1", "DaemonSet", name, set);
    (void)snprintf(affinity, sizeof affinity,
                   "\"affinity\":{\"nodeAffinity\":{"
                   "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"
                   "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":["
                   "\"ip-10-%zu-%zu-%zu.ec2.internal\"]}]}]}}},",
                   node >> 16, node >> 8 & 255, node & 255);
    put_spec(text, node, affinity, "{\"cpu\":\"100m\",\"memory\":\"128Mi\"}");
}

static void put_member(struct text *text, size_t i, size_t nodes)
{
    size_t job = i / 32;
    char name[64];

    (void)snprintf(name, sizeof name, "train-%zu-worker-%zu", job, i % 32);
    put_meta(text, "research", name, i + 300000);
    put(text,
        "\"annotations\":{\"scheduling.k8s.io/group-name\":\"train-%zu\",\"volcano.sh/task-spec\":"
        "\"worker\",\"volcano.sh/job-version\":\"0\",\"nhx.nvidia.com/num-nodes\":\"32\"},"
        "\"labels\":{\"volcano.sh/job-name\":\"train-%zu\",\"volcano.sh/job-namespace\":"
        "\"research\",\"volcano.sh/queue-name\":\"default\",\"volcano.sh/task-index\":\"%zu\","
        "\"volcano.sh/task-spec\":\"worker\"},",
        job, job, i % 32);
    (void)snprintf(name, sizeof name, "train-%zu", job);
    put_owner(text, "batch.volcano.sh/v1alpha1", "Job", name, job + 5000);
    put_spec(text, i % nodes, "",
             "{\"cpu\":\"90\",\"memory\":\"900Gi\",\"nvidia.com/gpu\":\"8\","
             "\"vpc.amazonaws.com/efa\":\"32\"}");
}

static void put_replica(struct text *text, size_t i, size_t nodes)
{
    size_t set = i / 8;
    char name[64];

    (void)snprintf(name, sizeof name, "service-%zu-7d9f8b6c5-%05zx", set, i * 7919 % 1048576);
    put_meta(text, "services", name, i + 200000);
    put(text,
        "\"labels\":{\"app.kubernetes.io/name\":\"service-%zu\",\"pod-template-hash\":"
        "\"7d9f8b6c5\"},",
        set);
    (void)snprintf(name, sizeof name, "service-%zu-7d9f8b6c5", set);
    put_owner(text, "apps/v1", "ReplicaSet", name, set + 10000);
    put_spec(text, i * 31 % nodes, "", "{\"cpu\":\"500m\",\"memory\":\"1Gi\"}");
}

static void put_pod(struct text *text, size_t i, size_t nodes)
{
    size_t daemons = DAEMONS * nodes;
    size_t members = nodes;

    if (i < daemons)
        put_daemon(text, i, nodes);
    else if (i < daemons + members)
        put_member(text, i - daemons, nodes);
    else
        put_replica(text, i - daemons - members, nodes);
}

static enum fb_status keep(void *context, const struct fb_kube_event *event, struct fb_error *err)
{
    bool changed;

    return event->object != NULL ? fb_store_put(context, event->object, &changed, err) : FB_OK;
}

static void check(enum fb_status st, const struct fb_error *err)
{
    if (st == FB_OK)
        return;
    (void)fprintf(stderr, "bench_inventory: %s\n", err->text);
    exit(2);
}

static double now_ms(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* All objects of @kind, from page to page; returns the bytes of JSON. */
static size_t list(struct fb_store *store, enum fb_kind kind, size_t len, size_t nodes)
{
    struct text text = {0};
    struct fb_error err = {.text = ""};
    size_t bytes = 0;

    fb_store_list(store, kind);
    for (size_t from = 0; from < len; from += PAGE) {
        FB_OWNED(fb_kubestream_freep) struct fb_kubestream *stream = NULL;

        check(fb_kubestream_new(kind, FB_KUBE_PAGE, keep, store, &stream, &err), &err);
        text.len = 0;
        put(&text, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[");
        for (size_t i = from; i < len && i < from + PAGE; i++) {
            put(&text, "%s", i > from ? "," : "");
            if (kind == FB_KIND_NODE)
                put_node(&text, i);
            else
                put_pod(&text, i, nodes);
        }
        put(&text, "]}");
        bytes += text.len;
        for (size_t at = 0; at < text.len; at += 16384)
            check(fb_kubestream_feed(stream, text.at + at,
                                     text.len - at < 16384 ? text.len - at : 16384, &err),
                  &err);
        check(fb_kubestream_finish(stream, &err), &err);
    }
    (void)fb_store_listed(store, kind);
    free(text.at);
    return bytes;
}

static void print_memory(const char *when)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    long now = 0;
    long most = 0;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "VmRSS: %ld", &now);
        (void)sscanf(line, "VmHWM: %ld", &most);
    }
    if (file != NULL)
        (void)fclose(file);
    (void)printf("%-28s %7.1f MiB, at most %7.1f MiB\n", when, (double)now / 1024,
                 (double)most / 1024);
}

static struct fb_inventory *read_base(void)
{
    static const char *policies[] = {FB_TEST_POLICIES};
    struct fb_options options = {.policies = {.at = policies, .len = 1}};
    struct fb_inventory *base = NULL;
    struct fb_error err = {.text = ""};

    check(fb_inventory_read(&options, NULL, NULL, &base, &err), &err);
    return base;
}

static void build_some(struct fb_inventory_slot *slot, struct fb_inventory *base,
                       struct fb_store *store)
{
    for (int i = 0; i < BUILDS; i++) {
        struct fb_inventory *next = NULL;
        struct fb_error err = {.text = ""};
        double wall = now_ms(CLOCK_MONOTONIC);
        double cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);

        check(fb_inventory_build(base, store, &next, &err), &err);
        wall = now_ms(CLOCK_MONOTONIC) - wall;
        cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        (void)printf("inventory %d: %.0f ms, %.0f ms CPU, arena %.1f MiB, %zu sites, %zu gangs\n",
                     i, wall, cpu, (double)fb_arena_bytes(next->in.arena) / 1048576,
                     next->in.cluster.sites_len, next->in.cluster.gangs_len);
        fb_inventory_slot_put(slot, next);
        fb_store_tidy(store);
        print_memory("  with it");
    }
}

int main(int argc, char **argv)
{
    size_t nodes = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
    size_t pods = argc > 2 ? strtoul(argv[2], NULL, 10) : 50000;
    struct fb_inventory *base = read_base();
    struct fb_inventory_slot *slot;
    struct fb_store *store = fb_store_new(&(struct fb_store_limits){0});
    double wall;
    double bytes;

    print_memory("policies read");
    slot = fb_inventory_slot_new(fb_inventory_hold(base));
    if (store == NULL || slot == NULL)
        return 2;
    wall = now_ms(CLOCK_MONOTONIC);
    bytes = (double)list(store, FB_KIND_NODE, nodes, nodes);
    print_memory("nodes listed");
    bytes += (double)list(store, FB_KIND_POD, pods, nodes);
    wall = now_ms(CLOCK_MONOTONIC) - wall;
    print_memory("pods listed");
    (void)printf("%.1f MiB of JSON made and read in %.0f ms\n", bytes / 1048576, wall);
    build_some(slot, base, store);
    fb_inventory_slot_free(slot);
    fb_inventory_release(base);
    fb_store_free(store);
    print_memory("all freed");
    return 0;
}
