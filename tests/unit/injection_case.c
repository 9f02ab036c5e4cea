/* SPDX-License-Identifier: Apache-2.0 */
#include "injection_case.h"

#include "fabricbind/patch.h"

#include "apply_patch.h"
#include "read_pod.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int injection_case_set_up(void **state)
{
    struct injection_case *all = calloc(1, sizeof *all);

    assert_non_null(all);
    all->builder = need_case_builder();
    all->equip.conf_file = FB_CONF_FILE_NONE;
    all->in = (struct fb_injection_input){
        .networking = FB_NETWORKING_ANNOTATED,
        .fabric = &all->fabric,
        .equip = &all->equip,
        .policies = &all->builder->policies,
        .settings = &all->builder->settings,
    };
    injection_case_on(all, "big");
    *state = all;
    return 0;
}

int injection_case_tear_down(void **state)
{
    struct injection_case *all = *state;

    builder_free(all->builder);
    free(all);
    return 0;
}

void injection_case_on(struct injection_case *all, const char *fabric)
{
    all->fabric = need_case_fabric(all->builder, fabric);
}

static void *grow(struct injection_case *all, void *at, size_t len, size_t *size, size_t elem)
{
    void *grown = fb_arena_more(all->builder->arena, at, len, size, elem);

    assert_non_null(grown);
    return grown;
}

/* A copy in the arena with @from turned into @to. */
static const char *turn(struct injection_case *all, const char *text, char from, char to)
{
    char *copy = fb_arena_alloc(all->builder->arena, strlen(text) + 1);

    assert_non_null(copy);
    for (size_t i = 0; text[i] != '\0'; i++) {
        copy[i] = text[i];
        if (copy[i] == from)
            copy[i] = to;
    }
    return copy;
}

void give_pair(struct injection_case *all, struct fb_pairs *pairs, const char *key,
               const char *value)
{
    pairs->at = grow(all, pairs->at, pairs->len, &pairs->size, sizeof *pairs->at);
    pairs->at[pairs->len++] = (struct fb_pair){key, value};
}

/* The one key of a volume's source. */
static const char *kind_of(struct injection_case *all, const char *source)
{
    const char *end = strchr(source + 2, '"');

    assert_non_null(end);
    return fb_arena_text(all->builder->arena, source + 2, (size_t)(end - source - 2));
}

static struct fb_equip_mount make_mount(struct injection_case *all, const char *volume,
                                        const char *source)
{
    const char *json = turn(all, source, '\'', '"');

    return (struct fb_equip_mount){
        .volume = volume, .path = "", .source = json, .kind = kind_of(all, json), .on = true};
}

struct fb_equip_mount *give_mount(struct injection_case *all, const char *volume, const char *path,
                                  const char *source, const char *options)
{
    struct fb_equip *equip = &all->equip;
    struct fb_equip_mount mount = make_mount(all, volume, source);

    mount.path = path;
    mount.read_only = strchr(options, 'r') != NULL;
    mount.on = strchr(options, 'x') == NULL;
    equip->mounts = grow(all, equip->mounts, equip->mounts_len, &equip->mounts_size, sizeof mount);
    equip->mounts[equip->mounts_len] = mount;
    return &equip->mounts[equip->mounts_len++];
}

struct fb_equip_sidecar *give_sidecar(struct injection_case *all, const char *name,
                                      const char *container)
{
    struct fb_equip *equip = &all->equip;

    equip->sidecars = grow(all, equip->sidecars, equip->sidecars_len, &equip->sidecars_size,
                           sizeof *equip->sidecars);
    equip->sidecars[equip->sidecars_len] =
        (struct fb_equip_sidecar){.name = name, .container = turn(all, container, '\'', '"')};
    return &equip->sidecars[equip->sidecars_len++];
}

void give_sidecar_volume(struct injection_case *all, struct fb_equip_sidecar *sidecar,
                         const char *volume, const char *source)
{
    sidecar->volumes = grow(all, sidecar->volumes, sidecar->volumes_len, &sidecar->volumes_size,
                            sizeof *sidecar->volumes);
    sidecar->volumes[sidecar->volumes_len++] = make_mount(all, volume, source);
}

