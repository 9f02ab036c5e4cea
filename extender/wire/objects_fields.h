/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_OBJECTS_FIELDS_H
#define FB_OBJECTS_FIELDS_H

#include "fabricbind/objects.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Inside of objects: tables of fields, and the draft that they fill. */

/** What stands at a path, and what becomes of it. */
enum fb_shape {
    FB_SHAPE_OBJECT,  /* an object; nothing is kept but that it began */
    FB_SHAPE_FLAGGED, /* an object whose being there is kept, a bool */
    FB_SHAPE_MOUNT,   /* no row of its own, only those of the table below */
    FB_SHAPE_TEXT,
    FB_SHAPE_GROUP, /* an apiVersion, of which the group is kept */
    FB_SHAPE_STAMP, /* a string whose being there is kept, a bool */
    FB_SHAPE_BOOL,
    FB_SHAPE_COUNT,  /* int64_t, 0 to most; -1 when absent */
    FB_SHAPE_ALWAYS, /* restartPolicy, which tells a sidecar: the container itself */
    /* These have a row for the whole and one for each entry. */
    FB_SHAPE_PAIRS,
    FB_SHAPE_NOTES, /* annotations: pairs, of which only some are kept */
    FB_SHAPE_AMOUNTS,
    FB_SHAPE_TEXTS,
    FB_SHAPE_LIST, /* of things, which the table below is of */
    FB_SHAPE_MAP,  /* of things by key */
    /* One thing. */
    FB_SHAPE_SLOT,
    FB_SHAPE_ROOT, /* the object itself */
};

/** The things that fields belong to: where they count their offset from. */
enum fb_thing {
    FB_THING_DRAFT,
    FB_THING_POD, /* the object's own, or the template of the task */
    FB_THING_CONTAINER,
    FB_THING_OWNER,
    FB_THING_TOLERATION,
    FB_THING_TERM,
    FB_THING_REQUIREMENT,
    FB_THING_CLAIM, /* a text of fb_pod.claims */
    FB_THING_NODE,
    FB_THING_TAINT,
    FB_THING_CONDITION,
    FB_THING_TASK,
};

/** Where a pod spec stands: the object itself, or the tasks drafted at that place. */
enum fb_place {
    FB_PLACE_ITEM,
    FB_PLACE_TEMPLATE,   /* spec.template */
    FB_PLACE_TASKS,      /* spec.tasks */
    FB_PLACE_REPLICATED, /* spec.replicatedJobs */
    FB_PLACE_PYTORCH,    /* spec.pytorchReplicaSpecs */
    FB_PLACE_MPI,        /* spec.mpiReplicaSpecs */
    FB_PLACE_LEADER,     /* spec.leaderWorkerTemplate.leaderTemplate */
    FB_PLACE_FOLLOWER,   /* spec.leaderWorkerTemplate.workerTemplate */
    FB_PLACE_HEAD,       /* spec.headGroupSpec.template */
    FB_PLACE_GROUPS,     /* spec.workerGroupSpecs */
    FB_PLACE_COUNT,
};

struct fb_field {
    const char *path; /* below the thing that the table is of */
    enum fb_shape shape;
    enum fb_thing of;
    size_t at;                    /* offset in it */
    const struct fb_field *below; /* table mounted at the path, or at each entry; ends in {0} */
    enum fb_thing starts;         /* LIST, MAP, SLOT: what each entry is */
    unsigned variant;             /* LIST: told to what starts; COUNT: the most, 0 the default */
    unsigned kinds;               /* 0: those of the table */
    enum fb_place place;          /* ITEM: that of the table */
};

#define FB_AT(type, member) .at = offsetof(struct type, member)
#define FB_END                                                                                     \
    {                                                                                              \
        .path = NULL                                                                               \
    }

/** A field at one of its places. */
struct fb_mounted {
    const struct fb_field *field;
    const char *path; /* below the prefix */
    unsigned kinds;
    enum fb_place place;
    unsigned owner; /* number of the thing that it is part of */
    bool entry;     /* an entry of the list or map, not the whole */
};

struct fb_object_mount {
    struct fb_arena *arena;
    struct fb_mounted *at;
    struct fb_scan_path *paths;
    size_t len, size;
    unsigned owners, kinds;
    int first_id;
};

/** A task as told; -1 where nothing is told. */
struct fb_task_draft {
    const char *name;
    int64_t replicas, min, parallelism, completions, least, hosts;
    struct fb_pod pod;
};

struct fb_task_drafts {
    struct fb_task_draft *at;
    size_t len, size;
    size_t current;
};

struct fb_condition {
    const char *type, *status;
};

/** All that is known of an object before its kind is. */
struct fb_draft {
    struct fb_object object;
    const char *kind, *completion_mode;
    const char *group; /* NULL: no apiVersion yet */
    int64_t replicas, min_available, policy_min, min_member, parallelism, completions, size;
    int64_t num_nodes;
    struct fb_condition condition;
};

struct fb_object_reader {
    struct fb_arena *arena;
    const struct fb_object_mount *mount;
    fb_object_found found;
    void *context;
    enum fb_kind assumed;
    struct fb_draft draft;
    struct fb_task_drafts tasks[FB_PLACE_COUNT]; /* the arrays serve one object after another */
    unsigned stamp;                              /* of this object */
    unsigned held;           /* kinds that this object cannot be: set of FB_KIND_BIT(), ... */
    struct fb_error *errors; /* FB_KIND_COUNT: ... and why; NULL while there was none */
    unsigned seen[];         /* by row: the object that it was last seen in */
};

/** Tables of fields. */
extern const struct fb_field fb_item_fields[];     /* of any object; objects_item.c */
extern const struct fb_field fb_node_fields[];     /* of a Node; objects_node.c */
extern const struct fb_field fb_pod_spec_fields[]; /* of a pod's spec; objects_pod.c */
extern const struct fb_field fb_template_fields[]; /* of a pod template; objects_pod.c */

/** Of which nothing is told. */
void fb_node_init(struct fb_node *node);
void fb_pod_init(struct fb_pod *pod);

/** The thing that is being read at the place of @row, or NULL. */
void *fb_thing_find(struct fb_object_reader *reader, enum fb_thing thing, enum fb_place place);

/** Start another entry of the list or map @row, the thing behind @key. */
enum fb_status fb_thing_start(struct fb_object_reader *reader, const struct fb_mounted *row,
                              const struct fb_scan_value *value, struct fb_error *err) FB_CHECK;

/** Drop all things of the list, map or slot @row. */
void fb_thing_clear(struct fb_object_reader *reader, const struct fb_mounted *row);

/** Read @value into the field of @row that is no list, map or slot of things. */
enum fb_status fb_field_read(struct fb_object_reader *reader, const struct fb_mounted *row,
                             void *thing, const struct fb_scan_value *value,
                             struct fb_error *err) FB_CHECK;

/** As if the field had never been told. */
void fb_field_clear(const struct fb_mounted *row, void *thing);

/** Complete what was read once the kind is known. */
void fb_node_finish(struct fb_node *node, const struct fb_pod *meta);
void fb_node_condition(struct fb_node *node, const struct fb_condition *condition);
enum fb_status fb_pod_finish(struct fb_arena *arena, struct fb_pod *pod,
                             struct fb_error *err) FB_CHECK;
enum fb_status fb_job_finish(struct fb_object_reader *reader, enum fb_kind kind,
                             struct fb_error *err) FB_CHECK;

#endif
