/* SPDX-License-Identifier: Apache-2.0 */
#include "object_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char mark[] = "\"resourceVersion\":\"";
static const char head[] = "\"metadata\":{";

/* The version that @body says it is based on; 0: none. */
static unsigned version_of(const char *body)
{
    const char *at = strstr(body, mark);

    return at == NULL ? 0 : (unsigned)strtoul(at + strlen(mark), NULL, 10);
}

/* With the lock held: @body becomes the object, with the next version. */
static void put(struct object_store *store, const char *body)
{
    const char *old = strstr(body, mark);
    const char *begin = strstr(body, head);
    const char *rest;
    int len;

    assert_non_null(begin);
    begin += strlen(head);
    rest = begin;
    if (old != NULL) {
        begin = old;
        rest = strchr(old + strlen(mark), '"') + 1;
        rest += *rest == ',' ? 1 : 0;
    }
    len = snprintf(store->body, sizeof store->body, "%.*s%s%u\"%s%s", (int)(begin - body), body,
                   mark, ++store->version, *rest == '}' ? "" : ",", rest);
    assert_true(len > 0 && (size_t)len < sizeof store->body);
}

static bool starts(const char *line, const char *method)
{
    return strncmp(line, method, strlen(method)) == 0;
}

/* Is @line's path that of the collection, with "/name" behind it when @named. */
static bool is_path(const struct object_store *store, const char *line, bool named)
{
    char want[512];

    (void)snprintf(want, sizeof want, "%s%s%s ", store->list, named ? "/" : "",
                   named ? store->name : "");
    return strncmp(strchr(line, ' ') + 1, want, strlen(want)) == 0;
}

/* With the lock held. */
static void overtake(struct object_store *store, const char *body)
{
    char *again = strdup(store->body[0] != '\0' ? store->body : body);

    assert_non_null(again);
    store->overtake--;
    put(store, again);
    free(again);
}

/* With the lock held: the status of the answer. */
static unsigned serve(struct object_store *store, const struct api_request *request)
{
    bool post = starts(request->line, "POST ");
    bool get = starts(request->line, "GET ");

    if (store->refuse != 0)
        return store->refuse;
    if (!is_path(store, request->line, !post))
        return 400;
    if (get) {
        store->gets++;
        return store->body[0] == '\0' ? 404 : 200;
    }
    if (store->refuse_writes != 0)
        return store->refuse_writes;
    if (store->overtake > 0)
        overtake(store, request->body);
    if (!post && store->body[0] == '\0')
        return 404;
    if (post ? store->body[0] != '\0' : version_of(request->body) != store->version) {
        store->conflicts++;
        return 409;
    }
    put(store, request->body);
    *(post ? &store->posts : &store->puts) += 1;
    return post ? 201 : 200;
}

static bool answer(struct api_peer *peer, const struct api_request *request, int fd)
{
    struct object_store *store = peer->context;
    static const char refusal[] = "{\"kind\":\"Status\",\"message\":\"no\"}";
    char *body = NULL;
    unsigned status;
    bool done;

    (void)pthread_mutex_lock(&store->lock);
    status = serve(store, request);
    if (status < 300)
        body = strdup(store->body);
    (void)pthread_mutex_unlock(&store->lock);
    done = api_peer_reply(fd, status, "", body == NULL ? refusal : body);
    free(body);
    return done;
}

void object_store_start(struct object_store *store, const char *list, const char *name)
{
    memset(store, 0, sizeof *store);
    store->list = list;
    store->name = name;
    (void)pthread_mutex_init(&store->lock, NULL);
    api_peer_start(&store->peer, answer, store);
}

void object_store_stop(struct object_store *store)
{
    api_peer_stop(&store->peer);
    (void)pthread_mutex_destroy(&store->lock);
}

struct fb_apiserver *object_store_client(const struct object_store *store)
{
    const struct fb_access access = {.server = store->peer.base, .token = "abc", .space = "ops"};
    struct fb_apiserver *ret = NULL;

    assert_int_equal(fb_apiserver_new(&access, NULL, &ret, NULL), FB_OK);
    return ret;
}

void object_store_set(struct object_store *store, const char *body)
{
    (void)pthread_mutex_lock(&store->lock);
    if (body == NULL)
        store->body[0] = '\0';
    else
        put(store, body);
    (void)pthread_mutex_unlock(&store->lock);
}

char *object_store_get(struct object_store *store)
{
    char *ret;

    (void)pthread_mutex_lock(&store->lock);
    ret = strdup(store->body);
    (void)pthread_mutex_unlock(&store->lock);
    assert_non_null(ret);
    return ret;
}

void object_store_refuse(struct object_store *store, unsigned all, unsigned writes)
{
    (void)pthread_mutex_lock(&store->lock);
    store->refuse = all;
    store->refuse_writes = writes;
    (void)pthread_mutex_unlock(&store->lock);
}

void object_store_overtake(struct object_store *store, unsigned times)
{
    (void)pthread_mutex_lock(&store->lock);
    store->overtake = times;
    (void)pthread_mutex_unlock(&store->lock);
}

unsigned object_store_count(struct object_store *store, const unsigned *counter)
{
    unsigned ret;

    (void)pthread_mutex_lock(&store->lock);
    ret = *counter;
    (void)pthread_mutex_unlock(&store->lock);
    return ret;
}

void object_store_await(bool (*done)(void *context), void *context)
{
    static const struct timespec step = {.tv_nsec = 1000000};

    for (int i = 0; i < 20000 && !done(context); i++)
        (void)nanosleep(&step, NULL);
    assert_true(done(context));
}
