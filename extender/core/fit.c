/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/fit.h"

#include "fabricbind/select.h"

#include <stdio.h>

const char *fb_verdict_name(enum fb_verdict_kind kind)
{
    static const char *const names[] = {"fits", "busy", "never", "excluded"};

    return names[kind];
}

const char *fb_reason_code(enum fb_reason reason)
{
    static const char *const codes[] = {
        [FB_REASON_NONE] = "none",
        [FB_REASON_SELECTOR] = "selector",
        [FB_REASON_AFFINITY] = "affinity",
        [FB_REASON_TAINT] = "taint",
        [FB_REASON_CORDONED] = "cordoned",
        [FB_REASON_NOT_READY] = "not-ready",
        [FB_REASON_TOO_FEW] = "too-few",
        [FB_REASON_BUSY] = "busy",
        [FB_REASON_OTHER_FABRIC] = "other-fabric",
        [FB_REASON_UNKNOWN_FABRIC] = "unknown-fabric",
        [FB_REASON_ABSENT] = "absent",
        [FB_REASON_CONFIGURED] = "configured",
        [FB_REASON_FEWER] = "fewer",
        [FB_REASON_WHOLE] = "whole",
        [FB_REASON_PLAN] = "plan",
    };

    return codes[reason];
}

int fb_verdict_code(enum fb_verdict_kind kind)
{
    static const int codes[] = {0, 2, 3, -1};

    return codes[kind];
}

const char *fb_verdict_text(const struct fb_verdict *verdict, char text[FB_VERDICT_TEXT])
{
    /* Volcano groups nodes by these texts: no node name and no number in them. */
    static const struct {
        const char *before, *behind;
    } texts[] = {
        [FB_REASON_NONE] = {"", ""},
        [FB_REASON_SELECTOR] = {"nodeSelector", ""},
        [FB_REASON_AFFINITY] = {"node affinity", ""},
        [FB_REASON_TAINT] = {"taint ", ""},
        [FB_REASON_CORDONED] = {"cordoned", ""},
        [FB_REASON_NOT_READY] = {"not ready", ""},
        [FB_REASON_TOO_FEW] = {"too few ", ""},
        [FB_REASON_BUSY] = {"fabricbind: too few free ", ""},
        [FB_REASON_OTHER_FABRIC] = {"fabricbind: other fabric than the rest of the job", ""},
        [FB_REASON_UNKNOWN_FABRIC] = {"fabricbind: fabric of this node is unknown", ""},
        [FB_REASON_ABSENT] = {"fabricbind: node has no ", ""},
        [FB_REASON_CONFIGURED] =
            {"fabricbind: configured NICs per GPU do not match this instance type", ""},
        [FB_REASON_FEWER] = {"fabricbind: node has fewer ", " than the pod needs"},
        [FB_REASON_WHOLE] = {"fabricbind: this network is shared by whole nodes only", ""},
        [FB_REASON_PLAN] = {"fabricbind: outside the block planned for the job", ""},
    };

    (void)snprintf(text, FB_VERDICT_TEXT, "%s%.320s%s", texts[verdict->reason].before,
                   verdict->subject != NULL ? verdict->subject : "", texts[verdict->reason].behind);
    return text;
}

static struct fb_verdict verdict(enum fb_verdict_kind kind, enum fb_reason reason,
                                 const char *subject)
{
    struct fb_verdict said = {.kind = kind, .reason = reason, .subject = subject};

    return said;
}

static const struct fb_verdict fits = {FB_FITS, FB_REASON_NONE, NULL};

/* What the scheduler's own filters say before anything is counted. */
static struct fb_verdict select_node(const struct fb_site *site, const struct fb_pod *pod)
{
    const struct fb_taint *taint = fb_select_taint(pod, site->node);

    if (!fb_select_labels(pod, site->node))
        return verdict(FB_EXCLUDED, FB_REASON_SELECTOR, NULL);
    if (!fb_select_affinity(pod, site->node))
        return verdict(FB_EXCLUDED, FB_REASON_AFFINITY, NULL);
    if (taint != NULL)
        return verdict(FB_EXCLUDED, FB_REASON_TAINT, taint->key);
    if (site->node->unschedulable && !fb_select_cordon(pod))
        return verdict(FB_EXCLUDED, FB_REASON_CORDONED, NULL);
    if (!site->node->ready)
        return verdict(FB_EXCLUDED, FB_REASON_NOT_READY, NULL);
    return fits;
}

