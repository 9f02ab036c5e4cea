/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_SIGN_H
#define FB_HOST_SIGN_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>

/**
 * Signatures by Ed25519 that tell the node agent who wrote a profile. Keys are PEM. Safe for many
 * threads; the key can be replaced at any time.
 */
struct fb_sign;

/** A new private key, of the caller's to free(); it is a secret. FB_OK; FB_EIO; FB_ENOMEM. */
enum fb_status fb_sign_make(char **ret_pem, struct fb_error *err) FB_CHECK;

/** The public part of @key_pem, of the caller's to free(). FB_OK; FB_EINPUT ("signing key: is not
 * Ed25519"); FB_ENOMEM. */
enum fb_status fb_sign_public(const char *key_pem, char **ret_pem, struct fb_error *err) FB_CHECK;

/** Without a key yet. NULL: out of memory. Free with fb_sign_free(). */
struct fb_sign *fb_sign_new(void);
void fb_sign_free(struct fb_sign *sign);
void fb_sign_freep(struct fb_sign **sign);

/** Sign with this private key from now on, copied. As fb_sign_public(); the key before stays on
 * failure. */
enum fb_status fb_sign_set(struct fb_sign *sign, const char *key_pem,
                           struct fb_error *err) FB_CHECK;

/**
 * What is signed. The bytes that go under the signature are, one after another, "fabricbind.io/
 * profile" without the break, pod_uid, node and content, each behind its length as eight bytes,
 * the highest first, so that no two subjects give the same bytes.
 */
struct fb_sign_subject {
    const char *pod_uid, *node, *content;
};

/** The signature of @subject in base64, in @arena; NULL: no key was set, or out of memory. */
const char *fb_sign_text(struct fb_sign *sign, struct fb_arena *arena,
                         const struct fb_sign_subject *subject);

/** Is @signature, in base64, that of @subject by the key whose public part is @public_pem. */
bool fb_sign_holds(const char *public_pem, const struct fb_sign_subject *subject,
                   const char *signature);

#endif
