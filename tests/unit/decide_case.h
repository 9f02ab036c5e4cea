/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_DECIDE_CASE_H
#define FB_TESTS_DECIDE_CASE_H

#include "fabricbind/decide.h"
#include "plan_case.h"

#define DECIDE_PODS 64

/** A pod of the job, and where the scheduler's books have it. */
struct decide_pod {
    struct fb_pod *pod;
    const char *node; /* NULL: pending */
    int64_t status;
};

/** A scheduler that asks and tells, and keeps books of its own. */
struct decide_case {
    struct builder *builder;
    struct fb_cluster cluster; /* the inventory's */
    struct fb_objects objects;
    struct fb_cluster all; /* the same with all nodes, also where there is no inventory */
    struct fb_ledger *ledger;
    struct fb_scene scene;
    struct decide_pod pods[DECIDE_PODS];
    size_t pods_len;
    const char *banned[8]; /* nodes that other plugins refuse */
    size_t banned_len;
    char text[CASE_TEXT]; /* what was answered */
};

/** The scheduler of @from; @blind: there is no inventory. */
struct decide_case *decide_case_new(const struct plan_case *from, bool blind);
void decide_case_free(struct decide_case *at);

/**
 * Play @script, steps separated by "; ", and return what was answered, words separated by spaces.
 * Pods are called by task and index.
 *
 * "ask worker-0 a"   predicate: fits, busy, plan, fabric or another reason's code
 * "nodes worker-0"   all nodes where it may run, "[a b]"
 * "best worker-0"    the nodes of the best score of those, "a|b"
 * "put worker-0 a", "pipe worker-0 a", "drop worker-0", "evict worker-0"   events
 * "gang"             every pending pod in turn goes to the best node where it may, "worker-0>a";
 *                    where one cannot all are taken back: "none"
 * "ban a", "allow"   other plugins refuse a node, none any more
 * "show worker-0"    another inventory, which tells that pod on its node, too
 * "list"             the same inventory again, from an API server
 * "wait 1000"        milliseconds
 * "close", "count"   "allocated=2 pipelined=0 releasing=0 planned=1 reserved=0"
 */
const char *decide_case_play(struct decide_case *at, const char *script);

/** The same with a case made and freed around it. */
const char *decide_case_text(const struct plan_case *from, bool blind, const char *script,
                             char text[CASE_TEXT]);

#endif
