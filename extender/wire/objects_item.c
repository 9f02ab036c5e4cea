/* SPDX-License-Identifier: Apache-2.0 */
#include "objects_fields.h"

#define MOST_MIN ((unsigned)INT32_MAX)

#define NODE FB_KIND_BIT(FB_KIND_NODE)
#define POD FB_KIND_BIT(FB_KIND_POD)
#define PODGROUP FB_KIND_BIT(FB_KIND_PODGROUP)
#define NAMESPACE FB_KIND_BIT(FB_KIND_NAMESPACE)
#define VCJOB FB_KIND_BIT(FB_KIND_VCJOB)
#define BATCHJOB FB_KIND_BIT(FB_KIND_BATCHJOB)
#define JOBSET FB_KIND_BIT(FB_KIND_JOBSET)
#define PYTORCHJOB FB_KIND_BIT(FB_KIND_PYTORCHJOB)
#define MPIJOB FB_KIND_BIT(FB_KIND_MPIJOB)
#define LWS FB_KIND_BIT(FB_KIND_LWS)
#define RAYCLUSTER FB_KIND_BIT(FB_KIND_RAYCLUSTER)
#define STATEFULSET FB_KIND_BIT(FB_KIND_STATEFULSET)
#define TRAINJOB FB_KIND_BIT(FB_KIND_TRAINJOB)
#define RUNAIJOB FB_KIND_BIT(FB_KIND_RUNAIJOB)

static const struct fb_field owner_fields[] = {
    {"apiVersion", FB_SHAPE_GROUP, FB_THING_OWNER, FB_AT(fb_owner, group)},
    {"kind", FB_SHAPE_TEXT, FB_THING_OWNER, FB_AT(fb_owner, kind)},
    {"name", FB_SHAPE_TEXT, FB_THING_OWNER, FB_AT(fb_owner, name)},
    {"uid", FB_SHAPE_TEXT, FB_THING_OWNER, FB_AT(fb_owner, uid)},
    {"controller", FB_SHAPE_BOOL, FB_THING_OWNER, FB_AT(fb_owner, controller)},
    FB_END,
};

/* Source: volcano.sh/apis batch/v1alpha1, TaskSpec. */
static const struct fb_field vcjob_task_fields[] = {
    {"name", FB_SHAPE_TEXT, FB_THING_TASK, FB_AT(fb_task_draft, name)},
    {"replicas", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, replicas)},
    {"minAvailable", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, min), .variant = MOST_MIN},
    {"template", FB_SHAPE_OBJECT, FB_THING_TASK, .below = fb_template_fields},
    FB_END,
};

/* Source: jobset.x-k8s.io/v1alpha2, ReplicatedJob; batch/v1, JobSpec. */
static const struct fb_field replicated_fields[] = {
    {"name", FB_SHAPE_TEXT, FB_THING_TASK, FB_AT(fb_task_draft, name)},
    {"replicas", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, replicas)},
    {"template", FB_SHAPE_OBJECT, FB_THING_TASK, .at = 0},
    {"template.spec", FB_SHAPE_OBJECT, FB_THING_TASK, .at = 0},
    {"template.spec.parallelism", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, parallelism)},
    {"template.spec.completions", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, completions),
     .variant = MOST_MIN},
    {"template.spec.template", FB_SHAPE_OBJECT, FB_THING_TASK, .below = fb_template_fields},
    FB_END,
};

/* Source: kubeflow.org/v1 and v2beta1, ReplicaSpec. */
static const struct fb_field replica_fields[] = {
    {"replicas", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, replicas)},
    {"template", FB_SHAPE_OBJECT, FB_THING_TASK, .below = fb_template_fields},
    FB_END,
};

/* Source: ray.io/v1, WorkerGroupSpec. */
static const struct fb_field group_fields[] = {
    {"groupName", FB_SHAPE_TEXT, FB_THING_TASK, FB_AT(fb_task_draft, name)},
    {"replicas", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, replicas)},
    {"minReplicas", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, least)},
    {"numOfHosts", FB_SHAPE_COUNT, FB_THING_TASK, FB_AT(fb_task_draft, hosts)},
    {"template", FB_SHAPE_OBJECT, FB_THING_TASK, .below = fb_template_fields},
    FB_END,
};

#define COUNT(path_, member, kinds_)                                                               \
    {                                                                                              \
        path_, FB_SHAPE_COUNT, FB_THING_DRAFT, FB_AT(fb_draft, member), .kinds = (kinds_)          \
    }
#define META(path_, shape_, member, kinds_)                                                        \
    {                                                                                              \
        path_, shape_, FB_THING_POD, FB_AT(fb_pod, member), .kinds = (kinds_)                      \
    }
#define OBJECT(path_, kinds_)                                                                      \
    {                                                                                              \
        path_, FB_SHAPE_OBJECT, FB_THING_DRAFT, .kinds = (kinds_)                                  \
    }
#define SLOT(path_, place_, kinds_)                                                                \
    {                                                                                              \
        path_, FB_SHAPE_SLOT, FB_THING_DRAFT, .below = fb_template_fields,                         \
                                              .starts = FB_THING_TASK, .kinds = (kinds_),          \
                                              .place = (place_)                                    \
    }
