/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_WEBHOOKS_MATCH_H
#define FB_WIRE_WEBHOOKS_MATCH_H

#include "fabricbind/webhooks.h"

/**
 * Conditions in CEL, true for what a webhook is to be asked about. Each in @arena, NULL when out of
 * memory. Names of the configuration stand in them as quoted texts, whatever they hold.
 * Source: Kubernetes, "Matching requests: matchConditions"; CEL language definition.
 */

/** A pod that fb_need_annotated() says yes to. */
const char *fb_match_annotated(struct fb_arena *arena);

/** A pod that says nothing about networking. */
const char *fb_match_unannotated(struct fb_arena *arena);

/** A pod of an owner in match.owners, or with a label that owners of owners leave on it. */
const char *fb_match_owned(struct fb_arena *arena, const struct fb_settings *settings);

/** A pod of which a container asks for one of gpuResources. */
const char *fb_match_gpus(struct fb_arena *arena, const struct fb_settings *settings);

/** A Binding of a pod that we have injected, as far as it tells. */
const char *fb_match_managed(struct fb_arena *arena);

#endif
