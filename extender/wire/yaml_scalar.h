/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_YAML_SCALAR_H
#define FB_WIRE_YAML_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

/**
 * What plain scalars mean to Kubernetes' YAML reader.
 * Source: sigs.k8s.io/yaml goyaml.v2/resolve.go.
 */

/** Is @text a truth value such as true, No, ON; @ret is written when it is. */
bool fb_yaml_scalar_bool(const char *text, bool *ret);

/** Is @text a decimal number: 5, -0.5, .5, 1., 1e3. */
bool fb_yaml_scalar_is_number(const char *text);

/** Is @text an integer that fits: 5, +5, 0x1f, 0b1, 0o17, 017, 1_000; sign and size when it is. */
bool fb_yaml_scalar_int(const char *text, bool *ret_negative, uint64_t *ret);

#endif
