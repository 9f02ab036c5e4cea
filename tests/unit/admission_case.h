/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_ADMISSION_CASE_H
#define FB_TESTS_ADMISSION_CASE_H

#include "admission.h"

/** The webhooks' handlers, asked as the server asks them, without sockets. JSON of cases is written
 * with ' for ". */
struct admission_case {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_admission *admission;
};

/** Nodes and owners of tests/data/snapshots/<provider> (NULL: none) without its pods; with one
 * holder, the caller. */
struct fb_inventory *admission_case_read(const char *provider);

/** Build the cluster of @inventory anew from its objects. */
void admission_case_build(struct fb_inventory *inventory);

/** Put objects of JSON texts (@len of them, with real quotes) in place of the nodes and pods that
 * it has, and build. */
void admission_case_put(struct fb_inventory *inventory, char *const *objects, size_t len);

/** The namespace "team" at @level, opted out where @off. */
void admission_case_space(struct fb_inventory *inventory, enum fb_pod_security level, bool off);

/** Start over @inventory, whose hold is taken over; errors are logged, nothing else. */
void admission_case_start(struct admission_case *run, struct fb_inventory *inventory,
                          const struct fb_admission_world *world);
void admission_case_stop(struct admission_case *run);

/** The answer to @len bytes, to be freed, and its status; the test fails where it has no text. */
char *admission_case_ask(const struct admission_case *run, enum fb_admission_route route,
                         const char *body, size_t len, unsigned *ret_status);

/** The body of a review of the creation of @object in namespace "team"; @kind: "Pod", "Binding" or
 * "Job"; to be freed. With real quotes. */
char *admission_case_review(const char *kind, const char *object, bool dry_run);

/** Ask with such a body; the answer must be 200 and of that review. To be freed. */
char *admission_case_say(const struct admission_case *run, const char *kind, const char *object);

/** The object after the patch of @answer, to be freed; the same where there is none. */
char *admission_case_apply(const char *object, const char *answer);

/** The value at @pointer of @json, "-" where there is none; to be freed. */
char *admission_case_at(const char *json, const char *pointer);

/** The string at @pointer without its quotes and escapes; to be freed. */
char *admission_case_text(const char *json, const char *pointer);

/** The value must be @want (with ' for "). */
void admission_case_expect(const char *json, const char *pointer, const char *want);

/** @text with real quotes, to be freed. */
char *admission_case_quote(const char *text);

/** The text of a file, to be freed; the test fails when there is none. */
char *admission_case_file(const char *folder, const char *name);

#endif
