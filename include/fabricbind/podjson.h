/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PODJSON_H
#define FB_PODJSON_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/json.h"
#include "fabricbind/podspec.h"

#include <stddef.h>

#define FB_PODSPEC_BYTES ((size_t)8 << 20) /* of one pod as JSON */
#define FB_PODSPEC_RESOURCES_MAX 256       /* requests or limits of one container */

/**
 * Read what injection has to know of a Pod of v1, or of a pod template.
 *
 * @text  len bytes of JSON; need not end in NUL
 * @ret   in @arena, filled on success; containers and terms in the order of struct fb_pod of the
 *        same text, see objects.h
 *
 * null is absent, also as an entry of a list; of a key given twice the last counts. Fields that
 * are not read may hold anything.
 *
 * Returns FB_OK; FB_EINPUT with the place ("spec.containers[3].env[2].name: not a string",
 * "byte 17: ',' or '}' expected"); FB_ELIMIT for more than FB_PODSPEC_BYTES, than 64 levels or than
 * FB_OBJECT_ENTRIES_MAX entries of one list or map; FB_ENOMEM.
 * Source: k8s.io/api/core/v1, PodSpec.
 */
enum fb_status fb_podspec_decode(struct fb_arena *arena, const char *text, size_t len,
                                 struct fb_podspec *ret, struct fb_error *err) FB_CHECK;

/** The same of a value of a document that was parsed; what is returned does not borrow from it. */
enum fb_status fb_podspec_read(struct fb_arena *arena, const struct fb_json_node *pod,
                               struct fb_podspec *ret, struct fb_error *err) FB_CHECK;

#endif
