/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_names.h"

#include <string.h>

/* "https://host:port/path", "https://[::1]:port"; the configuration's reader has checked it. */
static const char *host_of(struct fb_arena *arena, const char *url)
{
    const char *host = url + strlen("https://");

    if (host[0] == '[')
        return fb_arena_text(arena, host + 1, strcspn(host + 1, "]"));
    return fb_arena_text(arena, host, strcspn(host, ":/"));
}

enum fb_status fb_certificates_names(struct fb_arena *arena,
                                     const struct fb_admission_config *config, const char *space,
                                     struct fb_texts *ret)
{
    static const char *const ends[] = {".svc", "", ".svc.cluster.local"};
    const char *own = config->service.space[0] != '\0' ? config->service.space : space;
    struct fb_texts names = {0};
    enum fb_status st = FB_OK;

    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && st == FB_OK; i++)
        st = fb_texts_add(arena, &names,
                          fb_arena_print(arena, "%s.%s%s", config->service.name, own, ends[i]));
    if (st == FB_OK && config->url[0] != '\0')
        st = fb_texts_add(arena, &names, host_of(arena, config->url));
    if (st == FB_OK)
        *ret = names;
    return st;
}