const char *injection_case_pod(struct injection_case *all, const char *metadata, const char *spec,
                               const char *container)
{
    static const char fmt[] = "{'metadata':{'name':'p'%s%s},'spec':{'containers':[{'name':'main'%s"
                              "%s%s}]%s%s}}";
    const char *gpus =
        strstr(container, "'resources'") != NULL ? "" : ",'resources':{'limits':{'" GPU "':8}}";
    size_t size = strlen(metadata) + strlen(spec) + strlen(container) + 256;
    char *text = fb_arena_alloc(all->builder->arena, size);

    assert_non_null(text);
    (void)snprintf(text, size, fmt, *metadata != '\0' ? "," : "", metadata, gpus,
                   *container != '\0' ? "," : "", container, *spec != '\0' ? "," : "", spec);
    return text;
}

/* What injection makes of @json, as text of a patch to free(). */
static char *inject(struct injection_case *all, const char *json)
{
    struct fb_arena *arena = all->builder->arena;
    struct fb_pod *pod = fb_arena_alloc(arena, sizeof *pod);
    struct fb_podspec *spec = fb_arena_alloc(arena, sizeof *spec);
    struct fb_error err = {0};
    char *patch;

    assert_true(pod != NULL && spec != NULL);
    if (read_pod(arena, json, strlen(json), pod, spec, &err) != FB_OK)
        fail_msg("%s: %s", err.text, json);
    all->in.pod = pod;
    all->in.spec = spec;
    assert_int_equal(fb_injection_make(arena, &all->in, &all->made), FB_OK);
    patch = fb_patch_encode(&all->made.patch);
    assert_non_null(patch);
    return patch;
}

static const char *keep(struct injection_case *all, char *text)
{
    const char *kept = text != NULL ? turn(all, text, '\0', '\0') : NULL;

    assert_non_null(kept);
    free(text);
    return kept;
}

const char *injection_case_run(struct injection_case *all, const char *pod)
{
    const char *json = turn(all, pod, '\'', '"');
    char *patch = inject(all, json);
    struct fb_injection first = all->made;
    int failed;
    char *patched = apply_patch(json, patch, &failed);
    const char *kept;

    if (patched == NULL)
        fail_msg("operation %d of %s does not apply to %s", failed, patch, json);
    free(patch);
    kept = keep(all, patched);
    patch = inject(all, kept);
    if (strcmp(patch, "[]") != 0)
        fail_msg("the second time: %s", patch);
    free(patch);
    assert_string_equal(injection_case_texts(all, &all->made.degraded),
                        injection_case_texts(all, &first.degraded));
    all->made = first;
    return kept;
}

const char *injection_case_at(struct injection_case *all, const char *json, const char *pointer)
{
    char *found = find_json(json, pointer);

    return found != NULL ? turn(all, keep(all, found), '"', '\'') : "-";
}

const char *injection_case_texts(struct injection_case *all, const struct fb_texts *texts)
{
    size_t size = 1;
    char *joined;

    for (size_t i = 0; i < texts->len; i++)
        size += strlen(texts->at[i]) + 2;
    joined = fb_arena_alloc(all->builder->arena, size);
    assert_non_null(joined);
    for (size_t i = 0; i < texts->len; i++)
        (void)snprintf(joined + strlen(joined), size - strlen(joined), "%s%s", i > 0 ? ", " : "",
                       texts->at[i]);
    return joined;
}

void injection_case_check(struct injection_case *all, const struct injection_row *rows, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const char *pod =
            injection_case_pod(all, rows[i].metadata, rows[i].spec, rows[i].container);
        const char *got = injection_case_at(all, injection_case_run(all, pod), rows[i].pointer);

        if (strcmp(got, rows[i].want) != 0)
            fail_msg("row %zu: %s of %s\nis   %s\nwant %s", i, rows[i].pointer, pod, got,
                     rows[i].want);
    }
}
