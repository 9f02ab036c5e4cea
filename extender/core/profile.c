/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/profile.h"

#include "fabricbind/jsontext.h"

#include <stdio.h>
#include <string.h>

#define TOPO_NAME "NCCL_TOPO_FILE"
/* NCCL cuts keys and values that are longer. */
#define SETTING_BYTES 1023

/* The last member, and the end, of what nobody signed yet. */
#define SIGNATURE ",\"signature\":"
#define UNSIGNED SIGNATURE "null}"

static const char topo_left_out[] = "topology left out: annotations too large";
static const char conf_left_out[] = "nccl.conf left out: annotations too large";

/* What is still in the profile. */
struct work {
    struct fb_arena *arena;
    const struct fb_profile_input *in;
    struct fb_pairs conf; /* that NCCL can read; names the topology last */
    bool names_topo;
    const char *topo;
    struct fb_texts degraded;
};

static enum fb_status add_setting(struct work *work, const char *key, const char *value)
{
    struct fb_pairs *pairs = &work->conf;
    struct fb_pair *at =
        fb_arena_more(work->arena, pairs->at, pairs->len, &pairs->size, sizeof *at);

    if (at == NULL)
        return FB_ENOMEM;
    pairs->at = at;
    pairs->at[pairs->len++] = (struct fb_pair){key, value};
    return FB_OK;
}

/* Why NCCL would not read @pair from a line as it is; NULL: it would. */
static const char *unreadable(const struct fb_pair *pair)
{
    if (pair->key[0] == '\0' || pair->key[0] == '#' || strpbrk(pair->key, "=\n") != NULL)
        return "no name of a variable";
    if (strlen(pair->key) > SETTING_BYTES)
        return "its name is longer than 1023 characters";
    if (strlen(pair->value) > SETTING_BYTES)
        return "its value is longer than 1023 characters";
    if (strchr(pair->value, '\n') != NULL)
        return "its value has a line break";
    return NULL;
}

static enum fb_status refuse(struct work *work, const char *key, const char *why)
{
    char text[256];

    (void)snprintf(text, sizeof text, "nccl.conf: %.64s%s left out: %s", key,
                   strlen(key) > 64 ? "..." : "", why);
    return fb_texts_add(work->arena, &work->degraded,
                        fb_arena_text(work->arena, text, strlen(text)));
}

static enum fb_status collect_conf(struct work *work)
{
    const struct fb_pairs *all = &work->in->equip->conf;
    enum fb_status st = FB_OK;

    for (size_t i = 0; i < all->len && st == FB_OK; i++) {
        const struct fb_pair *pair = &all->at[i];
        const char *why = unreadable(pair);

        if (why != NULL)
            st = refuse(work, pair->key, why);
        else if (fb_pairs_find(&work->conf, pair->key) == NULL) /* for NCCL the first counts */
            st = add_setting(work, pair->key, pair->value);
    }
    if (st != FB_OK || work->topo[0] == '\0' || fb_pairs_find(&work->conf, TOPO_NAME) != NULL)
        return st;
    work->names_topo = true;
    return add_setting(work, TOPO_NAME, FB_PROFILE_TOPO_FILE);
}

static enum fb_status collect(struct work *work)
{
    const struct fb_profile_input *in = work->in;
    enum fb_status st = FB_OK;

    for (size_t i = 0; in->degraded != NULL && i < in->degraded->len && st == FB_OK; i++)
        st = fb_texts_add(work->arena, &work->degraded, in->degraded->at[i]);
    if (st != FB_OK)
        return st;
    work->topo = fb_profile_topology(work->arena, in->site->reading.shape, in->equip);
    return work->topo != NULL ? collect_conf(work) : FB_ENOMEM;
}

/* The next of what may go, larger first. False when nothing is left. */
static bool drop(struct work *work, enum fb_status *st)
{
    if (work->topo[0] != '\0') {
        work->topo = "";
        work->conf.len -= work->names_topo ? 1 : 0;
        *st = fb_texts_add(work->arena, &work->degraded, topo_left_out);
        return true;
    }
    if (work->conf.len > 0) {
        work->conf.len = 0;
        *st = fb_texts_add(work->arena, &work->degraded, conf_left_out);
        return true;
    }
    return false;
}

static const char *make_conf(const struct work *work)
{
    struct fb_jsontext text = {.arena = work->arena};

    for (size_t i = 0; i < work->conf.len; i++) {
        fb_jsontext_raw(&text, work->conf.at[i].key);
        fb_jsontext_raw(&text, "=");
        fb_jsontext_raw(&text, work->conf.at[i].value);
        fb_jsontext_raw(&text, "\n");
    }
    return fb_jsontext_done(&text);
}

/* "@key":, after a comma but for the first. */
static void write_key(struct fb_jsontext *text, const char *key, bool first)
{
    if (!first)
        fb_jsontext_raw(text, ",");
    fb_jsontext_string(text, key);
    fb_jsontext_raw(text, ":");
}

static void write_member(struct fb_jsontext *text, const char *key, const char *value)
{
    write_key(text, key, false);
    if (value != NULL && value[0] != '\0')
        fb_jsontext_string(text, value);
    else
        fb_jsontext_raw(text, "null");
}

