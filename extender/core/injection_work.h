/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_INJECTION_WORK_H
#define FB_INJECTION_WORK_H

#include "fabricbind/injection.h"
#include "fabricbind/jsontext.h"

/** A volume of the equipment that the pod is to have. */
struct fb_injection_volume {
    const char *wanted; /* its name in the equipment */
    const char *name;   /* in this pod */
    const char *source;
    bool theirs; /* the pod has it already */
};

/** A patch in the making. */
struct fb_injection_work {
    struct fb_arena *arena;
    const struct fb_injection_input *in;
    struct fb_injection *out;
    struct fb_need need;
    bool adds_nics;                /* by request; else the pod's own need is left alone */
    size_t holder;                 /* the container that asks for what comes once a pod */
    struct fb_equip_mount *mounts; /* those that are on, the NCCL ones included */
    size_t mounts_len, mounts_size;
    struct fb_injection_volume *volumes;
    size_t volumes_len, volumes_size;
    bool failed; /* out of memory */
};

/** @where as a path that goes on. */
struct fb_jsontext fb_injection_at(struct fb_injection_work *work, const char *where);

/** "/spec/containers/0" and so on, then @tail. */
struct fb_jsontext fb_injection_path(struct fb_injection_work *work,
                                     const struct fb_spec_container *container, const char *tail);

/** Add @value at @path; texts that failed make the work fail. */
void fb_injection_add(struct fb_injection_work *work, struct fb_jsontext *path,
                      struct fb_jsontext *value);

/** Add the constant @value at @path. */
void fb_injection_add_text(struct fb_injection_work *work, struct fb_jsontext *path,
                           const char *value);

/** Add the constant @value at @where. */
void fb_injection_put(struct fb_injection_work *work, const char *where, const char *value);

/** Add a text to a list, once. */
void fb_injection_note(struct fb_injection_work *work, struct fb_texts *list, const char *fmt, ...)
    FB_PRINTF(3, 4);

/** One GPU container: requests, variables, mounts, security. */
void fb_injection_container(struct fb_injection_work *work, size_t index, int64_t gpus);

/** The name in this pod of the volume of @mount; NULL after a failure. */
const char *fb_injection_volume(struct fb_injection_work *work, const struct fb_equip_mount *mount);

/** Units of the fabric's NICs that the pod asks for itself and that no policy calls NICs: those of
 * a resource that only the configuration names. */
int64_t fb_injection_own_nics(const struct fb_injection_work *work);

/** The pod around the containers; volumes come last, when all that are needed are known. */
void fb_injection_sidecars(struct fb_injection_work *work);
void fb_injection_volumes(struct fb_injection_work *work);
void fb_injection_annotation(struct fb_injection_work *work, const char *key, const char *text);
void fb_injection_networks(struct fb_injection_work *work);
void fb_injection_pins(struct fb_injection_work *work);

/** Does the namespace's Pod Security level allow it. */
bool fb_injection_allows_mount(const struct fb_injection_work *work,
                               const struct fb_equip_mount *mount);
bool fb_injection_allows_capability(const struct fb_injection_work *work, const char *name);

#endif