#define TASKS(path_, shape_, below_, place_, kinds_)                                               \
    {                                                                                              \
        path_, shape_, FB_THING_DRAFT, .below = (below_), .starts = FB_THING_TASK,                 \
                                       .kinds = (kinds_), .place = (place_)                        \
    }

const struct fb_field fb_item_fields[] = {
    {"apiVersion", FB_SHAPE_GROUP, FB_THING_DRAFT, FB_AT(fb_draft, group)},
    {"kind", FB_SHAPE_TEXT, FB_THING_DRAFT, FB_AT(fb_draft, kind)},
    OBJECT("metadata", FB_KINDS_ALL),
    META("metadata.name", FB_SHAPE_TEXT, name, FB_KINDS_ALL),
    META("metadata.namespace", FB_SHAPE_TEXT, space, FB_KINDS_ALL & ~(NODE | NAMESPACE)),
    META("metadata.uid", FB_SHAPE_TEXT, uid, FB_KINDS_ALL),
    META("metadata.labels", FB_SHAPE_PAIRS, labels, FB_KINDS_ALL & ~PODGROUP),
    META("metadata.annotations", FB_SHAPE_NOTES, annotations, FB_KINDS_ALL & ~(NODE | NAMESPACE)),
    META("metadata.deletionTimestamp", FB_SHAPE_STAMP, terminating, FB_KINDS_JOBS | POD),
    {"metadata.generateName", FB_SHAPE_TEXT, FB_THING_DRAFT, FB_AT(fb_draft, object.generate_name),
     .kinds = FB_KINDS_JOBS | POD},
    {"metadata.ownerReferences", FB_SHAPE_LIST, FB_THING_POD, .below = owner_fields,
     .starts = FB_THING_OWNER, .kinds = POD | PODGROUP},
    OBJECT("spec", FB_KINDS_ALL & ~NAMESPACE),
    {"spec", FB_SHAPE_MOUNT, FB_THING_DRAFT, .below = fb_pod_spec_fields, .kinds = POD},
    {"", FB_SHAPE_MOUNT, FB_THING_DRAFT, .below = fb_node_fields, .kinds = NODE},
    OBJECT("status", NODE | POD),
    META("status.phase", FB_SHAPE_TEXT, phase, POD),
    {"spec.minMember", FB_SHAPE_COUNT, FB_THING_DRAFT, FB_AT(fb_draft, min_member),
     .variant = MOST_MIN, .kinds = PODGROUP},
    {"spec.minAvailable", FB_SHAPE_COUNT, FB_THING_DRAFT, FB_AT(fb_draft, min_available),
     .variant = MOST_MIN, .kinds = VCJOB},
    TASKS("spec.tasks", FB_SHAPE_LIST, vcjob_task_fields, FB_PLACE_TASKS, VCJOB),
    COUNT("spec.parallelism", parallelism, BATCHJOB | RUNAIJOB),
    {"spec.completions", FB_SHAPE_COUNT, FB_THING_DRAFT, FB_AT(fb_draft, completions),
     .variant = MOST_MIN, .kinds = BATCHJOB | RUNAIJOB},
    {"spec.completionMode", FB_SHAPE_TEXT, FB_THING_DRAFT, FB_AT(fb_draft, completion_mode),
     .kinds = BATCHJOB},
    SLOT("spec.template", FB_PLACE_TEMPLATE, BATCHJOB | RUNAIJOB | STATEFULSET),
    COUNT("spec.replicas", replicas, LWS | STATEFULSET),
    TASKS("spec.replicatedJobs", FB_SHAPE_LIST, replicated_fields, FB_PLACE_REPLICATED, JOBSET),
    TASKS("spec.pytorchReplicaSpecs", FB_SHAPE_MAP, replica_fields, FB_PLACE_PYTORCH, PYTORCHJOB),
    TASKS("spec.mpiReplicaSpecs", FB_SHAPE_MAP, replica_fields, FB_PLACE_MPI, MPIJOB),
    OBJECT("spec.runPolicy", PYTORCHJOB | MPIJOB),
    OBJECT("spec.runPolicy.schedulingPolicy", PYTORCHJOB | MPIJOB),
    {"spec.runPolicy.schedulingPolicy.minAvailable", FB_SHAPE_COUNT, FB_THING_DRAFT,
     FB_AT(fb_draft, policy_min), .variant = MOST_MIN, .kinds = PYTORCHJOB | MPIJOB},
    OBJECT("spec.leaderWorkerTemplate", LWS),
    COUNT("spec.leaderWorkerTemplate.size", size, LWS),
    SLOT("spec.leaderWorkerTemplate.leaderTemplate", FB_PLACE_LEADER, LWS),
    SLOT("spec.leaderWorkerTemplate.workerTemplate", FB_PLACE_FOLLOWER, LWS),
    OBJECT("spec.headGroupSpec", RAYCLUSTER),
    SLOT("spec.headGroupSpec.template", FB_PLACE_HEAD, RAYCLUSTER),
    TASKS("spec.workerGroupSpecs", FB_SHAPE_LIST, group_fields, FB_PLACE_GROUPS, RAYCLUSTER),
    OBJECT("spec.trainer", TRAINJOB),
    COUNT("spec.trainer.numNodes", num_nodes, TRAINJOB),
    FB_END,
};
