/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/config.h"

#include "config_keys.h"

#include <assert.h>
#include <string.h>

/* Sums of two decimals in binary: 0.8 + 0.2 may come out a little above 1. */
#define ROUNDING 1e-9

/* The one document of @text; its type is null when there is none. */
static enum fb_status parse(struct fb_arena *arena, const char *text, size_t len,
                            struct fb_yaml *ret, struct fb_error *err)
{
    struct fb_yaml_documents documents = {0};
    enum fb_status st = fb_yaml_parse(arena, text, len, &documents, err);

    if (st != FB_OK)
        return st;
    if (documents.len > 1)
        return fb_error_set(err, FB_EINPUT, "line %zu: a second document", documents.at[1].line);
    *ret = documents.len == 1 ? documents.at[0] : (struct fb_yaml){.type = FB_YAML_NULL};
    return FB_OK;
}

/* Each row reads its own default, so that what tables print is what holds. */
enum fb_status fb_config_defaults(struct fb_arena *arena, struct fb_config *ret)
{
    static const struct fb_policies none = {0};
    struct fb_config config = {0};
    struct fb_config_reader reader = {.arena = arena, .policies = &none, .config = &config};

    for (size_t i = 0; i < fb_config_rows_len; i++) {
        const struct fb_config_row *row = &fb_config_rows[i];
        struct fb_yaml node = {0};
        enum fb_status st =
            parse(arena, row->shown.fallback, strlen(row->shown.fallback), &node, NULL);

        if (st == FB_OK && node.type != FB_YAML_NULL)
            st = row->read(&reader, &node, row->shown.key, NULL);
        assert(st == FB_OK || st == FB_ENOMEM);
        if (st != FB_OK)
            return st;
    }
    config.provider_by = NULL;
    *ret = config;
    return FB_OK;
}

/* The name that @key has in @section, at the top when that is ""; NULL when it is not there. */
static const char *name_in(const char *section, const char *key)
{
    const char *dot = strrchr(key, '.');
    size_t len = dot == NULL ? 0 : (size_t)(dot - key);

    if (len != strlen(section) || strncmp(key, section, len) != 0)
        return NULL;
    return dot == NULL ? key : dot + 1;
}

static enum fb_status read_section(void *reader, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err);

/* The rows and the sections right below @section, or those at the top when it is "". */
static size_t rows_of(const char *section, struct fb_yaml_key rows[FB_YAML_KEYS_MAX])
{
    static const char *const sections[] = {"match",  "fabric",    "scoring",          "limits",
                                           "listen", "admission", "admission.service"};
    size_t len = 0;

    for (size_t i = 0; i < fb_config_rows_len; i++) {
        const struct fb_config_row *row = &fb_config_rows[i];
        const char *name = name_in(section, row->shown.key);

        if (name != NULL)
            rows[len++] = (struct fb_yaml_key){name, row->read, row->shown.help};
    }
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        const char *name = name_in(section, sections[i]);

        if (name != NULL)
            rows[len++] = (struct fb_yaml_key){name, read_section, ""};
    }
    return len;
}

static enum fb_status read_section(void *reader, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err)
{
    struct fb_yaml_key rows[FB_YAML_KEYS_MAX];
    size_t len = rows_of(key, rows);

    return fb_yaml_read(node, key, rows, len, reader, err);
}

enum fb_status fb_config_rows_read(struct fb_config_reader *reader, const struct fb_yaml *map,
                                   struct fb_error *err)
{
    struct fb_yaml_key rows[FB_YAML_KEYS_MAX];
    size_t len = rows_of("", rows);

    return fb_yaml_read(map, "", rows, len, reader, err);
}

enum fb_status fb_config_read(struct fb_arena *arena, struct fb_config *config,
                              const struct fb_policies *policies, const char *text, size_t len,
                              struct fb_error *err)
{
    struct fb_config next = *config;
    struct fb_config_reader reader = {.arena = arena, .policies = policies, .config = &next};
    struct fb_yaml root = {0};
    enum fb_status st = parse(arena, text, len, &root, err);

    if (st == FB_OK && root.type != FB_YAML_NULL)
        st = fb_config_rows_read(&reader, &root, err);
    next.settings.pin_gangs = next.wiring != FB_WIRING_FULL;
    if (st == FB_OK)
        *config = next;
    return st;
}

