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

/** A text that has something in it: "line 3: assume: empty". */
enum fb_status fb_policyfile_name(const struct fb_yaml *node, const char *key, const char **ret,
                                  struct fb_error *err) FB_CHECK;

/** A text in which @fits: "line 3: nicClass: 'x' is no PCI class such as 0x020700". */
struct fb_policyfile_form {
    bool (*fits)(const char *text);
    const char *what; /* "no PCI class such as 0x020700" */
};
enum fb_status fb_policyfile_formed(const struct fb_yaml *node, const char *key,
                                    const struct fb_policyfile_form *form, const char **ret,
                                    struct fb_error *err) FB_CHECK;

/** "0x020700". */
bool fb_policyfile_is_pci_class(const char *text);

/** Every entry of a map of texts, keys and values in their forms; appended to @ret. */
enum fb_status fb_policyfile_pairs(struct fb_arena *arena, const struct fb_yaml *node,
                                   const char *key, const struct fb_policyfile_form form[2],
                                   struct fb_pairs *ret, struct fb_error *err) FB_CHECK;

/** What a name of a variable and a value of nccl.conf look like: no line ends in it. */
extern const struct fb_policyfile_form fb_policyfile_variable[2];

/** A volume's name; the JSON of its source and the source's kind. */
enum fb_status fb_policyfile_volume(const struct fb_yaml *node, const char *key, const char **ret,
                                    struct fb_error *err) FB_CHECK;
enum fb_status fb_policyfile_source(struct fb_policyfile_target *target, const struct fb_yaml *node,
                                    const char *key, struct fb_error *err) FB_CHECK;

/** Put the version that the document's `daemon` names in the place of every "{version}". */
enum fb_status fb_policyfile_daemon(struct fb_arena *arena, const struct fb_yaml *document,
                                    struct fb_policy *policy, struct fb_error *err) FB_CHECK;

/** Rows of inject; their target's object is a struct fb_equip. */
enum fb_status fb_policyfile_mounts(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err);
enum fb_status fb_policyfile_sidecars(void *into, const struct fb_yaml *node, const char *key,
                                      struct fb_error *err);

/** Rows of a policy and of a shape, read into an equipment. */
enum fb_status fb_policyfile_inject(struct fb_arena *arena, struct fb_equip *equip,
                                    const struct fb_yaml *node, const char *key,
                                    struct fb_error *err) FB_CHECK;
enum fb_status fb_policyfile_bind(struct fb_arena *arena, struct fb_equip *equip,
                                  const struct fb_yaml *node, const char *key,
                                  struct fb_error *err) FB_CHECK;
enum fb_status fb_policyfile_conf_file(struct fb_equip *equip, const struct fb_yaml *node,
                                       const char *key, struct fb_error *err) FB_CHECK;

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
extern const struct fb_policyfile_keys fb_policyfile_inject_keys;
extern const struct fb_policyfile_keys fb_policyfile_mount_keys;
extern const struct fb_policyfile_keys fb_policyfile_networks_keys;
extern const struct fb_policyfile_keys fb_policyfile_interfaces_keys;
extern const struct fb_policyfile_keys fb_policyfile_sidecar_keys;
extern const struct fb_policyfile_keys fb_policyfile_sidecar_volume_keys;
extern const struct fb_policyfile_keys fb_policyfile_daemon_keys;
extern const struct fb_policyfile_keys fb_policyfile_helix_keys;
extern const struct fb_policyfile_keys fb_policyfile_helix_resource_keys;

#endif
