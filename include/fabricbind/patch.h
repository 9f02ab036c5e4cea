/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PATCH_H
#define FB_PATCH_H

#include "fabricbind/injection.h"
#include "fabricbind/json.h"

/** JSON Patches as text: [{"op":"add","path":"/spec/volumes","value":[]}]. Source: RFC 6902. */

/** @patch as compact JSON of the caller's to free(); NULL when out of memory. */
char *fb_patch_encode(const struct fb_patch *patch);

/** Put @patch as a list into @in, a list or map of @json; see json.h. */
void fb_patch_put(struct fb_json *json, void *in, const char *key, const struct fb_patch *patch);

#endif