enum fb_status fb_config_read_helix(struct fb_arena *arena, struct fb_config *config,
                                    const struct fb_policies *policies, const char *text,
                                    size_t len, struct fb_error *err)
{
    static const char key[] = "multinodeNetworking";
    struct fb_config next = *config;
    struct fb_config_reader reader = {.arena = arena, .policies = policies, .config = &next};
    struct fb_yaml root = {0};
    const struct fb_yaml *block;
    enum fb_status st = parse(arena, text, len, &root, err);

    if (st != FB_OK)
        return st;
    if (root.type != FB_YAML_NULL && root.type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: not a mapping", root.line);
    block = fb_yaml_find(&root, key);
    if (block == NULL)
        return fb_error_set(err, FB_EINPUT, "%s: no such block in these values", key);
    st = fb_config_read_block(&reader, block, key, err);
    if (st == FB_OK)
        *config = next;
    return st;
}

/* The nearer of two names to @text; the first when neither is nearer, NULL when neither is near. */
static const char *nearer(const char *text, const char *a, const char *b)
{
    const char *names[] = {a == NULL ? b : a, b};

    return fb_text_nearest(text, names, 2);
}

static enum fb_status check_shape(const struct fb_config *config, const char *name,
                                  const struct fb_policies *policies, struct fb_error *err)
{
    const char *nearest = NULL;

    for (size_t i = 0; i < policies->len; i++) {
        const struct fb_policy *policy = &policies->at[i];

        if (config->settings.provider != NULL &&
            !fb_text_equal(policy->provider, config->settings.provider))
            continue;
        if (fb_policy_shape(policy, fb_policy_instance(policy, name)) != NULL)
            return FB_OK;
        for (size_t k = 0; k < policy->shapes_len; k++)
            nearest = nearer(name, nearest, policy->shapes[k].name);
    }
    if (nearest == NULL)
        return fb_error_set(err, FB_EINPUT, "expectedShapes: '%s' is no shape of a policy", name);
    return fb_error_set(err, FB_EINPUT,
                        "expectedShapes: '%s' is no shape of a policy, nearest is '%s'", name,
                        nearest);
}

/* Port 0 is a free one, another one each time. */
static bool same_address(const char *a, const char *b)
{
    return strcmp(a, b) == 0 && strcmp(strrchr(a, ':'), ":0") != 0;
}

static enum fb_status check_listen(const struct fb_listen *listen, struct fb_error *err)
{
    const struct {
        const char *key, *address;
    } all[] = {{"extender", listen->extender},
               {"admission", listen->admission},
               {"metrics", listen->metrics}};

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = i + 1; k < 3; k++) {
            if (same_address(all[i].address, all[k].address))
                return fb_error_set(err, FB_EINPUT, "listen: %s and %s are both %s", all[i].key,
                                    all[k].key, all[i].address);
        }
    }
    return FB_OK;
}

static enum fb_status check_files(const struct fb_admission_config *admission, struct fb_error *err)
{
    bool has_cert = admission->cert_file[0] != '\0';

    if (has_cert != (admission->key_file[0] != '\0'))
        return fb_error_set(err, FB_EINPUT, "admission: %s without %s",
                            has_cert ? "certFile" : "keyFile", has_cert ? "keyFile" : "certFile");
    if (!has_cert && admission->ca_file[0] != '\0')
        return fb_error_set(err, FB_EINPUT, "admission: caFile without certFile");
    return FB_OK;
}

enum fb_status fb_config_finish(const struct fb_config *config, const struct fb_policies *policies,
                                struct fb_error *err)
{
    const struct fb_texts *shapes = &config->settings.expected_shapes;
    double locality = config->settings.scoring.locality;
    double packing = config->settings.scoring.packing;
    enum fb_status st = FB_OK;

    if (locality + packing > 1 + ROUNDING)
        return fb_error_set(err, FB_EINPUT,
                            "scoring: locality %g and packing %g are more than 1 together",
                            locality, packing);
    for (size_t i = 0; i < shapes->len && st == FB_OK; i++)
        st = check_shape(config, shapes->at[i], policies, err);
    if (st == FB_OK)
        st = check_listen(&config->listen, err);
    if (st == FB_OK)
        st = check_files(&config->admission, err);
    return st;
}
