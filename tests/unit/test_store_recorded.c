/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/own.h"
#include "fabricbind/snapshot.h"
#include "inventory.h"
#include "store.h"

#include "store_case.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What comes out of the store is what went in: recorded clusters, by way of both readers. */

static const struct {
    const char *name;
    enum fb_kind kind;
} lists[] = {
    {"nodes", FB_KIND_NODE},
    {"pods", FB_KIND_POD},
    {"podgroups", FB_KIND_PODGROUP},
    {"vcjobs", FB_KIND_VCJOB},
};

static char *load(const char *cloud, const char *name, size_t *ret_len)
{
    char path[512];
    char *text = calloc(1, 1 << 20);
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/snapshots/%s/%s.json", FB_TEST_DATA, cloud, name);
    file = fopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    *ret_len = fread(text, 1, (1 << 20) - 1, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void read_both(struct fb_arena *arena, const char *cloud, struct fb_snapshot *snapshot,
                      struct fb_store *store)
{
    FB_OWNED(fb_snapshot_reader_freep) struct fb_snapshot_reader *reader = NULL;

    assert_int_equal(fb_snapshot_reader_new(arena, snapshot, NULL, &reader, NULL), FB_OK);
    for (size_t i = 0; i < COUNT(lists); i++) {
        size_t changed;
        size_t len;
        char *json = load(cloud, lists[i].name, &len);

        assert_int_equal(fb_snapshot_reader_feed(reader, json, len, NULL), FB_OK);
        assert_int_equal(fb_snapshot_reader_finish(reader, NULL), FB_OK);
        assert_int_equal(store_case_list(store, lists[i].kind, json, len, &changed, NULL), FB_OK);
        assert_int_equal(store_case_list(store, lists[i].kind, json, len, &changed, NULL), FB_OK);
        assert_int_equal(changed, 0); /* the second time */
        free(json);
    }
}

static const struct fb_pod *find_pod(const struct fb_snapshot *all, const struct fb_pod *like)
{
    for (size_t i = 0; i < all->pods_len; i++) {
        if (strcmp(all->pods[i].name, like->name) == 0 &&
            strcmp(all->pods[i].space, like->space) == 0)
            return &all->pods[i];
    }
    return NULL;
}

static void check_pods(const struct fb_snapshot *want, const struct fb_snapshot *got)
{
    size_t living = 0;

    for (size_t i = 0; i < want->pods_len; i++) {
        const struct fb_pod *pod = find_pod(got, &want->pods[i]);
        struct line lines[2] = {{.len = 0}, {.len = 0}};

        assert_int_equal(pod != NULL, fb_pod_lives(&want->pods[i]));
        if (pod == NULL)
            continue;
        living++;
        line_add_pod(&lines[0], &want->pods[i]);
        line_add_pod(&lines[1], pod);
        assert_string_equal(lines[0].text, lines[1].text);
        assert_int_equal(want->pods[i].annotations_bytes, pod->annotations_bytes);
    }
    assert_int_equal(got->pods_len, living);
}

static void check_nodes_and_jobs(const struct fb_snapshot *want, const struct fb_snapshot *got)
{
    assert_int_equal(want->nodes_len, got->nodes_len);
    assert_int_equal(want->jobs.len, got->jobs.len);
    assert_int_equal(want->podgroups_len, got->podgroups_len);
    for (size_t i = 0; i < want->nodes_len; i++) {
        struct line lines[2] = {{.len = 0}, {.len = 0}};

        line_add_node(&lines[0], &want->nodes[i]);
        line_add_node(&lines[1], &got->nodes[i]);
        assert_string_equal(lines[0].text, lines[1].text);
    }
    for (size_t i = 0; i < want->jobs.len; i++) {
        struct line lines[2] = {{.len = 0}, {.len = 0}};

        line_add_job(&lines[0], &want->jobs.at[i]);
        line_add_job(&lines[1], &got->jobs.at[i]);
        assert_string_equal(lines[0].text, lines[1].text);
    }
    for (size_t i = 0; i < want->podgroups_len; i++) {
        assert_string_equal(want->podgroups[i].owner.uid, got->podgroups[i].owner.uid);
        assert_int_equal(want->podgroups[i].min_member, got->podgroups[i].min_member);
    }
}

static void test_store_fill__gives_out_what_was_put_in(void **state)
{
    static const char *const clouds[] = {"aws", "azure", "gcp", "oci"};

    (void)state;
    for (size_t i = 0; i < COUNT(clouds); i++) {
        FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
        FB_OWNED(fb_store_freep)
        struct fb_store *store = fb_store_new(&(struct fb_store_limits){0});
        struct fb_snapshot want = {0};
        struct fb_snapshot got = {0};
        struct fb_stock *stock = NULL;

        read_both(arena, clouds[i], &want, store);
        assert_int_equal(fb_store_fill(store, arena, &got, &stock), FB_OK);
        check_pods(&want, &got);
        check_nodes_and_jobs(&want, &got);
        fb_stock_release(stock, NULL);
    }
}

/* The same cluster comes out of a snapshot on disk and of a store. */
static void test_inventory_build__equals_what_is_read_from_files(void **state)
{
    static const char *policies[] = {FB_TEST_POLICIES};
    struct fb_options options = {.snapshot = FB_TEST_DATA "/snapshots/aws",
                                 .policies = {.at = policies, .len = 1}};
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    FB_OWNED(fb_store_freep) struct fb_store *store = fb_store_new(&(struct fb_store_limits){0});
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *read = NULL;
    FB_OWNED(fb_inventory_releasep) struct fb_inventory *built = NULL;
    struct fb_snapshot unused = {0};
    struct fb_error err = {.text = ""};

    (void)state;
    read_both(arena, "aws", &unused, store);
    if (fb_inventory_read(&options, store_case_ignore, NULL, &read, &err) != FB_OK ||
        fb_inventory_build(read, store, &built, &err) != FB_OK)
        fail_msg("%s", err.text);
    assert_non_null(built);
    if (built == NULL)
        return;
    assert_true(built->live);
    assert_int_equal(built->in.cluster.sites_len, read->in.cluster.sites_len);
    assert_int_equal(built->in.cluster.gangs_len, read->in.cluster.gangs_len);
    assert_int_equal(built->in.cluster.residents_len, read->in.cluster.residents_len);
    for (size_t i = 0; i < read->in.cluster.sites_len; i++) {
        const struct fb_site *want = &read->in.cluster.sites[i];
        const struct fb_site *got = &built->in.cluster.sites[i];

        assert_string_equal(want->node->name, got->node->name);
        for (size_t k = 0; k < want->free.len; k++)
            assert_int_equal(fb_resources_get(&got->free, want->free.at[k].name),
                             want->free.at[k].amount);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store_fill__gives_out_what_was_put_in),
        cmocka_unit_test(test_inventory_build__equals_what_is_read_from_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
