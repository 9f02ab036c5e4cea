/* SPDX-License-Identifier: Apache-2.0 */
#include "extender_want.h"

#include "fabricbind/decide.h"
#include "fabricbind/json.h"
#include "fabricbind/objects.h"
#include "fabricbind/own.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define BODY_MOST (64 << 20)

/* How objects of one kind are read. */
struct way {
    enum fb_kind kind;
    struct fb_object_mount *mount;
    struct fb_scan_paths *paths;
};

struct extender_want {
    struct way pod, node;
    struct fb_ledger *ledger;
};

/* One body. */
struct ask {
    struct extender_want *want;
    struct fb_arena *arena;
    struct fb_scene scene;
    struct fb_view view;
    struct fb_sight_task task;
    enum fb_volcano_dialect dialect;
};

static void make_way(struct way *way, enum fb_kind kind)
{
    const struct fb_scan_path *rows;
    size_t len;

    way->kind = kind;
    assert_int_equal(fb_object_mount_new("", FB_KIND_BIT(kind), 0, &way->mount, NULL), FB_OK);
    rows = fb_object_mount_paths(way->mount, &len);
    assert_int_equal(fb_scan_paths_new(rows, len, &way->paths, NULL), FB_OK);
}

struct extender_want *extender_want_new(void)
{
    struct extender_want *want = calloc(1, sizeof *want);

    assert_non_null(want);
    make_way(&want->pod, FB_KIND_POD);
    make_way(&want->node, FB_KIND_NODE);
    want->ledger = fb_ledger_new(NULL);
    assert_non_null(want->ledger);
    return want;
}

void extender_want_free(struct extender_want *want)
{
    if (want == NULL)
        return;
    fb_scan_paths_free(want->pod.paths);
    fb_scan_paths_free(want->node.paths);
    fb_object_mount_free(want->pod.mount);
    fb_object_mount_free(want->node.mount);
    fb_ledger_free(want->ledger);
    free(want);
}

void extender_want_freep(struct extender_want **want)
{
    extender_want_free(*want);
}

static enum fb_status keep(void *context, const struct fb_object *object, struct fb_error *err)
{
    (void)err;
    *(struct fb_object *)context = *object;
    return FB_OK;
}

static enum fb_status take(void *context, const struct fb_scan_value *value, struct fb_error *err)
{
    return fb_object_reader_take(context, value, err);
}

