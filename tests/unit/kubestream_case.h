/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_KUBESTREAM_CASE_H
#define FB_TESTS_KUBESTREAM_CASE_H

#include "fabricbind/kubestream.h"

#include "objects_text.h"

#include <stddef.h>

/** A stream, and what it told: "added s/p @7; bookmark @9; error 410 gone; unreadable s/p: why". */
struct kube_case {
    struct line line;
    size_t step; /* bytes of a piece */
    size_t events;
    size_t stop_at; /* the event at which the callback fails; 0: none */
};

/**
 * Read @len bytes of @json in pieces, then finish.
 *
 * Of a page its version and next are put behind: "page @12 next=abc".
 */
enum fb_status kube_case_read(struct kube_case *told, enum fb_kind kind, enum fb_kube_tells tells,
                              const char *json, size_t len, struct fb_error *err);

#endif
