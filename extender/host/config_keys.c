/* SPDX-License-Identifier: Apache-2.0 */
#include "config_keys.h"

#include "fabricbind/quantity.h"
#include "fabricbind/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const modes[] = {"enforce", "observe", NULL};
static const char *const wirings[] = {"full", "score", "lean", NULL};
static const char *const placements[] = {"require", "prefer", NULL};
static const char *const transports[] = {"prefer", "require", NULL};
static const char *const faults[] = {"pass", "reject", NULL};

/* Readers are only called for rows, with the whole path as the key. */
static const struct fb_config_row *row_of(const char *key)
{
    size_t i = 0;

    while (i + 1 < fb_config_rows_len && strcmp(fb_config_rows[i].shown.key, key) != 0)
        i++;
    assert(strcmp(fb_config_rows[i].shown.key, key) == 0);
    return &fb_config_rows[i];
}

static void *place(const struct fb_config_reader *reader, const struct fb_config_row *row)
{
    return (char *)reader->config + row->where;
}

static void join(const char *const *words, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; words[i] != NULL && used < size; i++) {
        int len = snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ", words[i]);

        used += len > 0 ? (size_t)len : 0;
    }
}

static enum fb_status read_word(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    const struct fb_config_row *row = row_of(key);
    const char *text = "";
    char words[64] = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    for (unsigned i = 0; row->words[i] != NULL; i++) {
        if (strcmp(row->words[i], text) == 0) {
            memcpy(place(into, row), &i, sizeof i);
            return FB_OK;
        }
    }
    join(row->words, words, sizeof words);
    return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is none of %s", node->line, key, text,
                        words);
}

static enum fb_status read_bool(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    return fb_yaml_bool(node, key, place(into, row_of(key)), err);
}

static enum fb_status read_double(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err)
{
    const struct fb_config_row *row = row_of(key);

    return fb_yaml_double(node, key, (double)row->least, (double)row->most, place(into, row), err);
}

/* A count or a size: a whole quantity. */
static enum fb_status read_size(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    const struct fb_config_row *row = row_of(key);
    struct fb_quantity quantity = {0};
    const char *text = "";
    size_t value;
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    st = fb_quantity_parse(text, strlen(text), &quantity, err);
    if (st != FB_OK)
        return fb_error_prefix(err, st, "line %zu: %s", node->line, key);
    if (quantity.nano != 0)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is no whole number", node->line,
                            key, text);
    if (quantity.whole < row->least || quantity.whole > row->most)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: %s is outside %" PRId64 " to %" PRId64,
                            node->line, key, text, row->least, row->most);
    value = (size_t)quantity.whole;
    memcpy(place(into, row), &value, sizeof value);
    return FB_OK;
}

/* A list that replaces the one before; least is how long it must be. */
static enum fb_status read_texts(void *into, const struct fb_yaml *node, const char *key,
                                 struct fb_error *err)
{
    struct fb_config_reader *reader = into;
    const struct fb_config_row *row = row_of(key);
    struct fb_texts texts = {0};
    enum fb_status st = fb_yaml_texts(reader->arena, node, key, &texts, err);

    if (st != FB_OK)
        return st;
    if (texts.len < (size_t)row->least)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: an empty list", node->line, key);
    if (fb_texts_has(&texts, ""))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: an empty text", node->line, key);
    memcpy(place(reader, row), &texts, sizeof texts);
    return FB_OK;
}

/* "" or what a label key is made of; words without a special meaning are label keys. */
static enum fb_status read_boundary(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err)
{
    struct fb_config_reader *reader = into;
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    if (strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") !=
        strlen(text))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is no label key, zone or none",
                            node->line, key, text);
    reader->config->settings.boundary = text;
    return FB_OK;
}

/* The port behind the last colon, or -1. */
static long port_of(const char *text)
{
    const char *colon = strrchr(text, ':');
    long port = 0;

    if (colon == NULL || colon[1] == '\0' || strlen(colon + 1) > 5)
        return -1;
    for (const char *at = colon + 1; *at != '\0'; at++) {
        if (*at < '0' || *at > '9')
            return -1;
        port = port * 10 + (*at - '0');
    }
    return port <= 65535 ? port : -1;
}

