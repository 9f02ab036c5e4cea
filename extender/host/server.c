/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include "fabricbind/own.h"
#include "server_exchange.h"
#include "server_late.h"
#include "server_listen.h"
#include "server_peers.h"

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* A connection's own memory, half of it for what is read at once. The library clears all of it
 * after each request and maps more than this anew for each connection, which costs more than the
 * fewer reads of large bodies save. */
#define MEMORY_BYTES ((size_t)32 * 1024)
#define THREADS_LEAST 2
#define THREADS_MOST 8

struct fb_server {
    struct fb_site site;
    struct fb_server_limits limits; /* no zeros */
    struct fb_peers *peers;
    struct MHD_Daemon *daemon;
    struct fb_server_tls *tls; /* NULL: plain HTTP */
    int fd;                    /* the listening socket; -1: none yet */
    unsigned port;
};

/* A connection; it has one request at a time. */
struct line {
    struct fb_peer peer;
    struct fb_exchange exchange;
    struct fb_server_identity *identity; /* NULL: plain HTTP */
};

static struct line *line_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static int fd_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static bool line_secure(struct fb_server *server, struct line *line,
                        struct MHD_Connection *connection)
{
    if (server->tls == NULL)
        return true;
    line->identity = fb_server_tls_open(
        server->tls,
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session);
    return line->identity != NULL;
}

static void line_free(struct line *line)
{
    fb_server_tls_close(line->identity);
    free(line);
}

static struct line *line_new(struct fb_server *server, struct MHD_Connection *connection)
{
    struct line *line = calloc(1, sizeof *line);

    if (line == NULL)
        return NULL;
    if (line_secure(server, line, connection) &&
        fb_peers_add(server->peers, &line->peer, fd_of(connection)))
        return line;
    line_free(line);
    return NULL;
}

/* A connection begins or ends. One without a line is one too many, or has no certificate to show:
 * it is cut before it is read. */
static void on_connection(void *context, struct MHD_Connection *connection, void **line,
                          enum MHD_ConnectionNotificationCode code)
{
    struct fb_server *server = context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *line = line_new(server, connection);
        if (*line == NULL)
            (void)shutdown(fd_of(connection), SHUT_RDWR);
    } else if (*line != NULL) {
        fb_peers_remove(server->peers, &((struct line *)*line)->peer);
        line_free(*line);
        *line = NULL;
    }
}

/* The request line is in, not yet taken apart. What this returns is handed to on_request. */
static void *on_uri(void *context, const char *uri, struct MHD_Connection *connection)
{
    struct fb_server *server = context;
    struct line *line = line_of(connection);

    if (line == NULL)
        return NULL;
    fb_exchange_open(&line->exchange, &server->site, uri);
    fb_peers_mark(server->peers, &line->peer, FB_PEER_RECEIVING);
    return &line->exchange;
}

static struct MHD_Response *response_of(struct fb_answer *answer)
{
    enum MHD_ResponseMemoryMode mode = MHD_RESPMEM_PERSISTENT;
    /* The library takes what it only reads as void *. */
    union {
        const char *constant;
        void *any;
    } bytes = {.constant = answer->constant};
    struct MHD_Response *response;

    if (answer->body != NULL) {
        bytes.any = answer->body;
        mode = MHD_RESPMEM_MUST_FREE;
    }
    response =
        MHD_create_response_from_buffer(bytes.any == NULL ? 0 : answer->len, bytes.any, mode);
    if (response == NULL)
        free(answer->body);
    answer->body = NULL;
    return response;
}

static bool add_header(struct MHD_Response *response, const char *name, const char *value)
{
    return value == NULL || value[0] == '\0' ||
           MHD_add_response_header(response, name, value) == MHD_YES;
}

static enum MHD_Result reply(struct fb_server *server, struct MHD_Connection *connection, bool last)
{
    struct line *line = line_of(connection);
    struct fb_answer answer;
    struct MHD_Response *response;
    enum MHD_Result done = MHD_NO;

    fb_peers_mark(server->peers, &line->peer, FB_PEER_ANSWERING);
    fb_exchange_finish(&line->exchange, &answer);
    response = response_of(&answer);
    if (response == NULL)
        return MHD_NO;
    last = last || fb_peers_are_draining(server->peers);
    if (add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type) &&
        add_header(response, MHD_HTTP_HEADER_ALLOW, line->exchange.allow) &&
        add_header(response, MHD_HTTP_HEADER_CONNECTION, last ? "close" : NULL))
        done = MHD_queue_response(connection, answer.status, response);
    MHD_destroy_response(response);
    return done;
}

static struct fb_request_head head_of(struct MHD_Connection *connection, const char *method,
                                      const char *path)
{
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    int lines = MHD_get_connection_values(connection, MHD_HEADER_KIND, NULL, NULL);

    return (struct fb_request_head){
        .method = method,
        .path = path,
        .length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
                                              MHD_HTTP_HEADER_CONTENT_LENGTH),
        .header_bytes = size == NULL ? 0 : size->header_size,
        .header_lines = lines < 0 ? 0 : (size_t)lines,
    };
}

