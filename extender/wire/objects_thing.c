/* SPDX-License-Identifier: Apache-2.0 */
#include "objects_fields.h"

#include <string.h>

/* One more element of an array in the arena: FB_OK, FB_ELIMIT or FB_ENOMEM. */
#define PUSH(arena, list, len, size, ...)                                                          \
    __extension__({                                                                                \
        enum fb_status pushed_ = FB_ELIMIT;                                                        \
        if ((len) < FB_OBJECT_ENTRIES_MAX) {                                                       \
            void *more_ = fb_arena_more((arena), (list), (len), &(size), sizeof *(list));          \
            pushed_ = more_ != NULL ? FB_OK : FB_ENOMEM;                                           \
            if (more_ != NULL) {                                                                   \
                (list) = more_;                                                                    \
                (list)[(len)++] = __VA_ARGS__;                                                     \
            }                                                                                      \
        }                                                                                          \
        pushed_;                                                                                   \
    })

#define LAST(list, len) ((len) > 0 ? &(list)[(len)-1] : NULL)

static struct fb_task_draft *find_task(struct fb_object_reader *reader, enum fb_place place)
{
    struct fb_task_drafts *tasks = &reader->tasks[place];

    return tasks->current < tasks->len ? &tasks->at[tasks->current] : NULL;
}

static struct fb_pod *find_pod(struct fb_object_reader *reader, enum fb_place place)
{
    struct fb_task_draft *task;

    if (place == FB_PLACE_ITEM)
        return &reader->draft.object.pod;
    task = find_task(reader, place);
    return task != NULL ? &task->pod : NULL;
}

static struct fb_requirement *find_requirement(struct fb_pod *pod)
{
    struct fb_term *term = LAST(pod->terms, pod->terms_len);

    return term != NULL ? LAST(term->at, term->len) : NULL;
}

static void *find_in_pod(struct fb_pod *pod, enum fb_thing thing)
{
    if (pod == NULL)
        return NULL;
    switch ((int)thing) {
    case FB_THING_CONTAINER:
        return LAST(pod->containers, pod->containers_len);
    case FB_THING_OWNER:
        return LAST(pod->owners, pod->owners_len);
    case FB_THING_TOLERATION:
        return LAST(pod->tolerations, pod->tolerations_len);
    case FB_THING_TERM:
        return LAST(pod->terms, pod->terms_len);
    case FB_THING_REQUIREMENT:
        return find_requirement(pod);
    case FB_THING_CLAIM:
        return LAST(pod->claims.at, pod->claims.len);
    default:
        return pod;
    }
}

void *fb_thing_find(struct fb_object_reader *reader, enum fb_thing thing, enum fb_place place)
{
    struct fb_node *node = &reader->draft.object.node;

    switch ((int)thing) {
    case FB_THING_DRAFT:
        return &reader->draft;
    case FB_THING_NODE:
        return node;
    case FB_THING_TAINT:
        return LAST(node->taints, node->taints_len);
    case FB_THING_CONDITION:
        return &reader->draft.condition;
    case FB_THING_TASK:
        return find_task(reader, place);
    default:
        return find_in_pod(find_pod(reader, place), thing);
    }
}

static enum fb_status start_requirement(struct fb_arena *arena, struct fb_pod *pod, bool field)
{
    struct fb_term *term = LAST(pod->terms, pod->terms_len);

    if (term == NULL)
        return FB_OK;
    return PUSH(arena, term->at, term->len, term->size,
                (struct fb_requirement){.key = "", .op = "", .field = field});
}

static enum fb_status start_in_pod(struct fb_arena *arena, struct fb_pod *pod,
                                   const struct fb_field *field)
{
    if (pod == NULL)
        return FB_OK;
    switch ((int)field->starts) {
    case FB_THING_CONTAINER:
        return PUSH(arena, pod->containers, pod->containers_len, pod->containers_size,
                    (struct fb_container){.name = "", .role = field->variant});
    case FB_THING_OWNER:
        return PUSH(arena, pod->owners, pod->owners_len, pod->owners_size,
                    (struct fb_owner){"", "", "", "", false});
    case FB_THING_TOLERATION:
        return PUSH(arena, pod->tolerations, pod->tolerations_len, pod->tolerations_size,
                    (struct fb_toleration){"", "", "", ""});
    case FB_THING_TERM:
        return PUSH(arena, pod->terms, pod->terms_len, pod->terms_size, (struct fb_term){0});
    case FB_THING_CLAIM:
        return PUSH(arena, pod->claims.at, pod->claims.len, pod->claims.size, "");
    default:
        return start_requirement(arena, pod, field->variant != 0);
    }
}

