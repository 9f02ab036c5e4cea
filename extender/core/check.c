/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/check.h"

#include "fabricbind/gang.h"
#include "fabricbind/need.h"
#include "findings.h"

#include <string.h>

static const char *type_of(const struct fb_fabric *fabric)
{
    return *fabric->instance != '\0' ? fabric->instance : "unknown type";
}

/* NICs (or seats) that a whole node of @fabric can give. */
static int64_t gives(const struct fb_cluster *cluster, size_t fabric)
{
    const struct fb_fabric *of = &cluster->fabrics[fabric];
    int64_t most = 0;

    if (of->kind == FB_NIC_EXCLUSIVE)
        return fb_ratio_nics(of->auto_ratio, of->gpus);
    for (size_t i = 0; i < cluster->sites_len; i++) {
        const struct fb_site *site = &cluster->sites[i];
        int64_t seats = fb_resources_get(&site->allocatable, of->nics.at[0]);

        if (site->fabric == fabric && seats > most)
            most = seats;
    }
    return most;
}

/* A ratio held against whole nodes of a fabric. */
struct contest {
    struct fb_ratio ratio;
    int64_t asks, has; /* NICs or seats */
};

/* A ratio that asks for more than there is never fits; one that asks for less wastes NICs. False:
 * there is none to hold against them, or it is right. */
static bool mismatches(const struct fb_cluster *cluster, size_t fabric, struct contest *ret)
{
    const struct fb_settings *settings = cluster->settings;
    const struct fb_fabric *of = &cluster->fabrics[fabric];

    if (!of->has_nics || of->kind == FB_NIC_EACH)
        return false;
    if (settings->ratio_mode == FB_RATIO_CONFIGURED)
        ret->ratio = settings->ratio;
    else if (settings->ratio_mode == FB_RATIO_SHAPE && of->pool_nics > 0)
        ret->ratio = fb_ratio_of(of->shape->nics, of->gpus);
    else
        return false;
    ret->asks = fb_need_nics(of, FB_NEED_CONFIGURED, ret->ratio, of->gpus);
    ret->has = gives(cluster, fabric);
    return ret->has != 0 && ret->asks != ret->has &&
           (ret->asks > ret->has || of->kind != FB_NIC_SLOT);
}

size_t fb_check_mismatched(const struct fb_cluster *cluster)
{
    struct contest contest;
    size_t nodes = 0;

    for (size_t i = 0; i < cluster->fabrics_len; i++)
        nodes += mismatches(cluster, i, &contest) ? cluster->fabrics[i].nodes : 0;
    return nodes;
}

static enum fb_status note_ratio(const struct fb_fabric *of, const struct contest *contest,
                                 struct fb_notes *notes)
{
    long long asks = (long long)contest->asks;
    long long has = (long long)contest->has;
    struct fb_finding finding = {
        .level = asks > has ? FB_LEVEL_ERROR : FB_LEVEL_WARNING,
        .code = "ratio-mismatch",
        .subject = type_of(of),
        .count = of->nodes,
    };
    char want[FB_RATIO_TEXT];
    char real[FB_RATIO_TEXT];

    (void)fb_ratio_format(contest->ratio, want);
    (void)fb_ratio_format(fb_ratio_of(has, of->gpus), real);
    if (asks > has)
        finding.message =
            fb_arena_print(notes->arena,
                           "%s NICs per GPU against %s: a pod of %lld GPUs asks for %lld of "
                           "%lld %s and fits nowhere",
                           want, real, (long long)of->gpus, asks, has, of->nics.at[0]);
    else
        finding.message = fb_arena_print(
            notes->arena, "%s NICs per GPU against %s: %lld of %lld %s stay unused on a whole node",
            want, real, has - asks, has, of->nics.at[0]);
    return finding.message != NULL ? fb_notes_add(notes, finding, "") : FB_ENOMEM;
}

