/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_LIVE_COLLECTIONS_H
#define FB_HOST_LIVE_COLLECTIONS_H

#include "watch.h"

/** What an inventory is made of: a collection for each kind that objects.h knows. */
#define FB_COLLECTIONS (FB_KIND_COUNT - FB_KIND_NODE)

extern const struct fb_collection fb_collections[FB_COLLECTIONS];

#endif
