/* SPDX-License-Identifier: Apache-2.0 */
#include "shelf.h"

#include "fabricbind/policyfile.h"

#include "unit.h"

#include <stdio.h>

const char *const shelf_providers[SHELF_PROVIDERS] = {"aws",    "azure", "coreweave", "gcp",
                                                      "nebius", "oci",   "onprem"};

static void load(struct shelf *shelf, const char *provider)
{
    static char text[131072];
    struct fb_error err = {0};
    char path[512];
    FILE *file;
    size_t len;

    (void)snprintf(path, sizeof path, "%s/%s.yaml", FB_TEST_POLICIES, provider);
    file = fopen(path, "rbe");
    if (file == NULL)
        fail_msg("%s: cannot be read", path);
    len = fread(text, 1, sizeof text, file);
    assert_int_equal(fclose(file), 0);
    assert_true(len < sizeof text);
    if (fb_policyfile_read(shelf->arena, &shelf->all, text, len, &err) != FB_OK)
        fail_msg("%s: %s", path, err.text);
}

int shelf_fill(void **state)
{
    static struct shelf shelf;

    shelf.arena = fb_arena_new(0);
    if (shelf.arena == NULL)
        return -1;
    for (size_t i = 0; i < SHELF_PROVIDERS; i++)
        load(&shelf, shelf_providers[i]);
    *state = &shelf;
    return 0;
}

int shelf_empty(void **state)
{
    struct shelf *shelf = *state;

    fb_arena_free(shelf->arena);
    return 0;
}
