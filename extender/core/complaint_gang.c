/* SPDX-License-Identifier: Apache-2.0 */
#include "complaint_work.h"

#include "choice_reserve.h"
#include "fabricbind/creation.h"
#include "fabricbind/gang.h"
#include "fabricbind/plan.h"
#include "gang_job.h"

/* A gang that waits, held against the cluster. What is planned is dropped when it was judged. */
struct trial {
    struct fb_complaining *work;
    const struct fb_gang *gang;
    const struct fb_pod *pod; /* one that waits, perhaps pinned to a fabric */
};

/* The cluster with free amounts of its own. @empty: as if no pod was there. */
static enum fb_status copy_cluster(const struct trial *trial, bool empty, struct fb_cluster *ret)
{
    const struct fb_cluster *from = trial->work->in->cluster;
    enum fb_status st = FB_OK;

    *ret = *from;
    ret->arena = trial->work->scratch;
    ret->sites = fb_arena_alloc(trial->work->scratch, from->sites_len * sizeof *ret->sites);
    if (ret->sites == NULL)
        return FB_ENOMEM;
    if (empty)
        ret->residents_len = 0;
    for (size_t i = 0; st == FB_OK && i < from->sites_len; i++) {
        ret->sites[i] = from->sites[i];
        ret->sites[i].free = (struct fb_resources){0};
        st = fb_resources_add_all(trial->work->scratch, &ret->sites[i].free,
                                  empty ? &from->sites[i].allocatable : &from->sites[i].free);
    }
    return st;
}

/* Plan it, as its pods are or as its owner would have them made now. */
static enum fb_status try_out(const struct trial *trial, bool empty, bool as_made,
                              struct fb_plan *ret)
{
    const struct fb_pod *pod = as_made || trial->gang->job == NULL ? trial->pod : NULL;
    struct fb_gang_job *of = fb_arena_alloc(trial->work->scratch, sizeof *of);
    struct fb_cluster cluster;
    enum fb_status st = of != NULL ? copy_cluster(trial, empty, &cluster) : FB_ENOMEM;

    if (st == FB_OK)
        st = fb_gang_job_make(cluster.arena, cluster.settings, trial->gang, pod, of);
    return st == FB_OK ? fb_plan_make(&cluster, &of->job, of->group, ret, NULL) : st;
}

static enum fb_status complain_full(const struct trial *trial, size_t chosen, size_t other)
{
    const struct fb_fabric *fabrics = trial->work->in->cluster->fabrics;

    return fb_complain(trial->work, fb_complaint_of_gang(trial->gang), FB_COMPLAINT_FULL,
                       fb_arena_print(trial->work->arena,
                                      "the pods were made for %s, which has no room for all of "
                                      "them, while %s has: submit the job again to have it there",
                                      fabrics[chosen].name, fabrics[other].name));
}

/* Held to a fabric without room by pins that the owner does not ask for. */
static enum fb_status judge_choice(const struct trial *trial)
{
    const struct fb_cluster *cluster = trial->work->in->cluster;
    size_t chosen = fb_choice_find(cluster, fb_choice_told(cluster, trial->gang, trial->pod));
    struct fb_plan plan;
    enum fb_status st;

    if (chosen == FB_NONE || trial->gang->job == NULL)
        return FB_OK;
    st = try_out(trial, false, true, &plan);
    if (st != FB_OK || plan.fits)
        return st;
    st = try_out(trial, false, false, &plan);
    if (st != FB_OK || !plan.fits || plan.gang_fabric == FB_NONE)
        return st;
    return complain_full(trial, chosen, plan.gang_fabric);
}

static enum fb_status complain_large(const struct trial *trial, const struct fb_plan *plan)
{
    const char *resource = plan->short_resource != NULL ? plan->short_resource : "nodes";

    return fb_complain(trial->work, fb_complaint_of_gang(trial->gang), FB_COMPLAINT_TOO_LARGE,
                       fb_arena_print(trial->work->arena,
                                      "no fabric holds all pods of the gang at once, were its "
                                      "nodes empty: too few %s",
                                      resource));
}

static bool has_nodes(const struct trial *trial)
{
    const struct fb_cluster *cluster = trial->work->in->cluster;

    for (size_t i = 0; i < cluster->sites_len; i++) {
        if (fb_creation_admits(cluster, &cluster->sites[i], trial->pod))
            return true;
    }
    return false;
}

/* Where no node is there yet, some are perhaps still to come. */
static enum fb_status judge(const struct trial *trial)
{
    struct fb_plan plan;
    enum fb_status st;

    if (!has_nodes(trial))
        return FB_OK;
    st = try_out(trial, true, false, &plan);
    if (st != FB_OK)
        return st;
    return plan.fits ? judge_choice(trial) : complain_large(trial, &plan);
}

enum fb_status fb_complain_gangs(struct fb_complaining *work)
{
    const struct fb_cluster *cluster = work->in->cluster;
    const struct fb_pod **waiting = fb_choice_waiting(work->arena, cluster);
    size_t judged = 0;
    enum fb_status st = waiting != NULL ? FB_OK : FB_ENOMEM;

    work->made->next = work->in->first;
    for (size_t n = 0; st == FB_OK && n < cluster->gangs_len && judged < work->in->gangs; n++) {
        size_t i = (work->in->first + n) % cluster->gangs_len;
        struct trial trial = {work, &cluster->gangs[i], waiting[i]};

        work->made->next = (i + 1) % cluster->gangs_len;
        if (waiting[i] == NULL || trial.gang->fabric != FB_NONE || trial.gang->size < 2)
            continue; /* one that has members is held by them */
        judged++;
        st = judge(&trial);
        fb_arena_reset(work->scratch);
    }
    return st;
}
