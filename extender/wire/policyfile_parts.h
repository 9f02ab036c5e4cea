/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_POLICYFILE_PARTS_H
#define FB_WIRE_POLICYFILE_PARTS_H

#include "fabricbind/policyfile.h"

/** Room for the path of a list's element in errors; longer ones are cut. */
#define FB_POLICYFILE_PATH 160

/** What the rows of a table write to. */
struct fb_policyfile_target {
    struct fb_arena *arena;
    void *object; /* the struct that the table is about */
};

/** Reads element @node of a list, called @key ("nics[2]"), into @target's object. */
typedef enum fb_status (*fb_policyfile_element)(struct fb_policyfile_target *target,
                                                const struct fb_yaml *node, const char *key,
                                                struct fb_error *err);

/** Every element of @list through @read. FB_EINPUT "line 3: nics: not a list". */
enum fb_status fb_policyfile_list(struct fb_policyfile_target *target, const struct fb_yaml *list,
                                  const char *key, fb_policyfile_element read,
                                  struct fb_error *err) FB_CHECK;

/** "line 3: shapes.p9.gpus: missing". */
enum fb_status fb_policyfile_missing(const struct fb_yaml *map, const char *key, const char *what,
                                     struct fb_error *err);

/** Rows of a policy; their target's object is a struct fb_policy. */
enum fb_status fb_policyfile_detect(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err);
enum fb_status fb_policyfile_nics(void *into, const struct fb_yaml *node, const char *key,
                                  struct fb_error *err);
enum fb_status fb_policyfile_boundary(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err);
enum fb_status fb_policyfile_shapes(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err);
enum fb_status fb_policyfile_helix(void *into, const struct fb_yaml *node, const char *key,
                                   struct fb_error *err);

/** The tables below them. */
extern const struct fb_policyfile_keys fb_policyfile_detect_keys;
extern const struct fb_policyfile_keys fb_policyfile_nic_keys;
extern const struct fb_policyfile_keys fb_policyfile_boundary_keys;
extern const struct fb_policyfile_keys fb_policyfile_shape_keys;
extern const struct fb_policyfile_keys fb_policyfile_numa_keys;
extern const struct fb_policyfile_keys fb_policyfile_switch_keys;
extern const struct fb_policyfile_keys fb_policyfile_helix_keys;
extern const struct fb_policyfile_keys fb_policyfile_helix_resource_keys;

#endif
