/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_APISERVER_H
#define FB_HOST_APISERVER_H

#include "fabricbind/error.h"
#include "fabricbind/kubeconfig.h"
#include "metrics.h"

#include <stdatomic.h>
#include <stddef.h>

/**
 * A client of one API server, safe for many threads: each call takes a kept connection (HTTP/2
 * where it can be had over TLS) out of a small pool, or makes one. At most 64 calls and streams are
 * under way at once, 8 connections are kept in between.
 *
 * Files of the access (token, CA, client certificate and key) are read again when they change, at
 * the latest after 60 s. One that cannot be read, or is empty, leaves what was read before, with
 * one warning. Connections made with an older CA or certificate are not used for further calls.
 * Tokens and keys are never logged. Proxies of the environment are not used, redirections not
 * followed, and nothing is tried twice, but for a 401: then all files are read anew and the call
 * is made once more.
 */
struct fb_apiserver;

/**
 * Read the files of @access; nothing is sent.
 *
 * @access   copied
 * @metrics  borrowed, must outlive the client; NULL: not counted
 * @ret      set on success only; free with fb_apiserver_free()
 *
 * Returns FB_OK; FB_ENOTFOUND, FB_EIO, FB_EINPUT and FB_ELIMIT with the name of the file at fault;
 * FB_ENOMEM.
 */
enum fb_status fb_apiserver_new(const struct fb_access *access, struct fb_metrics *metrics,
                                struct fb_apiserver **ret, struct fb_error *err) FB_CHECK;

/** Only when no call is under way any more. NULL is fine. */
void fb_apiserver_free(struct fb_apiserver *server);
void fb_apiserver_freep(struct fb_apiserver **server);

/** The process ends: calls that are under way fail within 200 ms, and later ones at once. Streams
 * have their own stop. NULL is fine. */
void fb_apiserver_close(struct fb_apiserver *server);

/** The namespace of the pod or of the context. Borrowed. */
const char *fb_apiserver_space(const struct fb_apiserver *server);

/** What is asked. Borrowed during the call. */
struct fb_api_call {
    const char *method; /* "GET", "POST", "PUT", "PATCH", "DELETE" */
    const char *path; /* "/api/v1/namespaces/a/pods/b?x=y", already escaped, at most 8,000 bytes */
    const char *type; /* Content-Type of the body; NULL: application/json */
    const char *body; /* NULL: none */
    size_t len;       /* bytes of it */
    unsigned timeout_ms; /* for all of it, waiting for a free connection included; 0: 10000 */
};

/** What came back. Ended by fini. */
struct fb_api_reply {
    unsigned status;        /* 200, ... */
    unsigned retry_after_s; /* what a 429 or 503 asks for; 0: nothing */
    char *body;             /* NUL-ended, never NULL */
    size_t len;
};

void fb_api_reply_fini(struct fb_api_reply *reply);

/** Record what the API server said against a call ("409: Operation cannot be fulfilled on ...",
 * from the message of its Status, else from what it sent) and return @st, which is not FB_OK. */
enum fb_status fb_api_reply_error(const struct fb_api_reply *reply, enum fb_status st,
                                  struct fb_error *err);

/**
 * Ask and wait for the whole answer.
 *
 * @ret  written on success only
 *
 * Returns FB_OK, whatever the status; FB_EIO for an exchange that failed ("GET /api/v1/pods: no
 * answer within 10000 ms"); FB_ELIMIT for an answer over 64 MiB, a path too long, or when no
 * connection became free; FB_ENOMEM.
 */
enum fb_status fb_apiserver_call(struct fb_apiserver *server, const struct fb_api_call *call,
                                 struct fb_api_reply *ret, struct fb_error *err) FB_CHECK;

/** Handed the body in pieces cut anywhere. Anything but FB_OK ends the stream with that status. */
typedef enum fb_status (*fb_api_piece)(void *context, const char *bytes, size_t len,
                                       struct fb_error *err);

/**
 * GET @path and hand the body of a 200 to @piece as it comes, on this thread, until it ends. There
 * is no limit on the whole of it, in bytes or in time.
 *
 * @idle_ms     no byte for so long: FB_EIO; 0: 60000. Bookmarks of a watch come about once a
 *              minute, so that a watch wants more, 90000 for one.
 * @stop        looked at each 150 ms; true ends it with FB_OK; NULL: never. While a host name is
 *              being resolved it may take longer.
 * @ret_status  always written: the HTTP status, 0 when none came
 *
 * Returns FB_OK when the body of a 200 came to its end, when stopped, and also for any other status
 * (410, ...): then @err holds what fb_api_reply_error() would say. FB_EIO, FB_ELIMIT and FB_ENOMEM
 * as above, also in the midst of a body; what @piece returned, "GET /path: " in front.
 */
enum fb_status fb_apiserver_stream(struct fb_apiserver *server, const char *path, unsigned idle_ms,
                                   const atomic_bool *stop, fb_api_piece piece, void *context,
                                   unsigned *ret_status, struct fb_error *err) FB_CHECK;

#endif
