/* SPDX-License-Identifier: Apache-2.0 */
#include "extender.h"

#include "fabricbind/decide.h"
#include "fabricbind/own.h"
#include "fabricbind/volcano.h"
#include "log.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct fb_extender {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_volcano_formats *formats;
    pthread_mutex_t lock; /* of the ledger */
    struct fb_ledger *ledger;
    atomic_bool complained[FB_VOLCANO_VERBS]; /* its first fault was logged */
};

/** One request. */
struct exchange {
    struct fb_extender *extender;
    struct fb_inventory *inventory; /* held */
    struct fb_arena *arena;
    struct fb_volcano_reader *reader; /* NULL: the body is not read */
    enum fb_volcano_verb verb;
    enum fb_volcano_dialect dialect;
    uint64_t request; /* its id */
    struct fb_scene scene;
    struct fb_view view;
};

enum fb_status fb_extender_new(struct fb_inventory_slot *slot, struct fb_metrics *metrics,
                               struct fb_extender **ret, struct fb_error *err)
{
    FB_OWNED(fb_extender_freep) struct fb_extender *extender = calloc(1, sizeof *extender);

    if (extender == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    (void)pthread_mutex_init(&extender->lock, NULL);
    extender->slot = slot;
    extender->metrics = metrics;
    extender->ledger = fb_ledger_new(NULL);
    if (extender->ledger == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    if (fb_volcano_formats_new(&extender->formats, err) != FB_OK)
        return FB_ENOMEM;
    *ret = FB_TAKE(extender);
    return FB_OK;
}

void fb_extender_free(struct fb_extender *extender)
{
    if (extender == NULL)
        return;
    fb_volcano_formats_free(extender->formats);
    fb_ledger_free(extender->ledger);
    (void)pthread_mutex_destroy(&extender->lock);
    free(extender);
}

void fb_extender_freep(struct fb_extender **extender)
{
    fb_extender_free(*extender);
}

static void end(void *state)
{
    struct exchange *exchange = state;

    fb_volcano_reader_free(exchange->reader);
    fb_arena_free(exchange->arena);
    fb_inventory_release(exchange->inventory);
    free(exchange);
}

static void endp(struct exchange **exchange)
{
    if (*exchange != NULL)
        end(*exchange);
}

static bool knows(void *context, const char *node)
{
    const struct exchange *exchange = context;

    return fb_view_knows(&exchange->scene, node);
}

static enum fb_status take_node(void *context, const struct fb_sight *sight, struct fb_error *err)
{
    struct exchange *exchange = context;

    if (exchange->verb == FB_VOLCANO_PREDICATE && exchange->view.cluster.sites_len > 0)
        return fb_error_set(err, FB_EINPUT, "a second node");
    if (exchange->view.cluster.sites_len >= exchange->inventory->in.config.limits.nodes)
        return fb_error_set(err, FB_ELIMIT, "more than %zu nodes",
                            exchange->inventory->in.config.limits.nodes);
    if (fb_view_add(&exchange->view, &exchange->scene, sight) != FB_OK)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return FB_OK;
}

static void set_scene(struct exchange *exchange)
{
    const struct fb_inventory *inventory = exchange->inventory;

    exchange->scene = (struct fb_scene){
        .cluster = &inventory->in.cluster,
        .objects = &inventory->in.objects,
        .generation = inventory->generation,
        .now_ms = fb_inventory_clock_ms(),
        .told_ms = inventory->live && inventory->synced ? inventory->read_ms : 0,
    };
}

static enum fb_status start_reader(struct exchange *exchange)
{
    const struct fb_limits *limits = &exchange->inventory->in.config.limits;
    struct fb_scan_limits scan = {
        .depth = limits->depth,
        .string_bytes = limits->string_bytes,
        .bytes = limits->body_bytes,
    };
    struct fb_volcano_reading how = {
        .verb = exchange->verb,
        .arena = exchange->arena,
        .limits = &scan,
        .knows = knows,
        .node = take_node,
        .context = exchange,
    };

    if (!fb_volcano_reads(exchange->verb))
        return FB_OK;
    return fb_volcano_reader_new(exchange->extender->formats, &how, &exchange->reader, NULL);
}

static void *begin(void *context, const struct fb_request *request)
{
    FB_OWNED(endp) struct exchange *exchange = calloc(1, sizeof *exchange);

    if (exchange == NULL)
        return NULL;
    exchange->extender = context;
    exchange->request = request->id;
    exchange->verb = (enum fb_volcano_verb)(request->route->number & 0xff);
    exchange->dialect = (enum fb_volcano_dialect)(request->route->number >> 8);
    exchange->inventory = fb_inventory_slot_get(exchange->extender->slot);
    exchange->arena = fb_arena_new_small(0);
    if (exchange->arena == NULL)
        return NULL;
    set_scene(exchange);
    fb_view_init(&exchange->view, exchange->arena, &exchange->scene);
    if (start_reader(exchange) != FB_OK)
        return NULL;
    return FB_TAKE(exchange);
}

static enum fb_status feed(void *state, const char *bytes, size_t len, struct fb_error *err)
{
    struct exchange *exchange = state;

    return exchange->reader != NULL ? fb_volcano_reader_feed(exchange->reader, bytes, len, err)
                                    : FB_OK;
}

/* An answer that is made for this request; a lack of memory is one more fault. */
static enum fb_status send_made(struct fb_volcano_answer made, struct fb_answer *ret)
{
    if (made.at == NULL)
        return FB_ENOMEM;
    ret->body = made.at;
    ret->len = made.len;
    return FB_OK;
}

static void send_neutral(enum fb_volcano_verb verb, enum fb_volcano_dialect dialect, bool rejects,
                         struct fb_answer *ret)
{
    ret->constant = fb_volcano_neutral(verb, dialect, rejects);
    ret->len = strlen(ret->constant);
}

static void count_verdict(const struct exchange *exchange, const struct fb_verdict *verdict)
{
    const char *labels[] = {fb_verdict_name(verdict->kind), fb_reason_code(verdict->reason)};

    fb_metrics_add(exchange->extender->metrics, FB_METRIC_DECISIONS, labels, 1.0);
}

/* With `mode: observe` this is all that tells what would have been refused. */
static void log_verdict(const struct exchange *exchange, const struct fb_sight_task *task,
                        const struct fb_verdict *verdict)
{
    assert(task->pod != NULL); /* a predicate without one is not readable */
    const struct fb_log_field fields[] = {
        FB_LOG_INT("request", (int64_t)exchange->request),
        FB_LOG_TEXT("namespace", task->pod->space),
        FB_LOG_TEXT("pod", task->pod->name),
        FB_LOG_TEXT("node", exchange->view.cluster.sites[0].node->name),
        FB_LOG_TEXT("verdict", fb_verdict_name(verdict->kind)),
        FB_LOG_TEXT("reason", fb_reason_code(verdict->reason)),
        FB_LOG_TEXT("resource", verdict->subject),
    };

    fb_log(FB_LOG_DEBUG, "decided", fields, sizeof fields / sizeof fields[0]);
}

static bool observes(const struct exchange *exchange)
{
    return exchange->inventory->in.config.mode == FB_MODE_OBSERVE;
}

static enum fb_status answer_predicate(struct exchange *exchange, const struct fb_sight_task *task,
                                       struct fb_answer *ret)
{
    struct fb_extender *extender = exchange->extender;
    struct fb_verdict verdict;
    enum fb_status st;

    (void)pthread_mutex_lock(&extender->lock);
    st = fb_decide_verdict(extender->ledger, &exchange->scene, &exchange->view, task, &verdict);
    (void)pthread_mutex_unlock(&extender->lock);
    if (st != FB_OK)
        return st;
    count_verdict(exchange, &verdict);
    if (fb_log_wants(FB_LOG_DEBUG))
        log_verdict(exchange, task, &verdict);
    if (observes(exchange))
        verdict = (struct fb_verdict){FB_FITS, FB_REASON_NONE, NULL};
    return send_made(fb_volcano_say_verdict(&verdict, exchange->dialect), ret);
}

static enum fb_status answer_prioritize(struct exchange *exchange, const struct fb_sight_task *task,
                                        struct fb_answer *ret)
{
    struct fb_extender *extender = exchange->extender;
    const struct fb_cluster *cluster = &exchange->view.cluster;
    double *scores = fb_arena_alloc(exchange->arena, cluster->sites_len * sizeof *scores);
    const char **names = fb_arena_alloc(exchange->arena, cluster->sites_len * sizeof *names);
    enum fb_status st;

    if (scores == NULL || names == NULL)
        return FB_ENOMEM;
    for (size_t i = 0; i < cluster->sites_len; i++)
        names[i] = cluster->sites[i].node->name;
    (void)pthread_mutex_lock(&extender->lock);
    st = fb_decide_scores(extender->ledger, &exchange->scene, &exchange->view, task, scores);
    (void)pthread_mutex_unlock(&extender->lock);
    if (st != FB_OK)
        return st;
    if (observes(exchange)) {
        send_neutral(exchange->verb, exchange->dialect, false, ret);
        return FB_OK;
    }
    return send_made(fb_volcano_say_scores(names, scores, cluster->sites_len), ret);
}

/* Events and all verbs without a decision. */
static enum fb_status answer_event(struct exchange *exchange, const struct fb_sight_task *task,
                                   struct fb_answer *ret)
{
    struct fb_extender *extender = exchange->extender;
    enum fb_status st = FB_OK;

    (void)pthread_mutex_lock(&extender->lock);
    if (exchange->verb == FB_VOLCANO_ALLOCATE)
        st = fb_decide_allocate(extender->ledger, &exchange->scene, task);
    else if (exchange->verb == FB_VOLCANO_DEALLOCATE)
        fb_decide_deallocate(extender->ledger, &exchange->scene, task);
    else if (exchange->verb == FB_VOLCANO_SESSIONCLOSE)
        fb_decide_close(extender->ledger, &exchange->scene);
    (void)pthread_mutex_unlock(&extender->lock);
    if (st == FB_OK)
        send_neutral(exchange->verb, exchange->dialect, false, ret);
    return st;
}

static enum fb_status answer(struct exchange *exchange, struct fb_answer *ret, struct fb_error *err)
{
    struct fb_sight_task task = {.uid = "", .node = ""};
    enum fb_status st = FB_OK;

    if (exchange->reader != NULL)
        st = fb_volcano_reader_finish(exchange->reader, &task, err);
    if (st != FB_OK)
        return st;
    if (exchange->verb == FB_VOLCANO_PREDICATE)
        st = answer_predicate(exchange, &task, ret);
    else if (exchange->verb == FB_VOLCANO_PRIORITIZE)
        st = answer_prioritize(exchange, &task, ret);
    else
        st = answer_event(exchange, &task, ret);
    return st == FB_OK ? st : fb_error_set(err, st, "out of memory");
}

/* Counted each time, told the first time of each verb and then to those who debug. */
static void complain(struct fb_extender *extender, enum fb_volcano_verb verb,
                     const struct fb_request *request, const struct fb_error *err)
{
    const char *labels[] = {fb_volcano_verb_name(verb)};
    bool again = atomic_exchange(&extender->complained[verb], true);
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("verb", fb_volcano_verb_name(verb)),
        FB_LOG_INT("request", (int64_t)request->id),
        FB_LOG_INT("bytes", (int64_t)request->bytes),
        FB_LOG_TEXT("error", err->text),
    };

    fb_metrics_add(extender->metrics, FB_METRIC_FAULTS, labels, 1.0);
    fb_log(again ? FB_LOG_DEBUG : FB_LOG_WARNING, "a request could not be answered as asked",
           fields, sizeof fields / sizeof fields[0]);
}

/* As configured now: a request for which there was no memory holds no inventory. */
static bool rejects(struct fb_extender *extender)
{
    FB_OWNED(fb_inventory_releasep)
    struct fb_inventory *inventory = fb_inventory_slot_get(extender->slot);
    const struct fb_config *config = &inventory->in.config;

    return config->mode != FB_MODE_OBSERVE && config->on_fault == FB_ON_FAULT_REJECT;
}

static void finish(void *context, const struct fb_request *request, void *state, enum fb_status st,
                   const struct fb_error *err, struct fb_answer *ret)
{
    struct exchange *exchange = state;
    enum fb_volcano_verb verb = (enum fb_volcano_verb)(request->route->number & 0xff);
    struct fb_error fault = {.text = "out of memory"};

    *ret = (struct fb_answer){.status = 200, .type = "application/json"};
    if (err != NULL)
        fault = *err;
    if (st == FB_OK && exchange != NULL)
        st = answer(exchange, ret, &fault);
    if (st != FB_OK || exchange == NULL) {
        send_neutral(verb, (enum fb_volcano_dialect)(request->route->number >> 8), rejects(context),
                     ret);
        complain(context, verb, request, &fault);
    }
    if (exchange != NULL)
        end(exchange);
}

const struct fb_handler fb_extender_handler = {begin, feed, finish, end};

void fb_extender_measure(struct fb_extender *extender)
{
    struct fb_ledger_counts counts;

    (void)pthread_mutex_lock(&extender->lock);
    counts = fb_ledger_count(extender->ledger);
    (void)pthread_mutex_unlock(&extender->lock);
    const struct {
        const char *kind;
        size_t entries;
    } rows[] = {
        {"allocated", counts.allocated}, {"pipelined", counts.pipelined},
        {"releasing", counts.releasing}, {"planned", counts.planned},
        {"reserved", counts.reserved},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fb_metrics_set(extender->metrics, FB_METRIC_LEDGER, &rows[i].kind, (double)rows[i].entries);
}
