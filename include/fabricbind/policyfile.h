/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_POLICYFILE_H
#define FB_POLICYFILE_H

#include "fabricbind/policy.h"
#include "fabricbind/yaml.h"

#include <stddef.h>

/** policies/<provider>.yaml as a policy. */

/**
 * Read one policy file and add its provider to @into, or replace the one of that name.
 *
 * @arena  owns all that is built; must be that of @into
 * @into   as before on failure
 * @text   len bytes of YAML, one document
 *
 * Returns FB_OK; FB_EINPUT with line and key ("line 12: shapes.p9.gpus: 'x' is no whole number");
 * FB_ELIMIT as of fb_yaml_parse(); FB_ENOMEM.
 */
enum fb_status fb_policyfile_read(struct fb_arena *arena, struct fb_policies *into,
                                  const char *text, size_t len, struct fb_error *err) FB_CHECK;

/** The keys of one kind of map in a policy file. */
struct fb_policyfile_keys {
    const char *prefix; /* what stands before them: "", "detect.", "nics[].", "shapes.*." */
    const struct fb_yaml_key *at;
    size_t len;
};

#define FB_POLICYFILE_TABLES 16

/** All keys of a policy file, for the table in policies/README.md. Returns how many @ret has. */
size_t fb_policyfile_keys(struct fb_policyfile_keys ret[FB_POLICYFILE_TABLES]);

#endif