/* @name is told for the entries of a map; an entry told again begins anew where it stands. */
static enum fb_status start_task(struct fb_arena *arena, struct fb_task_drafts *tasks,
                                 const char *name)
{
    struct fb_task_draft empty = {
        .name = name,
        .replicas = -1,
        .min = -1,
        .parallelism = -1,
        .completions = -1,
        .least = -1,
        .hosts = -1,
    };

    fb_pod_init(&empty.pod);
    tasks->current = 0;
    while (tasks->current < tasks->len &&
           (name[0] == '\0' || strcmp(tasks->at[tasks->current].name, name) != 0))
        tasks->current++;
    if (tasks->current == tasks->len)
        return PUSH(arena, tasks->at, tasks->len, tasks->size, empty);
    tasks->at[tasks->current] = empty;
    return FB_OK;
}

static enum fb_status start_thing(struct fb_object_reader *reader, const struct fb_mounted *row,
                                  const char *key)
{
    struct fb_node *node = &reader->draft.object.node;

    switch ((int)row->field->starts) {
    case FB_THING_TAINT:
        return PUSH(reader->arena, node->taints, node->taints_len, node->taints_size,
                    (struct fb_taint){"", "", ""});
    case FB_THING_CONDITION:
        reader->draft.condition = (struct fb_condition){"", ""};
        return FB_OK;
    case FB_THING_TASK:
        return start_task(reader->arena, &reader->tasks[row->place], key);
    default:
        return start_in_pod(reader->arena, find_pod(reader, row->place), row->field);
    }
}

enum fb_status fb_thing_start(struct fb_object_reader *reader, const struct fb_mounted *row,
                              const struct fb_scan_value *value, struct fb_error *err)
{
    bool by_key = row->field->shape == FB_SHAPE_MAP;
    const char *key = by_key ? fb_arena_text(reader->arena, value->key, value->key_len) : "";
    enum fb_status st = key != NULL ? start_thing(reader, row, key) : FB_ENOMEM;

    if (st == FB_ELIMIT)
        return fb_error_set(err, st, "more than %d entries", FB_OBJECT_ENTRIES_MAX);
    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    return FB_OK;
}

/* Containers of the other list stay, and so do requirements. */
static void clear_containers(struct fb_pod *pod, bool main)
{
    size_t kept = 0;

    for (size_t i = 0; i < pod->containers_len; i++) {
        if ((pod->containers[i].role == FB_CONTAINER_MAIN) != main)
            pod->containers[kept++] = pod->containers[i];
    }
    pod->containers_len = kept;
}

static void clear_requirements(struct fb_pod *pod, bool field)
{
    struct fb_term *term = LAST(pod->terms, pod->terms_len);
    size_t kept = 0;

    if (term == NULL)
        return;
    for (size_t i = 0; i < term->len; i++) {
        if (term->at[i].field != field)
            term->at[kept++] = term->at[i];
    }
    term->len = kept;
}

static void clear_in_pod(struct fb_pod *pod, const struct fb_field *field)
{
    if (pod == NULL)
        return;
    switch ((int)field->starts) {
    case FB_THING_CONTAINER:
        clear_containers(pod, field->variant == FB_CONTAINER_MAIN);
        break;
    case FB_THING_OWNER:
        pod->owners_len = 0;
        break;
    case FB_THING_TOLERATION:
        pod->tolerations_len = 0;
        break;
    case FB_THING_TERM:
        pod->terms_len = 0;
        break;
    case FB_THING_CLAIM:
        pod->claims.len = 0;
        break;
    default:
        clear_requirements(pod, field->variant != 0);
        break;
    }
}

void fb_thing_clear(struct fb_object_reader *reader, const struct fb_mounted *row)
{
    switch ((int)row->field->starts) {
    case FB_THING_TAINT:
        reader->draft.object.node.taints_len = 0;
        break;
    case FB_THING_CONDITION:
        reader->draft.object.node.ready = false;
        break;
    case FB_THING_TASK:
        reader->tasks[row->place].len = 0;
        break;
    default:
        clear_in_pod(find_pod(reader, row->place), row->field);
        break;
    }
}
