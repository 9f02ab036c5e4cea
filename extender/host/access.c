/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"

#include "file.h"

#include <stdlib.h>
#include <string.h>

#define CONFIG_MOST ((size_t)1024 * 1024)
#define SPACE_MOST ((size_t)1024)
#define POD_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

static enum fb_status out_of_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

/* Make @at, a path of the file @kubeconfig, one from where the program stands. */
static enum fb_status resolve(struct fb_arena *arena, const char *kubeconfig, const char **at,
                              struct fb_error *err)
{
    const char *slash = strrchr(kubeconfig, '/');
    const char *dir;

    if (*at == NULL || (*at)[0] == '/' || slash == NULL)
        return FB_OK;
    dir = fb_arena_text(arena, kubeconfig, (size_t)(slash - kubeconfig));
    *at = dir != NULL ? fb_file_join(arena, dir, *at) : NULL;
    return *at != NULL ? FB_OK : out_of_memory(err);
}

static enum fb_status load_file(struct fb_arena *arena, const char *kubeconfig,
                                struct fb_access *ret, struct fb_error *err)
{
    const char *text = NULL;
    size_t len = 0;
    struct fb_access access = {0};
    const char **const paths[] = {&access.ca_file, &access.token_file, &access.cert_file,
                                  &access.key_file};
    enum fb_status st = fb_file_read(arena, kubeconfig, CONFIG_MOST, &text, &len, err);

    if (st != FB_OK)
        return st;
    st = fb_kubeconfig_parse(arena, text, len, &access, err);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0] && st == FB_OK; i++)
        st = resolve(arena, kubeconfig, paths[i], err);
    if (st != FB_OK)
        return fb_error_prefix(err, st, "%s", kubeconfig);
    *ret = access;
    return FB_OK;
}

static enum fb_status read_space(struct fb_arena *arena, const char *dir, const char **ret,
                                 struct fb_error *err)
{
    const char *path = fb_file_join(arena, dir, "namespace");
    const char *text = NULL;
    size_t len = 0;
    enum fb_status st;

    if (path == NULL)
        return out_of_memory(err);
    *ret = "default";
    st = fb_file_read(arena, path, SPACE_MOST, &text, &len, err);
    if (st == FB_ENOTFOUND)
        return FB_OK;
    if (st != FB_OK)
        return st;
    while (len > 0 && strchr(" \r\n", text[len - 1]) != NULL)
        len--;
    if (len > 0)
        *ret = fb_arena_text(arena, text, len);
    return *ret != NULL ? FB_OK : out_of_memory(err);
}

enum fb_status fb_access_pod(struct fb_arena *arena, const char *host, const char *port,
                             const char *dir, struct fb_access *ret, struct fb_error *err)
{
    struct fb_access access = {0};
    enum fb_status st;

    if (host == NULL || host[0] == '\0' || port == NULL || port[0] == '\0')
        return fb_error_set(err, FB_ENOTFOUND,
                            "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
                            "are not set");
    access.server = strchr(host, ':') != NULL ? fb_arena_print(arena, "https://[%s]:%s", host, port)
                                              : fb_arena_print(arena, "https://%s:%s", host, port);
    access.token_file = fb_file_join(arena, dir, "token");
    access.ca_file = fb_file_join(arena, dir, "ca.crt");
    if (access.server == NULL || access.token_file == NULL || access.ca_file == NULL)
        return out_of_memory(err);
    st = read_space(arena, dir, &access.space, err);
    if (st == FB_OK)
        *ret = access;
    return st;
}

enum fb_status fb_access_load(struct fb_arena *arena, const char *kubeconfig, struct fb_access *ret,
                              struct fb_error *err)
{
    const char *host;
    const char *port;

    if (kubeconfig != NULL)
        return load_file(arena, kubeconfig, ret, err);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): asked before there are threads */
    host = getenv("KUBERNETES_SERVICE_HOST");
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
    port = getenv("KUBERNETES_SERVICE_PORT");
    return fb_access_pod(arena, host, port, POD_DIR, ret, err);
}
