/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/template.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Where the templates of a kind stand. */
static const struct place {
    const char *kind, *group;
    const char *task; /* of this task alone; NULL: of every task */
    const char *in;   /* the list or map of tasks; NULL: there is one template */
    const char *name; /* key of a list's entry that holds the task's name; NULL: by position */
    const char *template;
} places[] = {
    {"Job", "batch.volcano.sh", NULL, "spec.tasks", NULL, "template"},
    {"JobSet", "jobset.x-k8s.io", NULL, "spec.replicatedJobs", "name", "template.spec.template"},
    {"PyTorchJob", "kubeflow.org", NULL, "spec.pytorchReplicaSpecs", NULL, "template"},
    {"MPIJob", "kubeflow.org", NULL, "spec.mpiReplicaSpecs", NULL, "template"},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", "leader", NULL, NULL,
     "spec.leaderWorkerTemplate.leaderTemplate"},
    {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", NULL, NULL, NULL,
     "spec.leaderWorkerTemplate.workerTemplate"},
    {"RayCluster", "ray.io", "head", NULL, NULL, "spec.headGroupSpec.template"},
    {"RayCluster", "ray.io", NULL, "spec.workerGroupSpecs", "groupName", "template"},
    {"Job", "batch", NULL, NULL, NULL, "spec.template"},
    {"RunaiJob", "run.ai", NULL, NULL, NULL, "spec.template"},
    {"StatefulSet", "apps", NULL, NULL, NULL, "spec.template"},
    {"Pod", "", NULL, NULL, NULL, ""},
};

/* The node at dotted @path below @node, or NULL. */
static const struct fb_yaml *walk(const struct fb_yaml *node, const char *path)
{
    while (node != NULL && *path != '\0') {
        size_t len = strcspn(path, ".");
        char key[64];

        if (len >= sizeof key)
            return NULL;
        memcpy(key, path, len);
        key[len] = '\0';
        node = fb_yaml_find(node, key);
        path += path[len] == '.' ? len + 1 : len;
    }
    return node;
}

static bool is_named(const struct fb_yaml *entry, const char *key, const char *name)
{
    const struct fb_yaml *found = fb_yaml_find(entry, key);

    return found != NULL && strcmp(found->text, name) == 0;
}

/* The entry of a list or map of tasks that is @task. */
static const struct fb_yaml *find_entry(const struct fb_yaml *all, const struct place *place,
                                        const struct fb_job *job, size_t task)
{
    const char *name = job->tasks[task].name;

    if (all->type == FB_YAML_LIST && place->name == NULL)
        return task < all->len ? &all->at[task] : NULL;
    for (size_t i = 0; i < all->len; i++) {
        if (all->type == FB_YAML_MAP ? strcasecmp(all->keys[i], name) == 0
                                     : is_named(&all->at[i], place->name, name))
            return &all->at[i];
    }
    return NULL;
}

static const struct fb_yaml *find_template(const struct fb_yaml *document,
                                           const struct place *place, const struct fb_job *job,
                                           size_t task)
{
    const struct fb_yaml *node = document;

    if (place->in != NULL)
        node = walk(document, place->in);
    if (place->in != NULL && node != NULL)
        node = find_entry(node, place, job, task);
    return walk(node, place->template);
}

static bool is_of(const struct place *place, const struct fb_job *job, size_t task)
{
    return strcmp(place->kind, job->kind) == 0 && strcmp(place->group, job->group) == 0 &&
           (place->task == NULL || strcmp(place->task, job->tasks[task].name) == 0);
}

enum fb_status fb_template_json(struct fb_arena *arena, const struct fb_yaml *document,
                                const struct fb_job *job, size_t task, const char **ret,
                                struct fb_error *err)
{
    size_t len;

    *ret = "";
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct fb_yaml *template;

        if (!is_of(&places[i], job, task))
            continue;
        template = find_template(document, &places[i], job, task);
        if (template != NULL)
            return fb_yaml_json(arena, template, ret, &len, err);
    }
    return FB_OK;
}
