/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_SETTINGS_H
#define FB_SETTINGS_H

#include "fabricbind/ratio.h"
#include "fabricbind/text.h"

#include <stdbool.h>
#include <stddef.h>

/** What the configuration says to the decisions. Texts borrowed; see design: Configuration. */

enum fb_ratio_mode {
    FB_RATIO_AUTO,       /* the shape's, or what a whole pool shows */
    FB_RATIO_SHAPE,      /* the shape's, strictly */
    FB_RATIO_CONFIGURED, /* settings.ratio */
};

/** Owners whose unannotated pods are looked at. */
struct fb_owner_rule {
    const char *kind, *group;
    bool indexed; /* only with completionMode Indexed */
};

enum fb_placement {
    FB_PLACEMENT_REQUIRE,
    FB_PLACEMENT_PREFER,
};

struct fb_settings {
    const char *provider; /* NULL: told for each node */
    enum fb_ratio_mode ratio_mode;
    struct fb_ratio ratio;
    const char *nic_resource; /* the one NIC resource to look for; NULL: the policy's rules */
    struct fb_texts networks; /* names behind the pattern of an EACH resource; empty: detection */
    struct fb_texts gpu_resources;
    bool match_gangs; /* also pods without an annotation, when their owner matches */
    struct fb_owner_rule *owners;
    size_t owners_len, owners_size;
    const char *boundary; /* "": the policy's; a label key; "zone"; "none" */
    struct fb_texts expected_shapes;
    enum fb_placement placement;
    bool pin_gangs; /* no filter of ours holds a gang to its fabric: its pods are pinned to it */
    struct {
        double weight, locality, packing;
    } scoring;
};

#endif