static struct fb_object read_object(struct fb_arena *arena, const struct way *way,
                                    const struct fb_json_node *at)
{
    struct fb_object object = {0};
    FB_OWNED(fb_object_reader_freep)
    struct fb_object_reader *reader = fb_object_reader_new(arena, way->mount, keep, &object);
    struct fb_error err = {0};
    char *text = fb_json_print_node(at);

    assert_non_null(reader);
    assert_non_null(text);
    fb_object_reader_assume(reader, way->kind);
    if (fb_scan_all(way->paths, NULL, text, strlen(text), take, reader, &err) != FB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(object.kind, way->kind);
    free(text);
    return object;
}

static const char *read_text(const struct fb_json_node *map, const char *key)
{
    const char *text = fb_json_read_text(fb_json_find(map, key));

    return text != NULL ? text : "";
}

static int64_t read_int(const struct fb_json_node *at)
{
    int64_t number = 0;

    if (at != NULL)
        assert_true(fb_json_read_int(at, &number));
    return number;
}

/* Volcano counts thousandths of all but memory and pods. */
static struct fb_resources read_amounts(struct fb_arena *arena, const struct fb_json_node *map)
{
    struct fb_resources all = {0};
    const struct fb_json_node *scalars = fb_json_find(map, "ScalarResources");

    assert_int_equal(fb_resources_set(arena, &all, "cpu", read_int(fb_json_find(map, "MilliCPU"))),
                     FB_OK);
    assert_int_equal(fb_resources_set(arena, &all, "memory", read_int(fb_json_find(map, "Memory"))),
                     FB_OK);
    for (const struct fb_json_node *at = fb_json_first(scalars); at != NULL;
         at = fb_json_next(at)) {
        const char *name = fb_json_key(at);
        int64_t by = strcmp(name, "pods") == 0 ? 1 : 1000;

        assert_int_equal(fb_resources_set(arena, &all, name, read_int(at) / by), FB_OK);
    }
    return all;
}

#define TASKS_MOST 64

static void add_node(struct ask *ask, const struct fb_json_node *at)
{
    const struct fb_json_node *shown = fb_json_find(at, "Node");
    struct fb_object node;
    struct fb_sight_pod pods[TASKS_MOST];
    struct fb_sight sight = {
        .name = read_text(at, "Name"),
        .idle = read_amounts(ask->arena, fb_json_find(at, "Idle")),
        .releasing = read_amounts(ask->arena, fb_json_find(at, "Releasing")),
        .pipelined = read_amounts(ask->arena, fb_json_find(at, "Pipelined")),
        .pods = pods,
    };

    for (const struct fb_json_node *on = fb_json_first(fb_json_find(at, "Tasks")); on != NULL;
         on = fb_json_next(on)) {
        assert_true(sight.pods_len < TASKS_MOST);
        pods[sight.pods_len++] = (struct fb_sight_pod){
            .pod = read_object(ask->arena, &ask->want->pod, fb_json_find(on, "Pod")).pod,
            .status = read_int(fb_json_find(on, "Status")),
        };
    }
    if (shown != NULL) {
        node = read_object(ask->arena, &ask->want->node, shown);
        sight.node = &node.node;
    }
    assert_int_equal(fb_view_add(&ask->view, &ask->scene, &sight), FB_OK);
}

static void read_task(struct ask *ask, const struct fb_json_node *at)
{
    struct fb_pod *pod = fb_arena_alloc(ask->arena, sizeof *pod);

    assert_non_null(pod);
    *pod = read_object(ask->arena, &ask->want->pod, fb_json_find(at, "Pod")).pod;
    ask->task = (struct fb_sight_task){
        .uid = read_text(at, "UID"),
        .node = read_text(at, "NodeName"),
        .status = read_int(fb_json_find(at, "Status")),
        .pod = pod,
    };
    assert_true(strlen(ask->task.uid) > 0);
}

static char *say_verdict(struct ask *ask, const struct fb_json_node *root)
{
    struct fb_verdict verdict;

    add_node(ask, fb_json_find(root, "node"));
    assert_int_equal(
        fb_decide_verdict(ask->want->ledger, &ask->scene, &ask->view, &ask->task, &verdict), FB_OK);
    return fb_volcano_say_verdict(&verdict, ask->dialect).at;
}

static char *say_scores(struct ask *ask, const struct fb_json_node *root)
{
    const struct fb_json_node *nodes = fb_json_find(root, "nodes");
    const char *names[TASKS_MOST];
    double scores[TASKS_MOST];
    size_t len = 0;

    for (const struct fb_json_node *at = fb_json_first(nodes); at != NULL; at = fb_json_next(at)) {
        assert_true(len < TASKS_MOST);
        names[len++] = read_text(at, "Name");
        add_node(ask, at);
    }
    assert_int_equal(
        fb_decide_scores(ask->want->ledger, &ask->scene, &ask->view, &ask->task, scores), FB_OK);
    return fb_volcano_say_scores(names, scores, len).at;
}

static char *say(struct ask *ask, enum fb_volcano_verb verb, const struct fb_json_node *root)
{
    struct fb_ledger *ledger = ask->want->ledger;

    if (fb_volcano_reads(verb))
        read_task(ask, fb_json_find(root, "task"));
    if (verb == FB_VOLCANO_PREDICATE)
        return say_verdict(ask, root);
    if (verb == FB_VOLCANO_PRIORITIZE)
        return say_scores(ask, root);
    if (verb == FB_VOLCANO_ALLOCATE)
        assert_int_equal(fb_decide_allocate(ledger, &ask->scene, &ask->task), FB_OK);
    else if (verb == FB_VOLCANO_DEALLOCATE)
        fb_decide_deallocate(ledger, &ask->scene, &ask->task);
    else if (verb == FB_VOLCANO_SESSIONCLOSE)
        fb_decide_close(ledger, &ask->scene);
    return strdup(fb_volcano_neutral(verb, ask->dialect, false));
}

char *extender_want_answer(struct extender_want *want, const struct fb_inventory *inventory,
                           enum fb_volcano_verb verb, enum fb_volcano_dialect dialect,
                           const char *body, size_t len)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_json json = {0};
    struct fb_error err = {0};
    struct ask ask = {
        .want = want,
        .arena = arena,
        .scene = {&inventory->in.cluster, &inventory->in.objects, inventory->generation,
                  fb_inventory_clock_ms(), 0},
        .dialect = dialect,
    };
    char *text;

    assert_non_null(arena);
    if (fb_volcano_reads(verb) && fb_json_parse(body, len, BODY_MOST, &json, &err) != FB_OK)
        fail_msg("%s", err.text);
    fb_view_init(&ask.view, arena, &ask.scene);
    text = say(&ask, verb, json.root != NULL ? fb_json_root(&json) : NULL);
    fb_json_fini(&json);
    assert_non_null(text);
    return text;
}
