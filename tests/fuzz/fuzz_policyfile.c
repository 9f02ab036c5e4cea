/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/policyfile.h"

#include <assert.h>
#include <string.h>

/* Policies, and the YAML below them: what is taken must be whole, what is not must be explained. */

#define ARENA_BYTES ((size_t)16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_texts(const struct fb_texts *texts)
{
    for (size_t i = 0; i < texts->len; i++)
        assert(strlen(texts->at[i]) < ARENA_BYTES);
}

static void check_shape(const struct fb_shape *shape)
{
    assert(shape->name != NULL && shape->gpus >= 0 && shape->nics >= -1 && shape->gbps >= 0);
    for (size_t i = 0; i < shape->topology_len; i++) {
        const struct fb_pci_numa *numa = &shape->topology[i];

        assert(numa->numa >= 0);
        for (size_t s = 0; s < numa->len; s++) {
            check_texts(&numa->at[s].gpus);
            check_texts(&numa->at[s].nics);
        }
    }
}

static void check_policy(const struct fb_policy *policy)
{
    assert(policy->provider != NULL && policy->provider[0] != '\0');
    check_texts(&policy->detect.provider_ids);
    check_texts(&policy->detect.labels);
    check_texts(&policy->placeholders);
    for (size_t i = 0; i < policy->nics_len; i++) {
        assert(policy->nics[i].pattern != NULL);
        check_texts(&policy->nics[i].exclude);
    }
    for (size_t i = 0; i < policy->boundary_len; i++)
        assert((policy->boundary[i].label == NULL) != (policy->boundary[i].provider_id == NULL));
    for (size_t i = 0; i < policy->tiers_len; i++)
        assert(policy->tiers[i].labels.len > 0);
    for (size_t i = 0; i < policy->shapes_len; i++)
        check_shape(&policy->shapes[i]);
}

static void check_error(enum fb_status st, const struct fb_error *err)
{
    assert(st == FB_EINPUT || st == FB_ELIMIT || st == FB_ENOMEM);
    assert(err->text[0] != '\0' && memchr(err->text, '\0', sizeof err->text) != NULL);
}

/* JSON that YAML reads alike: no letters that end a line there, no key over 1024 bytes, and no -0,
 * a float in JSON and an integer there. */
static bool is_plain(const char *text)
{
    size_t len = 0;

    for (; text[len] != '\0'; len++) {
        if (text[len] < 0x20 || text[len] > 0x7e)
            return false;
    }
    return len <= 1024 && strstr(text, "-0") == NULL;
}

/* What becomes JSON is JSON, and JSON is YAML: it comes back as it was. */
static void check_json(struct fb_arena *arena, const struct fb_yaml *node)
{
    struct fb_yaml_documents again = {0};
    struct fb_error err = {0};
    const char *text = NULL;
    const char *twice = NULL;
    size_t len = 0;
    size_t twice_len = 0;
    enum fb_status st = fb_yaml_json(arena, node, &text, &len, &err);

    if (st != FB_OK) {
        check_error(st, &err);
        return;
    }
    assert(strlen(text) == len);
    if (!is_plain(text))
        return;
    st = fb_yaml_parse(arena, text, len, &again, &err);
    if (st == FB_ENOMEM || again.len == 0)
        return;
    assert(st == FB_OK && again.len == 1);
    if (fb_yaml_json(arena, &again.at[0], &twice, &twice_len, &err) == FB_OK)
        assert(strcmp(text, twice) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(ARENA_BYTES);
    struct fb_yaml_documents documents = {0};
    struct fb_policies policies = {0};
    struct fb_error err = {0};
    enum fb_status st;

    if (arena == NULL)
        return 0;
    st = fb_policyfile_read(arena, &policies, (const char *)data, size, &err);
    if (st == FB_OK)
        check_policy(&policies.at[0]);
    else
        check_error(st, &err);
    if (fb_yaml_parse(arena, (const char *)data, size, &documents, NULL) != FB_OK)
        return 0;
    for (size_t i = 0; i < documents.len; i++)
        check_json(arena, &documents.at[i]);
    return 0;
}
