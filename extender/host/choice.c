/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include "choice_cache.h"
#include "choice_object.h"
#include "deadline.h"
#include "log.h"

#include "fabricbind/own.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 5 /* to write it where others write, too */

struct fb_choice {
    struct fb_apiserver *server;
    struct fb_metrics *metrics;
    struct fb_choice_cache *cache;
    pthread_mutex_t lock;   /* of planning */
    bool planning;          /* gangs that are planned at once would take the same nodes */
    pthread_cond_t planned; /* by CLOCK_MONOTONIC */
    atomic_bool failing;    /* the last call to the API server failed, and this was logged */
};

/* A choice under way. */
struct work {
    struct fb_choice *choice;
    const struct fb_inventory *inventory;
    const struct fb_cluster *cluster;
    const struct fb_pod *pod;
    struct fb_gang gang;
    struct fb_choice_asking asking; /* its arena is the caller's */
    char key[FB_CHOICE_KEY_BYTES];
    const char *fabric; /* the one chosen here; "": not yet, or nobody can tell */
    bool dry_run, planned;
};

enum fb_status fb_choice_new(struct fb_apiserver *server, struct fb_metrics *metrics,
                             struct fb_choice **ret, struct fb_error *err)
{
    struct fb_choice *choice = calloc(1, sizeof *choice);

    if (choice == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    choice->cache = fb_choice_cache_new();
    if (choice->cache == NULL) {
        free(choice);
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    }
    choice->server = server;
    choice->metrics = metrics;
    (void)pthread_mutex_init(&choice->lock, NULL);
    fb_deadline_init(&choice->planned);
    *ret = choice;
    return FB_OK;
}

void fb_choice_free(struct fb_choice *choice)
{
    if (choice == NULL)
        return;
    fb_choice_cache_free(choice->cache);
    (void)pthread_cond_destroy(&choice->planned);
    (void)pthread_mutex_destroy(&choice->lock);
    free(choice);
}

void fb_choice_freep(struct fb_choice **choice)
{
    fb_choice_free(*choice);
}

static void count(const struct fb_choice *choice, const char *result)
{
    if (choice->metrics != NULL)
        fb_metrics_add(choice->metrics, FB_METRIC_CHOICES, &result, 1.0);
}

static void note_failure(struct fb_choice *choice, const struct fb_error *err)
{
    static const char *const where = "choice";
    const struct fb_log_field fields[] = {FB_LOG_TEXT("error", err->text)};

    if (choice->metrics != NULL)
        fb_metrics_add(choice->metrics, FB_METRIC_FAULTS, &where, 1.0);
    if (!atomic_exchange(&choice->failing, true))
        fb_log(FB_LOG_WARNING, "the choice for a gang cannot be kept at the API server", fields, 1);
}

static void log_made(const struct work *work)
{
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("namespace", work->gang.space),
        FB_LOG_TEXT("gang", work->gang.name),
        FB_LOG_TEXT("fabric", work->fabric),
    };

    fb_log(FB_LOG_INFO, "fabric chosen for a gang", fields, sizeof fields / sizeof fields[0]);
}

/* Take over what is told; false where that has no node any more. */
static bool take(struct work *work, const char *told)
{
    size_t fabric = fb_choice_find(work->cluster, told);

    if (fabric != FB_NONE)
        work->fabric = work->cluster->fabrics[fabric].key;
    return fabric != FB_NONE;
}

/* Wait until nobody else plans; false when there is no time for it, and one plans beside others. */
static bool begin_planning(struct work *work)
{
    struct fb_choice *choice = work->choice;
    struct timespec until = fb_deadline_of(work->asking.end_ms);
    bool alone;

    (void)pthread_mutex_lock(&choice->lock);
    while (choice->planning &&
           pthread_cond_timedwait(&choice->planned, &choice->lock, &until) == 0) {
    }
    alone = !choice->planning;
    choice->planning = true;
    (void)pthread_mutex_unlock(&choice->lock);
    return alone;
}

