/* SPDX-License-Identifier: Apache-2.0 */
#include "choice_object.h"

#include "inventory.h"

#include "fabricbind/jsontext.h"
#include "fabricbind/own.h"
#include "fabricbind/scan.h"

#include <string.h>

#define GROUP_NAME "scheduling.k8s.io/group-name"
#define OBJECT_BYTES ((size_t)16 << 20)

struct api {
    const char *kind, *group, *version, *plural;
};

/* Of two versions of one kind either may be served. */
static const struct api apis[] = {
    {"Job", "batch.volcano.sh", "batch.volcano.sh/v1alpha1", "jobs"},
    {"Job", "batch", "batch/v1", "jobs"},
    {"JobSet", "jobset.x-k8s.io", "jobset.x-k8s.io/v1alpha2", "jobsets"},
    {"PyTorchJob", "kubeflow.org", "kubeflow.org/v1", "pytorchjobs"},
    {"MPIJob", "kubeflow.org", "kubeflow.org/v2beta1", "mpijobs"},
    {"MPIJob", "kubeflow.org", "kubeflow.org/v1", "mpijobs"},
    {"TrainJob", "trainer.kubeflow.org", "trainer.kubeflow.org/v1alpha1", "trainjobs"},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", "leaderworkerset.x-k8s.io/v1",
     "leaderworkersets"},
    {"RayCluster", "ray.io", "ray.io/v1", "rayclusters"},
    {"StatefulSet", "apps", "apps/v1", "statefulsets"},
    {"RunaiJob", "run.ai", "run.ai/v1", "runaijobs"},
};
#define APIS (sizeof apis / sizeof apis[0])

static const struct api podgroups = {"PodGroup", "scheduling.volcano.sh",
                                     "scheduling.volcano.sh/v1beta1", "podgroups"};

static bool is_of(const struct api *api, const char *kind, const char *group)
{
    return fb_text_equal(api->kind, kind) && fb_text_equal(api->group, group);
}

const char *fb_choice_api_version(const char *kind, const char *group)
{
    for (size_t i = 0; i < APIS; i++) {
        if (is_of(&apis[i], kind, group))
            return apis[i].version;
    }
    return NULL;
}

static enum fb_status add_path(struct fb_arena *arena, const struct api *api, const char *space,
                               const char *name, const char **ret)
{
    *ret = fb_arena_print(arena, "/apis/%s/namespaces/%s/%s/%s", api->version, space, api->plural,
                          name);
    return *ret != NULL ? FB_OK : FB_ENOMEM;
}

enum fb_status fb_choice_paths(struct fb_arena *arena, const struct fb_gang *gang,
                               const struct fb_pod *pod, const char *ret[FB_CHOICE_OBJECTS],
                               size_t *ret_len)
{
    const char *podgroup = fb_pairs_find(&pod->annotations, GROUP_NAME);
    enum fb_status st = FB_OK;

    *ret_len = 0;
    if (!fb_text_is_name(gang->space))
        return FB_OK;
    if (fb_text_is_name(podgroup))
        st = add_path(arena, &podgroups, gang->space, podgroup, &ret[(*ret_len)++]);
    for (size_t i = 0; st == FB_OK && fb_text_is_name(gang->name) && i < APIS; i++) {
        if (is_of(&apis[i], gang->kind, gang->group) && *ret_len < FB_CHOICE_OBJECTS)
            st = add_path(arena, &apis[i], gang->space, gang->name, &ret[(*ret_len)++]);
    }
    return st;
}

static enum fb_status call(const struct fb_choice_asking *asking, struct fb_api_call *call,
                           struct fb_api_reply *ret, struct fb_error *err)
{
    int64_t left_ms = asking->end_ms - fb_inventory_clock_ms();

    if (left_ms < 1)
        return fb_error_set(err, FB_EIO, "%s %s: no time is left", call->method, call->path);
    call->timeout_ms = (unsigned)left_ms;
    return fb_apiserver_call(asking->server, call, ret, err);
}

/* What a status says of the object. */
static enum fb_status judge(const struct fb_api_reply *reply, const char *path,
                            struct fb_error *err)
{
    if (reply->status == 200)
        return FB_OK;
    if (reply->status == 404)
        return fb_error_set(err, FB_ENOTFOUND, "%s: not found", path);
    if (reply->status == 409)
        return fb_error_set(err, FB_EINPUT, "%s: it has changed", path);
    return fb_error_prefix(err, fb_api_reply_error(reply, FB_EIO, err), "%s", path);
}

