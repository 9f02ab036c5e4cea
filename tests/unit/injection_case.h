/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_INJECTION_CASE_H
#define FB_TESTS_INJECTION_CASE_H

#include "fabricbind/injection.h"

#include "need_case.h"

/** Pods as text, what is put into them, and what came of it. JSON is written with ' for ". */

struct injection_case {
    struct builder *builder;
    struct fb_fabric fabric;
    struct fb_equip equip;        /* empty, NCCL's file NONE */
    struct fb_injection_input in; /* annotated; pod and spec are set by each run */
    struct fb_injection made;     /* by the last run */
};

/** On the fabric "big" of need_case.h: 4 NICs a GPU, exclusive. Set-up and tear-down of a test. */
int injection_case_set_up(void **state);
int injection_case_tear_down(void **state);

/** Another fabric by its name. */
void injection_case_on(struct injection_case *all, const char *fabric);

void give_pair(struct injection_case *all, struct fb_pairs *pairs, const char *key,
               const char *value);
/** @source as JSON with '; @options: r read-only, x off. */
struct fb_equip_mount *give_mount(struct injection_case *all, const char *volume, const char *path,
                                  const char *source, const char *options);
struct fb_equip_sidecar *give_sidecar(struct injection_case *all, const char *name,
                                      const char *container);
void give_sidecar_volume(struct injection_case *all, struct fb_equip_sidecar *sidecar,
                         const char *volume, const char *source);

/**
 * A pod whose parts are JSON members ("" for none): of metadata behind the name, of spec behind
 * the containers, and of its one container behind the name "main" and, unless it has resources of
 * its own, a limit of 8 GPUs. The text is the builder's.
 */
const char *injection_case_pod(struct injection_case *all, const char *metadata, const char *spec,
                               const char *container);

/**
 * Inject @pod and apply the patch. The test fails unless it applies, and a second injection changes
 * nothing and is degraded by the same.
 *
 * Returns the pod that came of it, with real quotes; the builder's.
 */
const char *injection_case_run(struct injection_case *all, const char *pod);

/** The value at @pointer of @json, with ' for "; "-" where there is none. The builder's. */
const char *injection_case_at(struct injection_case *all, const char *json, const char *pointer);

/** Texts with ", " between them. */
const char *injection_case_texts(struct injection_case *all, const struct fb_texts *texts);

/** Pods by their parts, and what stands at a place of the pod that comes of them. */
struct injection_row {
    const char *metadata, *spec, *container;
    const char *pointer, *want;
};
void injection_case_check(struct injection_case *all, const struct injection_row *rows, size_t len);

#endif
