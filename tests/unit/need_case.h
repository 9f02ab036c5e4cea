/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_NEED_CASE_H
#define FB_TESTS_NEED_CASE_H

#include "fabricbind/need.h"

#include "make_cluster.h"

/** What the tables of test_need.c are written in. */

#define NIC "acme.test/nic"
#define SEAT "acme.test/seat"

/** One provider whose rules name NIC (exclusive), SEAT (slot) and the networks acme.net/... but for
 * their twins (each); DeviceClass acme-nic stands for NICs. */
struct builder *need_case_builder(void);

/** A fabric by the name of its row in need_case.c. */
struct fb_fabric need_case_fabric(struct builder *builder, const char *name);

/**
 * A pod of the containers in @text: m, i or s (main, init, sidecar) and GPUs, behind a slash the
 * units of NIC that it asks for itself: "i8 s1 m4/2".
 */
struct fb_pod *need_case_pod(struct builder *builder, const char *text);

/** Set the ratio of the configuration: "auto", "shape" or a ratio. */
void need_case_configure(struct builder *builder, const char *ratio);

#define NEED_CASE_TEXT 512

/** "8 GPUs, acme.test/nic 32, auto", then ", whole" or ", plain". Returns @text. */
const char *need_case_format(const struct fb_need *need, char text[NEED_CASE_TEXT]);

#endif