static enum fb_status note_pool(const struct fb_fabric *fabric, struct fb_notes *notes)
{
    struct fb_finding finding = {
        .level = FB_LEVEL_INFO,
        .code = "pool-below-shape",
        .subject = type_of(fabric),
        .message =
            fb_arena_print(notes->arena, "most nodes show %lld of %lld %s: auto asks for %lld",
                           (long long)fabric->pool_nics, (long long)fabric->shape->nics,
                           fabric->nics.at[0], (long long)fabric->pool_nics),
        .count = fabric->nodes,
    };

    return finding.message != NULL ? fb_notes_add(notes, finding, "") : FB_ENOMEM;
}

static enum fb_status check_fabric(const struct fb_cluster *cluster, size_t fabric,
                                   struct fb_notes *notes)
{
    const struct fb_fabric *of = &cluster->fabrics[fabric];
    struct contest contest;

    if (mismatches(cluster, fabric, &contest))
        return note_ratio(of, &contest, notes);
    if (of->has_nics && of->kind != FB_NIC_EACH && of->pool_nics > 0 &&
        cluster->settings->ratio_mode == FB_RATIO_AUTO)
        return note_pool(of, notes);
    return FB_OK;
}

static size_t networked_pods(const struct fb_cluster *cluster, size_t gang)
{
    size_t pods = 0;

    for (size_t i = 0; i < cluster->residents_len; i++)
        pods += cluster->residents[i].gang == gang && cluster->residents[i].networked &&
                cluster->residents[i].site != FB_NONE;
    return pods;
}

static enum fb_status check_gang(const struct fb_cluster *cluster, size_t gang,
                                 struct fb_notes *notes)
{
    struct fb_finding finding = {.level = FB_LEVEL_ERROR, .code = "gang-two-fabrics"};
    size_t fabrics[2];

    if (!fb_gang_spans(cluster, gang, fabrics))
        return FB_OK;
    finding.subject = fb_arena_print(notes->arena, "%s/%s", cluster->gangs[gang].space,
                                     cluster->gangs[gang].name);
    finding.message =
        fb_arena_print(notes->arena, "the gang spans two fabrics: %s and %s",
                       cluster->fabrics[fabrics[0]].name, cluster->fabrics[fabrics[1]].name);
    finding.count = networked_pods(cluster, gang);
    if (finding.subject == NULL || finding.message == NULL)
        return FB_ENOMEM;
    return fb_notes_add(notes, finding, "");
}

/* Several fabrics side by side are fine, and good to know of. */
static enum fb_status note_fabrics(const struct fb_cluster *cluster, struct fb_notes *notes)
{
    size_t count = 0;

    for (size_t i = 0; i < cluster->fabrics_len; i++)
        count += cluster->fabrics[i].has_nics && !cluster->fabrics[i].unknown;
    for (size_t i = 0; count > 1 && i < cluster->fabrics_len; i++) {
        struct fb_finding finding = {
            .level = FB_LEVEL_INFO,
            .code = "fabrics",
            .subject = "cluster",
            .message = "fabrics side by side that cannot reach each other",
        };
        enum fb_status st;

        if (!cluster->fabrics[i].has_nics || cluster->fabrics[i].unknown)
            continue;
        st = fb_notes_add(notes, finding, cluster->fabrics[i].name);
        if (st != FB_OK)
            return st;
    }
    return FB_OK;
}

enum fb_status fb_check_make(const struct fb_cluster *cluster, struct fb_findings *ret)
{
    struct fb_findings findings = {0};
    struct fb_notes notes = {.arena = cluster->arena, .findings = &findings};
    enum fb_status st = fb_check_nodes(cluster, &notes);

    for (size_t i = 0; st == FB_OK && i < cluster->fabrics_len; i++)
        st = check_fabric(cluster, i, &notes);
    for (size_t i = 0; st == FB_OK && i < cluster->gangs_len; i++)
        st = check_gang(cluster, i, &notes);
    if (st == FB_OK)
        st = note_fabrics(cluster, &notes);
    if (st == FB_OK)
        st = fb_notes_finish(&notes);
    if (st == FB_OK)
        *ret = findings;
    return st;
}