static void end_planning(struct fb_choice *choice)
{
    (void)pthread_mutex_lock(&choice->lock);
    choice->planning = false;
    (void)pthread_cond_signal(&choice->planned);
    (void)pthread_mutex_unlock(&choice->lock);
}

/* What is noted while nobody else plans is there for the next one that does. */
static enum fb_status plan_alone(struct work *work, struct fb_arena *scratch)
{
    struct fb_choice *choice = work->choice;
    struct fb_choice_note *notes = NULL;
    struct fb_choice_input in = {work->cluster, &work->inventory->in.objects, work->pod, NULL, 0};
    size_t fabric = FB_NONE;
    enum fb_status st =
        fb_choice_cache_notes(choice->cache, work->inventory, scratch, &notes, &in.notes_len);

    in.notes = notes;
    if (st == FB_OK)
        st = fb_choice_plan(scratch, &in, &fabric);
    if (st != FB_OK || fabric == FB_NONE)
        return st;
    work->fabric = work->cluster->fabrics[fabric].key;
    if (!work->dry_run)
        fb_choice_cache_intend(choice->cache, &work->gang, work->fabric);
    return FB_OK;
}

/* Choose, unless it was done before. */
static enum fb_status plan(struct work *work)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *scratch = NULL;
    enum fb_status st;
    bool alone;

    if (work->planned)
        return FB_OK;
    scratch = fb_arena_new_small(0);
    if (scratch == NULL)
        return FB_ENOMEM;
    alone = begin_planning(work);
    st = plan_alone(work, scratch);
    if (alone)
        end_planning(work->choice);
    work->planned = st == FB_OK;
    return st;
}

/* An owner that was made anew under the same name is not the gang's. */
static bool is_of_gang(const struct work *work, const struct fb_choice_object *object)
{
    const struct fb_gang *gang = &work->gang;

    return strstr(object->path, "/podgroups/") != NULL || fb_text_equal(gang->key, gang->name) ||
           fb_text_equal(gang->kind, "LeaderWorkerSet") || fb_text_equal(object->uid, gang->key);
}

/* Read the object, and write to it where it tells no choice that has nodes. */
static enum fb_status settle_once(struct work *work, const char *path, struct fb_error *err)
{
    struct fb_choice_object object;
    enum fb_status st = fb_choice_object_read(&work->asking, path, &object, err);

    if (st == FB_EINPUT)
        return fb_error_set(err, FB_EIO, "%s: no object", path);
    if (st == FB_OK && !is_of_gang(work, &object))
        return fb_error_set(err, FB_ENOTFOUND, "%s: another one of that name", path);
    if (st != FB_OK)
        return st;
    if (take(work, object.told)) {
        count(work->choice, "told");
        return FB_OK;
    }
    st = plan(work);
    if (st != FB_OK || work->dry_run || *work->fabric == '\0')
        return st;
    st = fb_choice_object_write(&work->asking, &object, work->fabric, err);
    if (st == FB_OK) {
        count(work->choice, "made");
        log_made(work);
    }
    return st;
}

/* FB_ENOTFOUND: there is no such object. */
static enum fb_status settle_at(struct work *work, const char *path, struct fb_error *err)
{
    enum fb_status st = FB_EINPUT;

    for (int i = 0; st == FB_EINPUT && i < TRIES; i++)
        st = settle_once(work, path, err);
    return st;
}

/* At the first of the objects that is there. FB_ENOTFOUND: none is. */
static enum fb_status settle(struct work *work, struct fb_error *err)
{
    const char *paths[FB_CHOICE_OBJECTS];
    size_t len = 0;
    enum fb_status st = fb_choice_paths(work->asking.arena, &work->gang, work->pod, paths, &len);

    if (st != FB_OK)
        return st;
    st = FB_ENOTFOUND;
    for (size_t i = 0; st == FB_ENOTFOUND && work->asking.server != NULL && i < len; i++)
        st = settle_at(work, paths[i], err);
    return st;
}

/* Choose and keep it. @ret_kept: it is kept, or there is no place for it. */
static enum fb_status make(struct work *work, bool *ret_kept)
{
    struct fb_error err = {.text = ""};
    enum fb_status st = settle(work, &err);

