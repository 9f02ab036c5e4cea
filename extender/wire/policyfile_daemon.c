/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define PLACE "{version}"

/* Bytes of an image's tag. */
#define TAG_MOST 128

struct daemon {
    const char *version, *installer;
    struct fb_pairs pairs; /* installer, daemon */
};

/* Also safe inside a JSON string. */
static bool is_tag(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    return len > 0 && len <= TAG_MOST && text[len] == '\0' && text[0] != '.' && text[0] != '-';
}

static struct daemon *daemon_of(void *into)
{
    struct fb_policyfile_target *target = into;

    return target->object;
}

static enum fb_status daemon_version(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err)
{
    static const struct fb_policyfile_form form = {is_tag, "no tag of an image"};

    return fb_policyfile_formed(node, key, &form, &daemon_of(into)->version, err);
}

static enum fb_status daemon_pairs(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    static const struct fb_policyfile_form form[2] = {{is_tag, "no version"},
                                                      {is_tag, "no tag of an image"}};
    struct fb_policyfile_target *target = into;

    return fb_policyfile_pairs(target->arena, node, key, form, &daemon_of(into)->pairs, err);
}

static enum fb_status daemon_installer(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err)
{
    return fb_yaml_text(node, key, &daemon_of(into)->installer, err);
}

static const struct fb_yaml_key daemon_rows[] = {
    {"version", daemon_version, "the daemon's version; required"},
    {"pairs", daemon_pairs, "by version of the installer on the nodes: the daemon's that fits"},
    {"installer", daemon_installer,
     "the installer on the nodes: its pair is taken, not `version`; empty or left out: `version`"},
};

const struct fb_policyfile_keys fb_policyfile_daemon_keys = {"daemon.", daemon_rows,
                                                             COUNT(daemon_rows)};

/* @ret_version NULL: the document has no daemon. */
static enum fb_status read_version(struct fb_arena *arena, const struct fb_yaml *document,
                                   const char **ret_version, struct fb_error *err)
{
    const struct fb_yaml *node = fb_yaml_find(document, "daemon");
    struct daemon daemon = {0};
    struct fb_policyfile_target target = {arena, &daemon};
    enum fb_status st;

    *ret_version = NULL;
    if (node == NULL)
        return FB_OK;
    st = fb_yaml_read(node, "daemon", daemon_rows, COUNT(daemon_rows), &target, err);
    if (st != FB_OK)
        return st;
    if (daemon.version == NULL)
        return fb_policyfile_missing(node, "daemon", "version", err);
    *ret_version = daemon.version;
    if (daemon.installer == NULL || daemon.installer[0] == '\0')
        return FB_OK;
    *ret_version = fb_pairs_find(&daemon.pairs, daemon.installer);
    if (*ret_version == NULL)
        return fb_error_set(err, FB_EINPUT,
                            "line %zu: daemon.installer: '%s' is none of daemon.pairs",
                            fb_yaml_find(node, "installer")->line, daemon.installer);
    return FB_OK;
}

static size_t places_in(const char *text)
{
    size_t places = 0;

    for (const char *at = strstr(text, PLACE); at != NULL; at = strstr(at + 1, PLACE))
        places++;
    return places;
}

static char *append(char *end, const char *text, size_t len)
{
    memcpy(end, text, len);
    return end + len;
}

/* @text with @version in every place. NULL when out of memory. */
static const char *fill(struct fb_arena *arena, const char *text, const char *version)
{
    size_t version_len = strlen(version);
    char *filled = fb_arena_alloc(arena, strlen(text) + places_in(text) * version_len + 1);
    char *end = filled;

    if (filled == NULL)
        return NULL;
    for (const char *at = strstr(text, PLACE); at != NULL; at = strstr(text, PLACE)) {
        end = append(end, text, (size_t)(at - text));
        end = append(end, version, version_len);
        text = at + strlen(PLACE);
    }
    (void)append(end, text, strlen(text)); /* the arena's memory is zeroed */
    return filled;
}

static enum fb_status fill_sidecars(struct fb_arena *arena, const struct fb_yaml *document,
                                    const char *version, struct fb_equip *equip,
                                    struct fb_error *err)
{
    for (size_t i = 0; i < equip->sidecars_len; i++) {
        struct fb_equip_sidecar *sidecar = &equip->sidecars[i];

        if (places_in(sidecar->container) == 0)
            continue;
        if (version == NULL)
            return fb_error_set(err, FB_EINPUT,
                                "line %zu: daemon: missing, but sidecar %s has " PLACE,
                                document->line, sidecar->name);
        sidecar->container = fill(arena, sidecar->container, version);
        if (sidecar->container == NULL)
            return fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    return FB_OK;
}

enum fb_status fb_policyfile_daemon(struct fb_arena *arena, const struct fb_yaml *document,
                                    struct fb_policy *policy, struct fb_error *err)
{
    const char *version;
    enum fb_status st = read_version(arena, document, &version, err);

    if (st == FB_OK)
        st = fill_sidecars(arena, document, version, &policy->equip, err);
    for (size_t i = 0; i < policy->shapes_len && st == FB_OK; i++)
        st = fill_sidecars(arena, document, version, &policy->shapes[i].equip, err);
    return st;
}