/* GPUs that a networked pod can never have here. */
static struct fb_verdict never_gpus(const struct fb_site *site, const struct fb_need *need)
{
    int64_t has = fb_text_equal(site->reading.gpu, need->gpu) ? site->reading.gpus : 0;

    if (has < 1)
        return verdict(FB_NEVER, FB_REASON_ABSENT, need->gpu);
    if (has < need->gpus)
        return verdict(FB_NEVER, FB_REASON_FEWER, need->gpu);
    return fits;
}

static bool fabric_known(const struct fb_cluster *cluster, const struct fb_site *site)
{
    return site->fabric != FB_NONE && !cluster->fabrics[site->fabric].unknown;
}

/* A shape without NICs holds no networked pod, whatever its plugin says, unless the pod itself asks
 * for what the plugin has. */
static bool useless(const struct fb_site *site, const struct fb_need *need)
{
    return need->source != FB_NEED_OWN && fb_reading_shape_nics(&site->reading) == 0;
}

/* NICs that a networked pod can never have here, by the design's table from the top. */
static struct fb_verdict never_nics(const struct fb_cluster *cluster, const struct fb_site *site,
                                    const struct fb_question *question)
{
    const struct fb_resources *nics = &question->need->nics;

    if (question->fabric != FB_NONE && question->fabric != site->fabric)
        return verdict(FB_NEVER, FB_REASON_OTHER_FABRIC, NULL);
    for (size_t i = 0; i < nics->len; i++) {
        if (useless(site, question->need) ||
            fb_resources_get(&site->allocatable, nics->at[i].name) < 1)
            return verdict(FB_NEVER, FB_REASON_ABSENT, nics->at[i].name);
    }
    for (size_t i = 0; i < nics->len; i++) {
        if (fb_resources_get(&site->allocatable, nics->at[i].name) >= nics->at[i].amount)
            continue;
        if (question->need->source == FB_NEED_CONFIGURED)
            return verdict(FB_NEVER, FB_REASON_CONFIGURED, NULL);
        return verdict(FB_NEVER, FB_REASON_FEWER, nics->at[i].name);
    }
    if (question->need->whole && question->need->gpus < site->reading.gpus)
        return verdict(FB_NEVER, FB_REASON_WHOLE, NULL);
    if (question->gang > 1 && !fabric_known(cluster, site))
        return verdict(FB_NEVER, FB_REASON_UNKNOWN_FABRIC, NULL);
    return fits;
}

static struct fb_verdict busy(const struct fb_site *site, const struct fb_need *need)
{
    if (fb_resources_get(&site->free, need->gpu) < need->gpus)
        return verdict(FB_BUSY, FB_REASON_BUSY, need->gpu);
    for (size_t i = 0; i < need->nics.len; i++) {
        if (fb_resources_get(&site->free, need->nics.at[i].name) < need->nics.at[i].amount)
            return verdict(FB_BUSY, FB_REASON_BUSY, need->nics.at[i].name);
    }
    return fits;
}

/* What the scheduler counts itself, against all that the node has or what is free of it. */
static struct fb_verdict too_few(const struct fb_resources *has, const struct fb_need *need)
{
    for (size_t i = 0; i < need->all.len; i++) {
        const struct fb_resource *entry = &need->all.at[i];

        if (fb_resources_get(has, entry->name) < entry->amount)
            return verdict(FB_EXCLUDED, FB_REASON_TOO_FEW, entry->name);
    }
    return fits;
}

struct fb_verdict fb_fit(const struct fb_cluster *cluster, size_t site,
                         const struct fb_question *question)
{
    const struct fb_site *at = &cluster->sites[site];
    struct fb_verdict said = select_node(at, question->pod);
    bool networked = question->networking != FB_NETWORKING_NO && !question->need->plain;

    if (said.kind == FB_FITS && networked)
        said = never_gpus(at, question->need);
    if (said.kind == FB_FITS && networked)
        said = never_nics(cluster, at, question);
    if (said.kind == FB_FITS && networked)
        said = too_few(&at->allocatable, question->need); /* evicting pods would be in vain */
    if (said.kind == FB_FITS && networked)
        said = busy(at, question->need);
    if (said.kind == FB_FITS)
        said = too_few(&at->free, question->need);
    return said;
}