    *ret_kept = st == FB_OK || st == FB_ENOTFOUND;
    if (st == FB_OK)
        atomic_store(&work->choice->failing, false);
    if (st == FB_OK || st == FB_ENOMEM)
        return st;
    if (!*ret_kept)
        note_failure(work->choice, &err);
    st = plan(work);
    if (st == FB_OK)
        count(work->choice, *work->fabric != '\0' ? "unkept" : "none");
    return st;
}

/* The one thread that makes the choice of this gang. */
static enum fb_status make_in_turn(struct work *work, const char *before)
{
    bool kept = false;
    enum fb_status st;

    /* Pods were made by what could not be kept before: it is held on to, if nobody else chose. */
    work->planned = take(work, before);
    st = make(work, &kept);
    fb_choice_cache_end(work->choice->cache, &work->gang, st == FB_OK ? work->fabric : "", kept);
    return st;
}

static enum fb_status take_part(struct work *work)
{
    const struct fb_choice_query query = {
        .inventory = work->inventory,
        .gang = &work->gang,
        .pod = work->pod,
        .end_ms = work->asking.end_ms,
    };
    enum fb_choice_turn turn = FB_CHOICE_LATE;
    const char *fabric;
    enum fb_status st =
        fb_choice_cache_begin(work->choice->cache, &query, work->asking.arena, &turn, &fabric);

    if (st != FB_OK)
        return st;
    if (turn == FB_CHOICE_MINE)
        return make_in_turn(work, fabric);
    if (turn == FB_CHOICE_MADE) {
        count(work->choice, take(work, fabric) ? "remembered" : "none");
        return FB_OK;
    }
    count(work->choice, "late");
    return plan(work);
}

static enum fb_status try_out(struct work *work)
{
    bool kept;
    const char *known = fb_choice_cache_find(work->choice->cache, work->asking.arena, &work->gang);

    if (known == NULL)
        return FB_ENOMEM;
    return take(work, known) ? FB_OK : make(work, &kept);
}

/* What needs nobody's word but the inventory's. */
static bool is_known(struct work *work)
{
    if (work->gang.fabric != FB_NONE) {
        work->fabric = work->cluster->fabrics[work->gang.fabric].key;
        count(work->choice, "members");
        return true;
    }
    if (!take(work, fb_choice_told(work->cluster, &work->gang, work->pod)))
        return false;
    count(work->choice, "told");
    return true;
}

static enum fb_status choose(struct work *work)
{
    if (is_known(work))
        return FB_OK;
    return work->dry_run ? try_out(work) : take_part(work);
}

/* Before all nodes are told a choice could be taken for one whose fabric is gone. */
static bool is_ready(const struct fb_inventory *inventory)
{
    return inventory->in.cluster.fabrics_len > 0 && (!inventory->live || inventory->synced);
}

/* NOLINTNEXTLINE(readability-function-size): the admission's world has this type */
enum fb_status fb_choice_get(void *context, struct fb_arena *arena,
                             const struct fb_inventory *inventory, const struct fb_pod *pod,
                             bool dry_run, const char **ret, struct fb_error *err)
{
    struct fb_choice *choice = context;
    struct work work = {
        .choice = choice,
        .inventory = inventory,
        .cluster = &inventory->in.cluster,
        .pod = pod,
        .asking = {choice->server, arena, work.key, fb_inventory_clock_ms() + FB_CHOICE_MS},
        .fabric = "",
        .dry_run = dry_run,
    };
    enum fb_networking networking = fb_gang_of(work.cluster, pod, &work.gang);
    enum fb_status st = FB_OK;

    (void)fb_choice_key(&work.gang, pod, work.key);
    if (fb_choice_due(&work.gang, networking) && is_ready(inventory))
        st = choose(&work);
    if (st == FB_OK)
        *ret = fb_arena_text(arena, work.fabric, strlen(work.fabric));
    return st == FB_OK && *ret != NULL ? FB_OK : fb_error_set(err, FB_ENOMEM, "out of memory");
}