/* "name:port", "1.2.3.4:port", "[::1]:port". */
static bool is_address(const char *text)
{
    size_t host;

    if (port_of(text) < 0)
        return false;
    host = (size_t)(strrchr(text, ':') - text);
    if (text[0] == '[')
        return host > 2 && text[host - 1] == ']' &&
               strspn(text + 1, "0123456789abcdefABCDEF:.%") == host - 2;
    return host > 0 && strcspn(text, ": \t[]/") == host;
}

static enum fb_status read_address(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    if (!is_address(text))
        return fb_error_set(err, FB_EINPUT,
                            "line %zu: %s: '%s' is no address such as 127.0.0.1:9712 or [::1]:9712",
                            node->line, key, text);
    *(const char **)place(into, row_of(key)) = text;
    return FB_OK;
}

/* A name of Kubernetes, or what DNS takes; "" where the row's least is 0. */
static enum fb_status read_name(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    const struct fb_config_row *row = row_of(key);
    const char *text = "";
    size_t len;
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    len = strlen(text);
    if (len > (size_t)row->most || (len == 0 ? row->least > 0 : !fb_text_is_name(text)))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is no name such as fabricbind",
                            node->line, key, text);
    *(const char **)place(into, row) = text;
    return FB_OK;
}

static enum fb_status read_path(void *into, const struct fb_yaml *node, const char *key,
                                struct fb_error *err)
{
    return fb_yaml_text(node, key, place(into, row_of(key)), err);
}

/* The API server takes neither a user nor a query; the routes are put behind it. */
static enum fb_status read_url(void *into, const struct fb_yaml *node, const char *key,
                               struct fb_error *err)
{
    static const char scheme[] = "https://";
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st != FB_OK)
        return st;
    if (text[0] != '\0' &&
        (!fb_text_has_prefix(text, scheme) || text[strlen(scheme)] == '\0' ||
         text[strlen(text) - 1] == '/' || text[strcspn(text, "?#@\"\\ \t")] != '\0'))
        return fb_error_set(err, FB_EINPUT,
                            "line %zu: %s: '%s' is no URL such as https://127.0.0.1:9443",
                            node->line, key, text);
    *(const char **)place(into, row_of(key)) = text;
    return FB_OK;
}

/* clang-format off */
#define AT(member) offsetof(struct fb_config, member)
#define KI ((int64_t)1024)