enum { AT_ROOT, AT_UID, AT_VERSION, AT_ANNOTATION };

struct reading {
    const struct fb_choice_asking *asking;
    struct fb_choice_object *object;
    bool is_object;
};

static enum fb_status keep(const struct reading *reading, const struct fb_scan_value *value,
                           const char **ret)
{
    if (value->type != FB_SCAN_STRING)
        return FB_OK;
    *ret = fb_arena_text(reading->asking->arena, value->text, value->len);
    return *ret != NULL ? FB_OK : FB_ENOMEM;
}

static enum fb_status take(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    struct reading *reading = context;
    enum fb_status st = FB_OK;

    if (value->id == AT_ROOT)
        reading->is_object = reading->is_object || value->type == FB_SCAN_OBJECT;
    else if (value->id == AT_UID)
        st = keep(reading, value, &reading->object->uid);
    else if (value->id == AT_VERSION)
        st = keep(reading, value, &reading->object->version);
    else if (fb_text_equal(value->key, reading->asking->key))
        st = keep(reading, value, &reading->object->told);
    return st != FB_OK ? fb_error_set(err, st, "out of memory") : FB_OK;
}

static enum fb_status parse(const struct fb_choice_asking *asking, const struct fb_api_reply *reply,
                            struct fb_choice_object *ret, struct fb_error *err)
{
    static const struct fb_scan_path at[] = {
        {"", AT_ROOT},
        {"metadata.uid", AT_UID},
        {"metadata.resourceVersion", AT_VERSION},
        {"metadata.annotations.*", AT_ANNOTATION},
    };
    const struct fb_scan_limits limits = {.bytes = OBJECT_BYTES};
    struct reading reading = {.asking = asking, .object = ret};
    FB_OWNED(fb_scan_paths_freep) struct fb_scan_paths *paths = NULL;
    enum fb_status st = fb_scan_paths_new(at, sizeof at / sizeof at[0], &paths, err);

    if (st == FB_OK)
        st = fb_scan_all(paths, &limits, reply->body, reply->len, take, &reading, err);
    if (st == FB_OK && (!reading.is_object || *ret->uid == '\0' || *ret->version == '\0'))
        st = fb_error_set(err, FB_EINPUT, "no object with uid and resourceVersion");
    return st;
}

enum fb_status fb_choice_object_read(const struct fb_choice_asking *asking, const char *path,
                                     struct fb_choice_object *ret, struct fb_error *err)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    struct fb_choice_object object = {.path = path, .uid = "", .version = ""};
    struct fb_api_call get = {.method = "GET", .path = path};
    enum fb_status st = call(asking, &get, &reply, err);

    if (st == FB_OK)
        st = judge(&reply, path, err);
    if (st != FB_OK)
        return st;
    st = parse(asking, &reply, &object, err);
    if (st != FB_OK)
        return fb_error_prefix(err, st, "%s", path);
    *ret = object;
    return FB_OK;
}

enum fb_status fb_choice_object_write(const struct fb_choice_asking *asking,
                                      const struct fb_choice_object *object, const char *value,
                                      struct fb_error *err)
{
    FB_OWNED(fb_api_reply_fini) struct fb_api_reply reply = {0};
    struct fb_jsontext body = {.arena = asking->arena};
    struct fb_api_call patch = {
        .method = "PATCH", .path = object->path, .type = "application/merge-patch+json"};
    enum fb_status st;

    fb_jsontext_raw(&body, "{\"metadata\":{\"resourceVersion\":");
    fb_jsontext_string(&body, object->version);
    fb_jsontext_raw(&body, ",\"annotations\":{");
    fb_jsontext_string(&body, asking->key);
    fb_jsontext_raw(&body, ":");
    fb_jsontext_string(&body, value);
    fb_jsontext_raw(&body, "}}}");
    patch.body = fb_jsontext_done(&body);
    if (patch.body == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    patch.len = strlen(patch.body);
    st = call(asking, &patch, &reply, err);
    return st == FB_OK ? judge(&reply, object->path, err) : st;
}
