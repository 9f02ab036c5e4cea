/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/gang.h"

#include "fabricbind/need.h"

#include <stdlib.h>

#define NUM_NODES "nhx.nvidia.com/num-nodes"

/* Helix writes the number of GPU pods on each of them; what is no such number says nothing. */
static int64_t told_size(const struct fb_pod *pod)
{
    const char *text = fb_pairs_find(&pod->annotations, NUM_NODES);
    char *end;
    long long size;

    if (text == NULL)
        return 0;
    size = strtoll(text, &end, 10);
    return end != text && *end == '\0' && size > 0 ? size : 0;
}

int64_t fb_gang_size(const struct fb_job *job, const struct fb_settings *settings)
{
    int64_t told = 0;
    int64_t size = 0;

    for (size_t i = 0; i < job->tasks_len; i++) {
        const struct fb_task *task = &job->tasks[i];

        if (fb_need_gpus(&task->pod, settings, NULL) < 1)
            continue;
        size = fb_amount_add(size, task->pods);
        if (told_size(&task->pod) > told)
            told = told_size(&task->pod);
    }
    return told > 0 ? told : size;
}

/* Owners of owners leave their name on the pods. */
static bool named_by_label(const struct fb_job *job, const struct fb_pod *pod)
{
    static const struct {
        const char *kind, *group, *label;
    } labels[] = {
        {"JobSet", "jobset.x-k8s.io", "jobset.sigs.k8s.io/jobset-name"},
        {"TrainJob", "trainer.kubeflow.org", "jobset.sigs.k8s.io/jobset-name"},
        {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", "leaderworkerset.sigs.k8s.io/name"},
        {"MPIJob", "kubeflow.org", "training.kubeflow.org/job-name"},
    };

    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (fb_text_equal(labels[i].kind, job->kind) &&
            fb_text_equal(labels[i].group, job->group) &&
            fb_text_equal(fb_pairs_find(&pod->labels, labels[i].label), job->name))
            return true;
    }
    return false;
}

/* A job that was submitted again has the name, but not the UID. */
static bool is_owner(const struct fb_owner *owner, const struct fb_job *job)
{
    return fb_text_equal(owner->kind, job->kind) && fb_text_equal(owner->group, job->group) &&
           fb_text_equal(owner->name, job->name) &&
           (*owner->uid == '\0' || *job->uid == '\0' || fb_text_equal(owner->uid, job->uid));
}

bool fb_gang_owns(const struct fb_job *job, const struct fb_pod *pod)
{
    if (!fb_text_equal(job->space, pod->space))
        return false;
    if (fb_text_equal(job->kind, "Pod"))
        return fb_text_equal(job->name, pod->name);
    for (size_t i = 0; i < pod->owners_len; i++) {
        if (is_owner(&pod->owners[i], job))
            return true;
    }
    return named_by_label(job, pod);
}

size_t fb_gang_fabric(const struct fb_cluster *cluster, const struct fb_resident *resident)
{
    if (resident->gang == FB_NONE || !resident->networked || resident->pod->terminating ||
        resident->site == FB_NONE)
        return FB_NONE;
    return cluster->sites[resident->site].fabric;
}

bool fb_gang_spans(const struct fb_cluster *cluster, size_t gang, size_t ret_fabrics[2])
{
    size_t first = FB_NONE;

    for (size_t i = 0; i < cluster->residents_len; i++) {
        size_t fabric = fb_gang_fabric(cluster, &cluster->residents[i]);

        if (fabric == FB_NONE || cluster->residents[i].gang != gang)
            continue;
        if (first == FB_NONE)
            first = fabric;
        if (fabric != first) {
            ret_fabrics[0] = first < fabric ? first : fabric;
            ret_fabrics[1] = first < fabric ? fabric : first;
            return true;
        }
    }
    return false;
}
