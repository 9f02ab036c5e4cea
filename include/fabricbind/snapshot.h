/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SNAPSHOT_H
#define FB_SNAPSHOT_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/job.h"
#include "fabricbind/namespace.h"
#include "fabricbind/node.h"
#include "fabricbind/pod.h"
#include "fabricbind/scan.h"

#include <stddef.h>

/** A cluster as `kubectl get ... -A -o json` prints it. Everything lives in one arena. */
struct fb_snapshot {
    struct fb_node *nodes;
    size_t nodes_len, nodes_size;
    struct fb_pod *pods;
    size_t pods_len, pods_size;
    struct fb_podgroup *podgroups;
    size_t podgroups_len, podgroups_size;
    struct fb_jobs jobs; /* owners of all kinds that objects.h knows; plain pods are not here */
    struct fb_namespaces namespaces; /* sorted when a list is finished */
    size_t skipped;                  /* objects of kinds that it does not know */
};

/** Bounds; 0: the default. */
struct fb_snapshot_limits {
    struct fb_scan_limits scan; /* of each list */
    size_t nodes;               /* in all, 20000 */
    size_t pods;                /* in all, 500000; jobs and pod groups likewise, each */
};

struct fb_snapshot_reader;

/**
 * @arena     owns what is read
 * @snapshot  filled while reading, zeroed by the caller before; of no use after a failure
 * @limits    copied; NULL: all defaults
 * @ret       set on success only; free with fb_snapshot_reader_free()
 */
enum fb_status fb_snapshot_reader_new(struct fb_arena *arena, struct fb_snapshot *snapshot,
                                      const struct fb_snapshot_limits *limits,
                                      struct fb_snapshot_reader **ret,
                                      struct fb_error *err) FB_CHECK;
void fb_snapshot_reader_free(struct fb_snapshot_reader *reader);
void fb_snapshot_reader_freep(struct fb_snapshot_reader **reader);

/**
 * Read the next @len bytes of a list; they may be cut anywhere.
 *
 * Returns FB_OK; FB_EINPUT with offset and path ("byte 9: items: not a list", "byte 1480:
 * items[3].status.allocatable.cpu: '4x' is no quantity"); FB_ELIMIT naming the bound ("more than
 * 20000 nodes"); FB_ENOMEM. After a failure every call repeats it.
 */
enum fb_status fb_snapshot_reader_feed(struct fb_snapshot_reader *reader, const char *bytes,
                                       size_t len, struct fb_error *err) FB_CHECK;

/**
 * The list ends here; what is fed next is another one, and adds to the same snapshot.
 *
 * FB_EINPUT "byte N: input ends inside ..." when it is cut, "not a List" for a document that is
 * none: neither items nor a kind that ends in List.
 */
enum fb_status fb_snapshot_reader_finish(struct fb_snapshot_reader *reader,
                                         struct fb_error *err) FB_CHECK;

#endif
