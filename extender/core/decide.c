/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_work.h"

#include "fabricbind/need.h"

#include <string.h>

/* A fabric that is not the one asked about. */
#define ELSEWHERE (FB_NONE - 1)

enum fb_status fb_needs_init(struct fb_needs *needs, const struct fb_view *view,
                             const struct fb_asked *asked)
{
    size_t len = view->cluster.fabrics_len + 1;

    *needs = (struct fb_needs){.arena = view->arena, .cluster = &view->cluster, .asked = asked};
    needs->at = fb_arena_alloc(view->arena, len * sizeof *needs->at);
    needs->made = fb_arena_alloc(view->arena, len * sizeof *needs->made);
    return needs->at != NULL && needs->made != NULL ? FB_OK : FB_ENOMEM;
}

const struct fb_need *fb_needs_get(struct fb_needs *needs, size_t fabric)
{
    const struct fb_cluster *cluster = needs->cluster;
    const struct fb_rules rules = {cluster->policies, cluster->settings};
    size_t at = fabric != FB_NONE ? fabric : cluster->fabrics_len;

    if (needs->made[at])
        return &needs->at[at];
    if (fb_need_make(needs->arena, needs->asked->pod, needs->asked->networking,
                     fabric != FB_NONE ? &cluster->fabrics[fabric] : NULL, &rules,
                     &needs->at[at]) != FB_OK)
        return NULL;
    needs->made[at] = true;
    return &needs->at[at];
}

static const char *key_of(const struct fb_view *view, const struct fb_site *site)
{
    return site->fabric != FB_NONE ? view->cluster.fabrics[site->fabric].key : "";
}

/* The gang's members by the site's own index, if they are on its fabric. */
static size_t members_fabric(const struct fb_view *view, const struct fb_site *site,
                             const struct fb_asked *asked)
{
    if (asked->fabric == NULL)
        return FB_NONE;
    return site->fabric != FB_NONE && fb_text_equal(asked->fabric, key_of(view, site))
               ? site->fabric
               : ELSEWHERE;
}

/* A pod that could run here may be wanted elsewhere, where it then does: evicting others from this
 * node would be in vain. */
static void hold_to_plan(const struct fb_view *view, const struct fb_site *site,
                         const struct fb_asked *asked, struct fb_verdict *verdict)
{
    const struct fb_ledger_plan *plan = asked->in != NULL ? asked->in->plan : NULL;
    bool strict = view->cluster.settings->placement == FB_PLACEMENT_REQUIRE;
    struct fb_quota *quota;
    size_t task;

    if (plan == NULL)
        return;
    task = fb_ledger_plan_task(plan, asked->pod);
    plan->asked[task] = true;
    if (verdict->kind != FB_FITS && verdict->kind != FB_BUSY)
        return;
    quota = fb_ledger_plan_find(plan, site->node->name, task);
    if (quota != NULL && quota->left > 0) {
        quota->passed = quota->passed || verdict->kind == FB_FITS;
        return;
    }
    if (strict)
        *verdict = (struct fb_verdict){FB_NEVER, FB_REASON_PLAN, NULL};
    else if (!fb_text_equal(plan->fabric, key_of(view, site)))
        *verdict = (struct fb_verdict){FB_NEVER, FB_REASON_OTHER_FABRIC, NULL};
}

enum fb_status fb_decide_at(const struct fb_view *view, size_t site, const struct fb_asked *asked,
                            struct fb_needs *needs, struct fb_verdict *ret)
{
    const struct fb_site *at = &view->cluster.sites[site];
    struct fb_question question = {
        .pod = asked->pod,
        .need = fb_needs_get(needs, at->fabric),
        .networking = asked->networking,
        .gang = asked->in != NULL ? asked->gang.size : 1,
        .fabric = members_fabric(view, at, asked),
    };

    if (question.need == NULL)
        return FB_ENOMEM;
    *ret = fb_fit(&view->cluster, site, &question);
    hold_to_plan(view, at, asked, ret);
    return FB_OK;
}

enum fb_status fb_decide_verdict(struct fb_ledger *ledger, const struct fb_scene *scene,
                                 struct fb_view *view, const struct fb_sight_task *task,
                                 struct fb_verdict *ret)
{
    const struct fb_site *site = &view->cluster.sites[0];
    struct fb_asked asked;
    struct fb_needs needs;
    enum fb_status st = fb_decide_ask(ledger, scene, task, &asked);

    if (st == FB_OK)
        st = fb_needs_init(&needs, view, &asked);
    if (st == FB_OK)
        st = fb_decide_plan(ledger, scene, NULL, &asked);
    if (st == FB_OK)
        st = fb_decide_at(view, 0, &asked, &needs, ret);
    if (st == FB_OK && ret->kind == FB_FITS && asked.in != NULL &&
        !fb_view_knows(scene, site->node->name))
        fb_ledger_note(ledger, site->node->name, key_of(view, site));
    return st;
}