const struct fb_config_row fb_config_rows[] = {
    {{"multinodeNetworking", "",
      "NeMo Helix's block as it is pasted: exactly one provider enabled"},
     fb_config_read_block, 0, NULL, 0, 0},
    {{"provider", "auto", "instead of the block: a policy's name, or auto: told for each node"},
     fb_config_read_provider, 0, NULL, 0, 0},
    {{"mode", "enforce", "enforce, or observe: decide, count and log, change nothing"},
     read_word, AT(mode), modes, 0, 0},
    {{"wiring", "full", "how the scheduler is coupled: full, score or lean"},
     read_word, AT(wiring), wirings, 0, 0},
    {{"placement", "require", "nodes outside a gang's plan: require refuses them, prefer scores"},
     read_word, AT(settings.placement), placements, 0, 0},
    {{"transport", "prefer", "prefer, or require: NCCL fails instead of falling back to TCP"},
     read_word, AT(transport), transports, 0, 0},
    {{"gpuResources", "[nvidia.com/gpu, amd.com/gpu]", "resource names that count whole GPUs"},
     read_texts, AT(settings.gpu_resources), NULL, 1, 0},
    {{"match.gangs", "true", "also pods without an annotation whose owner is in match.owners"},
     read_bool, AT(settings.match_gangs), NULL, 0, 0},
    {{"match.owners",
      "[batch.volcano.sh/Job, {group: batch, kind: Job, indexed: true}, jobset.x-k8s.io/JobSet, "
      "kubeflow.org/PyTorchJob, kubeflow.org/MPIJob, trainer.kubeflow.org/TrainJob, "
      "leaderworkerset.x-k8s.io/LeaderWorkerSet, ray.io/RayCluster, run.ai/RunaiJob]",
      "whose pods are gangs: group/Kind, or {group, kind, indexed}"},
     fb_config_read_owners, 0, NULL, 0, 0},
    {{"expectedShapes", "[]", "instance types that an autoscaler may bring"},
     read_texts, AT(settings.expected_shapes), NULL, 0, 0},
    {{"fabric.boundary", "\"\"", "instead of the policy's: a label key, zone, or none"},
     read_boundary, 0, NULL, 0, 0},
    {{"scoring.weight", "1000", "highest score of a node, 1 to 1000000"},
     read_double, AT(settings.scoring.weight), NULL, 1, 1000000},
    {{"scoring.locality", "0.8", "share for nearness to the gang, 0 to 1"},
     read_double, AT(settings.scoring.locality), NULL, 0, 1},
    {{"scoring.packing", "0.2", "share for leaving whole nodes free, 0 to 1"},
     read_double, AT(settings.scoring.packing), NULL, 0, 1},
    {{"onFault", "pass", "pass, or reject: a request that cannot be read refuses the node"},
     read_word, AT(on_fault), faults, 0, 0},
    {{"limits.fileBytes", "1Gi", "largest file of a snapshot"},
     read_size, AT(limits.file_bytes), NULL, 1, KI * KI * KI * KI},
    {{"limits.bodyBytes", "256Mi", "largest request"},
     read_size, AT(limits.body_bytes), NULL, 1, 64 * KI * KI * KI},
    {{"limits.depth", "64", "nested objects and arrays of JSON"},
     read_size, AT(limits.depth), NULL, 1, 1024},
    {{"limits.stringBytes", "1Mi", "longest string of JSON"},
     read_size, AT(limits.string_bytes), NULL, 1, KI * KI * KI},
    {{"limits.nodes", "20000", "most nodes of an inventory"},
     read_size, AT(limits.nodes), NULL, 1, 1000000},
    {{"limits.pods", "500000", "most pods of an inventory"},
     read_size, AT(limits.pods), NULL, 1, 100000000},
    {{"listen.extender", "127.0.0.1:9712", "address for the schedulers"},
     read_address, AT(listen.extender), NULL, 0, 0},
    {{"listen.admission", "0.0.0.0:9443", "address for the admission webhooks, TLS"},
     read_address, AT(listen.admission), NULL, 0, 0},
    {{"listen.metrics", "0.0.0.0:9713", "address for metrics, probes and the status page"},
     read_address, AT(listen.metrics), NULL, 0, 0},
    {{"admission.name", "fabricbind", "name of the MutatingWebhookConfiguration"},
     read_name, AT(admission.name), NULL, 1, 253},
    {{"admission.service.namespace", "\"\"",
      "of the Service before listen.admission; \"\": the program's own"},
     read_name, AT(admission.service.space), NULL, 0, 63},
    {{"admission.service.name", "fabricbind-admission", "name of that Service"},
     read_name, AT(admission.service.name), NULL, 1, 63},
    {{"admission.service.port", "443", "port of that Service"},
     read_size, AT(admission.service.port), NULL, 1, 65535},
    {{"admission.url", "\"\"",
      "asked instead of the Service, such as https://127.0.0.1:9443"},
     read_url, AT(admission.url), NULL, 0, 0},
    {{"admission.secret", "fabricbind-tls",
      "Secret for the certificate that the program makes, and keys"},
     read_name, AT(admission.secret), NULL, 1, 253},
    {{"admission.certFile", "\"\"",
      "PEM of a certificate to use instead, reread when it changes"},
     read_path, AT(admission.cert_file), NULL, 0, 0},
    {{"admission.keyFile", "\"\"", "PEM of its private key"},
     read_path, AT(admission.key_file), NULL, 0, 0},
    {{"admission.caFile", "\"\"",
      "PEM of its CAs for the API server; \"\": those that it knows"},
     read_path, AT(admission.ca_file), NULL, 0, 0},
    {{"admission.excludeNamespaces", "[kube-system, volcano-system]",
      "never sent to the webhooks, like the program's own"},
     read_texts, AT(admission.exclude_spaces), NULL, 0, 0},
    {{"admission.timeoutSeconds", "3", "how long the API server waits for an answer, 1 to 30"},
     read_size, AT(admission.timeout_s), NULL, 1, 30},
    {{"admission.register", "true", "keep the MutatingWebhookConfiguration, and repair it"},
     read_bool, AT(admission.is_registered), NULL, 0, 0},
};
/* clang-format on */
const size_t fb_config_rows_len = sizeof fb_config_rows / sizeof fb_config_rows[0];

const struct fb_config_key *fb_config_keys(size_t at)
{
    return at < fb_config_rows_len ? &fb_config_rows[at].shown : NULL;
}
