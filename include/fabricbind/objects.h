/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_OBJECTS_H
#define FB_OBJECTS_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/job.h"
#include "fabricbind/namespace.h"
#include "fabricbind/node.h"
#include "fabricbind/pod.h"
#include "fabricbind/scan.h"

#include <stddef.h>

/**
 * Kubernetes objects out of scanned JSON: the one decoder of every source.
 *
 * The paths of objects are mounted below a prefix of a document: "items[]" of a list, "" when the
 * document is the object, "node.Node" of a request. Keys come in any order, so what an object is
 * turns out at its end: until then everything known of it is kept, and so are the errors of
 * fields that other kinds do not have.
 *
 * What is read: the fields of node.h, pod.h and job.h. null is absent, also as an element of a
 * list; of a key given twice the last wins; annotations are kept when their key begins with a
 * prefix that placement reads (fabricbind.io/, nhx.nvidia.com/, ...). Amounts are never below 0.
 */

enum fb_kind {
    FB_KIND_NONE, /* not known here */
    FB_KIND_NODE,
    FB_KIND_POD,
    FB_KIND_PODGROUP, /* scheduling.volcano.sh */
    FB_KIND_NAMESPACE,
    FB_KIND_VCJOB,    /* Job of batch.volcano.sh */
    FB_KIND_BATCHJOB, /* Job of batch */
    FB_KIND_JOBSET,
    FB_KIND_PYTORCHJOB,
    FB_KIND_MPIJOB,
    FB_KIND_LWS, /* LeaderWorkerSet */
    FB_KIND_RAYCLUSTER,
    FB_KIND_STATEFULSET,
    FB_KIND_TRAINJOB, /* no template: its pods ask for nothing */
    FB_KIND_RUNAIJOB,
    FB_KIND_COUNT,
};

#define FB_KIND_BIT(kind) (1U << (unsigned)(kind))
#define FB_KINDS_ALL (FB_KIND_BIT(FB_KIND_COUNT) - FB_KIND_BIT(FB_KIND_NODE))
#define FB_KINDS_JOBS (FB_KIND_BIT(FB_KIND_COUNT) - FB_KIND_BIT(FB_KIND_VCJOB))

#define FB_OBJECT_PODS_MAX 100000  /* pods of one job */
#define FB_OBJECT_ENTRIES_MAX 4096 /* of one list or map of an object */

/**
 * An object as read; all texts and arrays are of the reader's arena.
 *
 * Tasks: those of a Volcano Job by name ("default0" for the first where it has none), replicated
 * jobs of a JobSet by name, replica types of PyTorchJob and MPIJob in lower case and sorted,
 * "leader" and "worker" of a LeaderWorkerSet, "head" and the groups of a RayCluster, "node" of a
 * TrainJob, and "main" of kinds with one template, a Pod among them.
 */
struct fb_object {
    enum fb_kind kind;
    struct fb_node node;         /* FB_KIND_NODE */
    struct fb_pod pod;           /* FB_KIND_POD; of others what metadata says */
    struct fb_podgroup podgroup; /* FB_KIND_PODGROUP */
    struct fb_namespace namespace;
    struct fb_job job;         /* owners of pods */
    const char *generate_name; /* metadata.generateName of pods and owners; "" */
};

/** Objects below one prefix: immutable, shared between readers and threads. */
struct fb_object_mount;

/**
 * Mount @kinds, a set of FB_KIND_BIT(), below @prefix.
 *
 * @first_id  id of the first path; the others count on from it
 * @ret       set on success only; free with fb_object_mount_free()
 */
enum fb_status fb_object_mount_new(const char *prefix, unsigned kinds, int first_id,
                                   struct fb_object_mount **ret, struct fb_error *err) FB_CHECK;
void fb_object_mount_free(struct fb_object_mount *mount);
void fb_object_mount_freep(struct fb_object_mount **mount);

/** The rows to give to fb_scan_paths_new(), alone or among others; owned by @mount. */
const struct fb_scan_path *fb_object_mount_paths(const struct fb_object_mount *mount,
                                                 size_t *ret_len);

/** Does @id belong to @mount. */
bool fb_object_mount_has(const struct fb_object_mount *mount, int id);

/** An object is complete. Borrowed during the call; what it points at lives in the arena. */
typedef enum fb_status (*fb_object_found)(void *context, const struct fb_object *object,
                                          struct fb_error *err);

struct fb_object_reader;

/**
 * @arena    owns what is read
 * @mount    borrowed, must outlive the reader
 *
 * Returns NULL when out of memory. Free with fb_object_reader_free().
 */
struct fb_object_reader *fb_object_reader_new(struct fb_arena *arena,
                                              const struct fb_object_mount *mount,
                                              fb_object_found found, void *context);
void fb_object_reader_free(struct fb_object_reader *reader);
void fb_object_reader_freep(struct fb_object_reader **reader);

/** Between two objects: the arena was reset, and nothing of what was read before is there. */
void fb_object_reader_reset(struct fb_object_reader *reader);

/** What objects are that do not tell kind and apiVersion; FB_KIND_NONE at first. */
void fb_object_reader_assume(struct fb_object_reader *reader, enum fb_kind kind);

/** What metadata says of the object that is being read, or was read last: so far. */
const struct fb_pod *fb_object_reader_meta(const struct fb_object_reader *reader);

/**
 * Take a value that the scanner found at a path of the mount.
 *
 * Returns FB_OK; FB_EINPUT ("not a string", "'4x' is no quantity", "'-1' is below 0"), FB_ELIMIT
 * ("more than 4096 entries"); FB_ENOMEM; what the callback returned. The scanner puts the path in
 * front; an error that had to wait for the kind has the path below the object in its own text.
 */
enum fb_status fb_object_reader_take(struct fb_object_reader *reader,
                                     const struct fb_scan_value *value,
                                     struct fb_error *err) FB_CHECK;

/** @pod as a job of one task, texts and arrays shared with it. FB_ENOMEM. */
enum fb_status fb_job_of_pod(struct fb_arena *arena, const struct fb_pod *pod, struct fb_job *ret,
                             struct fb_error *err) FB_CHECK;

/** The kind of these two, @group as in apiVersion without the version; FB_KIND_NONE if unknown. */
enum fb_kind fb_kind_find(const char *kind, const char *group);

/** The kind whose lists are called @list ("NodeList"); FB_KIND_NONE if unknown. */
enum fb_kind fb_kind_of_list(const char *list, const char *group);

#endif
