/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_PROFILE_CASE_H
#define FB_TESTS_PROFILE_CASE_H

#include "fabricbind/profile.h"

#include "make_cluster.h"

#include <stdbool.h>

#define NIC "acme.net/nic"

/** One node with a pod of 4 GPUs and 2 NICs to be bound to it. */
struct profile_case {
    struct builder *builder;
    struct fb_cluster cluster;
    struct fb_need need;
    struct fb_equip equip;
    struct fb_profile_input in;
};

/** @topology: the shape has one; nothing is in nccl.conf. There is one at a time. */
struct profile_case *profile_case_new(bool topology);
void profile_case_free(struct profile_case *bench);

/** Append a line of nccl.conf. */
void profile_case_conf(struct profile_case *bench, const char *key, const char *value);

/** The profile; the test fails when there is none. */
struct fb_profile profile_case_make(struct profile_case *bench);

/** @len times @c. */
const char *profile_case_repeat(struct profile_case *bench, char c, size_t len);

#endif
