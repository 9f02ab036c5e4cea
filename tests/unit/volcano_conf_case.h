/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_VOLCANO_CONF_CASE_H
#define FB_TESTS_VOLCANO_CONF_CASE_H

#include "make_cluster.h"

#include "fabricbind/check_volcano.h"

/** A sound volcano-scheduler.conf, and what is found once one text of it is another. */

#define NIC "example.com/nic"

struct conf_case {
    const char *name;
    const char *old, *new; /* the first place of old becomes new; NULL: nothing changes */
    const char *want;      /* lines "level code subject count: message" */
};

/** The sound one, for wiring full; each key has a line of its own. */
extern const char conf_sound[];

/** A cluster of one node with GPUs and NICs, and the configuration's defaults. */
struct builder *conf_builder(void);

/** Couplings of wirings full, score and lean with the default address. */
extern const struct fb_volcano_coupling conf_full, conf_score, conf_lean;

/** What is found of @yaml on @builder's cluster. */
struct fb_findings conf_check(struct builder *builder, const struct fb_volcano_coupling *coupling,
                              const char *yaml);

/** Check @at on @builder's cluster. */
void conf_expect(struct builder *builder, const struct fb_volcano_coupling *coupling,
                 const struct conf_case *at);

#endif
