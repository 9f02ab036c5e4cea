/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_KUBECONFIG_H
#define FB_KUBECONFIG_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"

#include <stdbool.h>
#include <stddef.h>

/** How the API server is reached, and as whom. Texts in the arena they were read with. */
struct fb_access {
    const char *server;               /* "https://10.0.0.1:443", no '/' at its end */
    const char *ca_file, *ca_pem;     /* one of them; both NULL: the system's */
    const char *token_file, *token;   /* one of them, or neither */
    const char *cert_file, *cert_pem; /* client certificate, one of them, or neither */
    const char *key_file, *key_pem;   /* its key; there when the certificate is */
    bool insecure;                    /* whatever certificate the server has is taken */
    const char *space;                /* namespace of the pod or of the context; never NULL */
};

/**
 * Read a kubeconfig by its current-context.
 *
 * @text   len bytes of YAML or JSON, one document
 * @ret    written on success only; files are named as they stand there, relative ones too
 *
 * The -data key wins over the file, tokenFile over token. Keys that would change how or as whom
 * the server is asked and are not done here are refused: exec, auth-provider, username, password,
 * as, as-uid, as-groups, as-user-extra, proxy-url, tls-server-name. Other unknown keys mean
 * nothing. No error quotes a secret.
 *
 * Returns FB_OK; FB_EINPUT ("line 9: users: rig: exec: not supported, ..."); FB_ELIMIT;
 * FB_ENOMEM.
 * Source: Kubernetes client-go tools/clientcmd/api/v1, types Config, Cluster, AuthInfo, Context.
 */
enum fb_status fb_kubeconfig_parse(struct fb_arena *arena, const char *text, size_t len,
                                   struct fb_access *ret, struct fb_error *err) FB_CHECK;

#endif