/* Called when the headers are in, for each piece of the body, and when all is in. */
/* NOLINTNEXTLINE(readability-function-size): the library wants these parameters */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *bytes, size_t *len, void **state)
{
    struct fb_server *server = context;
    struct fb_exchange *exchange = *state;
    struct fb_request_head head;

    (void)version;
    if (exchange == NULL)
        return MHD_NO;
    if (!exchange->has_head) {
        head = head_of(connection, method, path);
        return fb_exchange_head(exchange, &head) ? MHD_YES : reply(server, connection, true);
    }
    if (*len == 0)
        return reply(server, connection, false);
    if (fb_peer_phase(&line_of(connection)->peer) == FB_PEER_LATE)
        return MHD_NO;
    fb_exchange_feed(exchange, bytes, *len);
    *len = 0;
    return MHD_YES;
}

/* The library cannot answer before a body is in, so this does, as the last of the connection.
 * Not below TLS, whose records are the library's. */
static void reply_late(const struct fb_server *server, struct line *line)
{
    struct fb_answer answer;

    fb_exchange_late(&line->exchange, server->limits.request_ms, &answer);
    fb_late_send(line->peer.fd, MHD_get_reason_phrase_for(answer.status), &answer);
    free(answer.body);
}

/* The answer is out, or there is none to be had. */
static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct fb_server *server = context;
    struct line *line = line_of(connection);

    (void)code;
    if (*state == NULL || line == NULL)
        return;
    if (server->tls == NULL && fb_peer_phase(&line->peer) == FB_PEER_LATE &&
        line->exchange.status == 0)
        reply_late(server, line);
    fb_exchange_close(&line->exchange);
    fb_peers_mark(server->peers, &line->peer, FB_PEER_IDLE);
    *state = NULL;
}

static unsigned count_threads(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (cpus < THREADS_LEAST)
        return THREADS_LEAST;
    return cpus > THREADS_MOST ? THREADS_MOST : (unsigned)cpus;
}

static unsigned unsigned_or(unsigned value, unsigned fallback)
{
    return value == 0 ? fallback : value;
}

static struct fb_server_limits fill_limits(const struct fb_server_limits *limits)
{
    static const struct fb_server_limits none;
    const struct fb_server_limits *given = limits == NULL ? &none : limits;

    return (struct fb_server_limits){
        .body_bytes = given->body_bytes == 0 ? (size_t)256 * 1024 * 1024 : given->body_bytes,
        .connections = unsigned_or(given->connections, 1024),
        .request_ms = unsigned_or(given->request_ms, 30000),
        .idle_ms = unsigned_or(given->idle_ms, 120000),
        .threads = unsigned_or(given->threads, count_threads()),
    };
}

/*
 * poll and not epoll: the library's epoll is edge-triggered and forgets that a socket is readable
 * when a read came short, so an end that arrives together with data is seen only when the time is
 * up. The limit of connections is ours; the library's, which is shared out among its threads, only
 * must not come first.
 */
static enum fb_status start_daemon(struct fb_server *server, struct fb_error *err)
{
    static char priorities[] = FB_SERVER_TLS_PRIORITIES;
    static const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC;
    const struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, fb_server_tls_callback()},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned most = (server->limits.connections + 64) * server->limits.threads;

    if (server->tls != NULL)
        flags |= MHD_USE_TLS;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET, server->fd,
        MHD_OPTION_THREAD_POOL_SIZE, server->limits.threads, MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_BYTES,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_URI_LOG_CALLBACK, on_uri,
        server, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_ARRAY,
        server->tls != NULL ? secure : none, MHD_OPTION_END);
    if (server->daemon == NULL)
        return fb_error_set(err, FB_EIO, "HTTP server: does not start");
    return FB_OK;
}

static void stop(struct fb_server **at)
{
    fb_server_stop(*at, 0);
}

enum fb_status fb_server_start(const struct fb_server_setup *setup, struct fb_server **ret,
                               struct fb_error *err)
{
    FB_OWNED(stop) struct fb_server *server = calloc(1, sizeof *server);
    struct fb_peers_limits bounds;
    enum fb_status st;

    if (server == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    server->fd = -1;
    server->tls = setup->tls;
    server->limits = fill_limits(setup->limits);
    server->site = (struct fb_site){setup->routes, setup->routes_len,   server->limits.body_bytes,
                                    setup->told,   setup->told_context, 0};
    bounds = (struct fb_peers_limits){server->limits.connections, server->limits.request_ms,
                                      server->limits.idle_ms};
    st = fb_listen_open(setup->address, &server->fd, &server->port, err);
    if (st == FB_OK)
        st = fb_peers_start(&bounds, &server->peers, err);
    if (st == FB_OK)
        st = start_daemon(server, err);
    if (st == FB_OK)
        *ret = FB_TAKE(server);
    return st;
}

unsigned fb_server_port(const struct fb_server *server)
{
    return server->port;
}

void fb_server_stop(struct fb_server *server, unsigned drain_ms)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL) {
        (void)MHD_quiesce_daemon(server->daemon);
        /* Not closed yet: a thread may be about to accept, and the number must not be another's. */
        (void)shutdown(server->fd, SHUT_RDWR);
        fb_peers_drain(server->peers, drain_ms);
        MHD_stop_daemon(server->daemon);
    }
    fb_peers_stop(server->peers);
    if (server->fd >= 0)
        (void)close(server->fd);
    free(server);
}
