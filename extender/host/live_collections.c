/* SPDX-License-Identifier: Apache-2.0 */
#include "live_collections.h"

/* Pods that have run to their end take nothing any more, and there may be many of them. */
#define LIVING "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"

#define APIS(group, version, plural) "/apis/" group "/" version "/" plural

const struct fb_collection fb_collections[FB_COLLECTIONS] = {
    {"nodes", FB_KIND_NODE, {"/api/v1/nodes", NULL}, ""},
    {"pods", FB_KIND_POD, {"/api/v1/pods", NULL}, LIVING},
    {"namespaces", FB_KIND_NAMESPACE, {"/api/v1/namespaces", NULL}, ""},
    {"podgroups",
     FB_KIND_PODGROUP,
     {APIS("scheduling.volcano.sh", "v1beta1", "podgroups"), NULL},
     ""},
    {"jobs.batch.volcano.sh",
     FB_KIND_VCJOB,
     {APIS("batch.volcano.sh", "v1alpha1", "jobs"), NULL},
     ""},
    {"jobs.batch", FB_KIND_BATCHJOB, {APIS("batch", "v1", "jobs"), NULL}, ""},
    {"jobsets", FB_KIND_JOBSET, {APIS("jobset.x-k8s.io", "v1alpha2", "jobsets"), NULL}, ""},
    {"pytorchjobs", FB_KIND_PYTORCHJOB, {APIS("kubeflow.org", "v1", "pytorchjobs"), NULL}, ""},
    /* Of a definition that serves both versions either tells all objects. */
    {"mpijobs",
     FB_KIND_MPIJOB,
     {APIS("kubeflow.org", "v2beta1", "mpijobs"), APIS("kubeflow.org", "v1", "mpijobs")},
     ""},
    {"leaderworkersets",
     FB_KIND_LWS,
     {APIS("leaderworkerset.x-k8s.io", "v1", "leaderworkersets"), NULL},
     ""},
    {"rayclusters", FB_KIND_RAYCLUSTER, {APIS("ray.io", "v1", "rayclusters"), NULL}, ""},
    {"statefulsets", FB_KIND_STATEFULSET, {APIS("apps", "v1", "statefulsets"), NULL}, ""},
    {"trainjobs",
     FB_KIND_TRAINJOB,
     {APIS("trainer.kubeflow.org", "v1alpha1", "trainjobs"), NULL},
     ""},
    {"runaijobs", FB_KIND_RUNAIJOB, {APIS("run.ai", "v1", "runaijobs"), NULL}, ""},
};
