/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_BASE64_H
#define FB_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/** Base64 of RFC 4648 section 4, with padding and without line breaks, as Kubernetes writes it. */

/** Bytes that the text of @len bytes takes, the NUL at its end included. */
size_t fb_base64_size(size_t len);

/** Write the text of @len @bytes to @ret, which has room for fb_base64_size() bytes. */
void fb_base64_encode(const unsigned char *bytes, size_t len, char *ret);

/**
 * The bytes that the @len bytes of @text stand for.
 *
 * @ret      has room for 3 * (len / 4) bytes
 * @ret_len  set on success only
 *
 * False for what is not exactly what fb_base64_encode() would write.
 */
bool fb_base64_decode(const char *text, size_t len, unsigned char *ret, size_t *ret_len);

#endif