/* NICs per GPU of this fabric: what `auto` goes by, else what the node shows. */
static const char *ratio_text(const struct fb_profile_input *in, char text[FB_RATIO_TEXT])
{
    struct fb_ratio ratio = in->fabric->auto_ratio;

    return fb_ratio_format(ratio.den != 0 ? ratio : in->site->reading.ratio, text);
}

static void write_place(struct fb_jsontext *text, const struct fb_profile_input *in)
{
    const struct fb_reading *reading = &in->site->reading;

    write_member(text, "provider", reading->policy != NULL ? reading->policy->provider : NULL);
    write_member(text, "shape", reading->shape != NULL ? reading->shape->name : reading->instance);
    write_member(text, "node", in->site->node->name);
    write_member(text, "fabric", in->fabric->name);
}

static void write_nics(struct fb_jsontext *text, const struct fb_resources *nics)
{
    write_key(text, "nics", false);
    fb_jsontext_raw(text, "{");
    for (size_t i = 0; i < nics->len; i++) {
        write_key(text, nics->at[i].name, i == 0);
        fb_jsontext_int(text, nics->at[i].amount);
    }
    fb_jsontext_raw(text, "}");
}

static void write_degraded(struct fb_jsontext *text, const struct fb_texts *degraded)
{
    write_key(text, "degraded", false);
    fb_jsontext_raw(text, "[");
    for (size_t i = 0; i < degraded->len; i++) {
        if (i > 0)
            fb_jsontext_raw(text, ",");
        fb_jsontext_string(text, degraded->at[i]);
    }
    fb_jsontext_raw(text, "]");
}

static void write_env(struct fb_jsontext *text, const struct fb_pairs *env)
{
    write_key(text, "env", false);
    fb_jsontext_raw(text, "{");
    for (size_t i = 0; i < env->len; i++) {
        write_key(text, env->at[i].key, i == 0);
        fb_jsontext_string(text, env->at[i].value);
    }
    fb_jsontext_raw(text, "}");
}

static const char *make_json(const struct work *work)
{
    struct fb_jsontext text = {.arena = work->arena};
    char ratio[FB_RATIO_TEXT];

    fb_jsontext_raw(&text, "{\"version\":1");
    write_place(&text, work->in);
    write_nics(&text, &work->in->need->nics);
    write_member(&text, "ratio", ratio_text(work->in, ratio));
    write_degraded(&text, &work->degraded);
    write_env(&text, &work->conf);
    fb_jsontext_raw(&text, UNSIGNED);
    return fb_jsontext_done(&text);
}

static enum fb_status make(const struct work *work, struct fb_profile *ret)
{
    ret->profile = make_json(work);
    ret->conf = make_conf(work);
    ret->topo = work->topo;
    return ret->profile != NULL && ret->conf != NULL ? FB_OK : FB_ENOMEM;
}

/* Source: k8s.io/apimachinery, pkg/api/validation, ValidateAnnotationsSize: the sum of keys and
 * values may be as large as the bound. */
static bool fits(const struct fb_profile_input *in, const struct fb_profile *profile)
{
    size_t bytes = strlen(FB_PROFILE_KEY) + strlen(profile->profile) + strlen(FB_PROFILE_CONF_KEY) +
                   strlen(profile->conf) + strlen(FB_PROFILE_TOPO_KEY) + strlen(profile->topo);

    return in->pod_annotations_bytes <= FB_PROFILE_LIMIT_BYTES &&
           bytes <= FB_PROFILE_LIMIT_BYTES - in->pod_annotations_bytes;
}

enum fb_status fb_profile_make(struct fb_arena *arena, const struct fb_profile_input *in,
                               struct fb_profile *ret, struct fb_error *err)
{
    struct work work = {.arena = arena, .in = in, .topo = ""};
    struct fb_profile made;
    enum fb_status st = collect(&work);

    if (st == FB_OK)
        st = make(&work, &made);
    while (st == FB_OK && !fits(in, &made)) {
        if (!drop(&work, &st))
            return fb_error_set(err, FB_ELIMIT,
                                "annotations of the pod and its profile: more than %zu bytes",
                                FB_PROFILE_LIMIT_BYTES);
        if (st == FB_OK)
            st = make(&work, &made);
    }
    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    *ret = made;
    return FB_OK;
}

bool fb_profile_is_key(const char *key)
{
    return fb_text_equal(key, FB_PROFILE_KEY) || fb_text_equal(key, FB_PROFILE_CONF_KEY) ||
           fb_text_equal(key, FB_PROFILE_TOPO_KEY);
}

const char *fb_profile_sign(struct fb_arena *arena, const char *profile, const char *signature)
{
    size_t len = strlen(profile) - strlen(UNSIGNED);
    struct fb_jsontext text = {.arena = arena};

    fb_jsontext_bytes(&text, profile, len);
    fb_jsontext_raw(&text, SIGNATURE);
    fb_jsontext_string(&text, signature);
    fb_jsontext_raw(&text, "}");
    if (fb_jsontext_done(&text) == NULL || text.len > strlen(profile) + FB_PROFILE_SIGNATURE_BYTES)
        return NULL;
    return text.at;
}
