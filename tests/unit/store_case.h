/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_STORE_CASE_H
#define FB_TESTS_STORE_CASE_H

#include "store.h"

#include "objects_text.h"

/** Put all objects of the page @json, @len bytes, into @store; how many differ from before. */
enum fb_status store_case_list(struct fb_store *store, enum fb_kind kind, const char *json,
                               size_t len, size_t *ret_changed, struct fb_error *err);

/** The same with ' for ", which must be read. */
size_t store_case_put(struct fb_store *store, enum fb_kind kind, const char *json);

/** Names of all objects of @kind as the store gives them out, sorted: "s/a s/b". */
const char *store_case_names(struct fb_store *store, enum fb_kind kind, struct line *line);

/** A notice of no interest. */
void store_case_ignore(void *context, const char *text);

#endif
