/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_FIT_CASE_H
#define FB_TESTS_FIT_CASE_H

#include "fabricbind/fit.h"

#include "make_cluster.h"

#define NIC "acme.test/nic"

/** A question about node "n1" that each test makes go wrong in its own way. */
struct fit_case {
    struct builder *builder;
    struct fb_policy *policy;
    struct fb_node *node;
    struct fb_pod *pod;
    enum fb_networking networking;
    int64_t gang;
    bool elsewhere; /* members run on the fabric of node "far" */
};

/** 8 GPUs and 16 exclusive NICs, and a pod of a gang that takes them all. */
struct fit_case fit_case_good(void);

#define FIT_CASE_TEXT 512

/** "never 3 fabricbind: node has no acme.test/nic"; frees the builder. Returns @text. */
const char *fit_case_answer(const struct fit_case *ask, char text[FIT_CASE_TEXT]);

/** A pod on the node that asks for nothing yet. */
struct fb_pod *fit_case_resident(struct fit_case *ask);

/** What can be wrong. */
void fit_case_selector(struct fit_case *ask);
void fit_case_affinity(struct fit_case *ask);
void fit_case_taint(struct fit_case *ask);
void fit_case_cordoned(struct fit_case *ask);
void fit_case_not_ready(struct fit_case *ask);
void fit_case_no_gpu(struct fit_case *ask);
void fit_case_sick_gpu(struct fit_case *ask);
void fit_case_other_fabric(struct fit_case *ask);
void fit_case_no_nic(struct fit_case *ask);
void fit_case_fewer_nics(struct fit_case *ask);
void fit_case_configured(struct fit_case *ask);
void fit_case_unknown_fabric(struct fit_case *ask);
void fit_case_no_memory(struct fit_case *ask);
void fit_case_busy_gpu(struct fit_case *ask);
void fit_case_busy_nic(struct fit_case *ask);
void fit_case_busy_cpu(struct fit_case *ask);

#endif
