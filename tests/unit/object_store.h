/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_OBJECT_STORE_H
#define FB_TESTS_OBJECT_STORE_H

#include "api_peer.h"
#include "apiserver.h"

#include <pthread.h>

#define OBJECT_STORE_BYTES 65536

/** An API server with room for one object, which it changes by compare-and-swap only. */
struct object_store {
    struct api_peer peer;
    const char *list;              /* path of the collection */
    const char *name;              /* of the object */
    pthread_mutex_t lock;          /* of what follows */
    char body[OBJECT_STORE_BYTES]; /* "": there is none */
    unsigned version;
    unsigned gets, posts, puts; /* that were done */
    unsigned conflicts;
    unsigned overtake; /* so many of the next writes come a moment after somebody else's */
    unsigned refuse, refuse_writes; /* answer everything, or what writes, with this status */
};

void object_store_start(struct object_store *store, const char *list, const char *name);
void object_store_stop(struct object_store *store);

/** A client of it, to be freed, in namespace "ops". */
struct fb_apiserver *object_store_client(const struct object_store *store);

/** Put @body there, with the next version, as somebody else would; NULL: delete it. @body starts
 * {"metadata":{ and may have a resourceVersion, which is replaced. */
void object_store_set(struct object_store *store, const char *body);

/** A copy of the object, to be freed; "" when there is none. */
char *object_store_get(struct object_store *store);

/** Answer with @all, and with @writes what would write, from now on; 0: as it should. */
void object_store_refuse(struct object_store *store, unsigned all, unsigned writes);

/** Let somebody else write right before each of the next @times writes: what is there, once more,
 * or what was to be made. */
void object_store_overtake(struct object_store *store, unsigned times);

/** Counts, under the lock. */
unsigned object_store_count(struct object_store *store, const unsigned *counter);

/** Wait until @done says true of @context; fails the test after 20 s. */
void object_store_await(bool (*done)(void *context), void *context);

#endif
