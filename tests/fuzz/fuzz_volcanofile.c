/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/check_volcano.h"
#include "fabricbind/own.h"
#include "fabricbind/volcanofile.h"

#include <assert.h>
#include <string.h>

/* A volcano-scheduler.conf as it is written, and what is found of it. */

#define ARENA_BYTES ((size_t)16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_settings(const struct fb_volcano_settings *settings)
{
    for (size_t i = 0; i < settings->len; i++) {
        const struct fb_volcano_setting *at = &settings->at[i];

        assert(at->key != NULL && at->line > 0 && strlen(at->text) < ARENA_BYTES);
        assert(at->type == FB_VOLCANO_LIST || at->list.len == 0);
        for (size_t t = 0; t < at->list.len; t++)
            assert(strlen(at->list.at[t]) < ARENA_BYTES);
    }
}

static void check_plugins(const struct fb_volcano_plugins *plugins)
{
    size_t tier = 0;

    for (size_t i = 0; i < plugins->len; i++) {
        assert(plugins->at[i].name[0] != '\0' && plugins->at[i].line > 0);
        assert(plugins->at[i].tier >= tier);
        tier = plugins->at[i].tier;
        check_settings(&plugins->at[i].arguments);
        check_settings(&plugins->at[i].switches);
    }
}

static void check_findings(struct fb_arena *arena, const struct fb_volcano_conf *conf)
{
    static const struct fb_volcano_coupling coupling = {"full", true, true, "0.0.0.0:9712"};
    static const struct fb_policies policies = {0};
    static const struct fb_settings settings = {
        .scoring = {.weight = 1000, .locality = 0.8, .packing = 0.2}};
    const struct fb_cluster cluster = {
        .arena = arena, .policies = &policies, .settings = &settings};
    struct fb_findings findings = {0};
    enum fb_status st = fb_check_volcano(&cluster, &coupling, conf, &findings);

    assert(st == FB_OK || st == FB_ENOMEM);
    for (size_t i = 0; i < findings.len; i++)
        assert(findings.at[i].message[0] != '\0' && findings.at[i].count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(ARENA_BYTES);
    struct fb_volcano_conf conf = {0};
    struct fb_error err = {0};
    enum fb_status st;

    if (arena == NULL)
        return 0;
    st = fb_volcanofile_read(arena, (const char *)data, size, &conf, &err);
    if (st == FB_OK) {
        check_plugins(&conf.plugins);
        check_plugins(&conf.actions_set);
        check_findings(arena, &conf);
    } else {
        assert(st == FB_EINPUT || st == FB_ELIMIT || st == FB_ENOMEM);
        assert(err.text[0] != '\0');
    }
    return 0;
}
