/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

#include "extender.h"
#include "inventory.h"
#include "log.h"
#include "metrics.h"
#include "reload.h"
#include "routes.h"
#include "serve_cluster.h"
#include "serve_signals.h"
#include "serve_told.h"
#include "server.h"
#include "status.h"

#include "fabricbind/admission.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Together less than the 5 s that are promised. Probes and Prometheus are served while schedulers
 * still get their answers, so that the reason for not being ready can be read. */
static const unsigned drain_ms[FB_LISTENERS] = {2500, 1200, 400};
static const unsigned reload_ms = 300, cluster_ms = 300;

/* Who asks for metrics has little to say. */
static const struct fb_server_limits metrics_limits = {
    .body_bytes = (size_t)64 * 1024, .connections = 64, .threads = 1};

/* As the API server asks: many at once, none of them large, and some wait for the inventory. */
static const struct fb_server_limits admission_limits = {.body_bytes = FB_REVIEW_BYTES,
                                                         .threads = 32};

/* Everything that lives as long as the daemon. */
struct daemon {
    const struct fb_options *options;
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_extender *extender;
    struct fb_status_page *page;
    struct fb_reload *reload;
    struct fb_serve_cluster *cluster; /* NULL: neither API server nor certificate */
    struct fb_route routes[FB_LISTENERS][FB_ROUTES_MOST];
    struct fb_server *servers[FB_LISTENERS];
};

static enum fb_status no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status read_first(struct daemon *daemon, struct fb_error *err)
{
    struct fb_inventory *first = NULL;
    enum fb_status st;

    if (daemon->options->snapshot != NULL && strcmp(daemon->options->snapshot, "-") == 0)
        return fb_error_set(err, FB_EINPUT,
                            "--snapshot: a directory is wanted, standard input cannot be reread");
    st = fb_inventory_read(daemon->options, fb_reload_notice, NULL, &first, err);
    if (st != FB_OK)
        return st;
    daemon->slot = fb_inventory_slot_new(first);
    if (daemon->slot == NULL) {
        fb_inventory_release(first);
        return no_memory(err);
    }
    return FB_OK;
}

static enum fb_status build(struct daemon *daemon, struct fb_error *err)
{
    enum fb_status st = read_first(daemon, err);

    if (st != FB_OK)
        return st;
    daemon->metrics = fb_metrics_new();
    if (daemon->metrics == NULL)
        return no_memory(err);
    st = fb_extender_new(daemon->slot, daemon->metrics, &daemon->extender, err);
    if (st != FB_OK)
        return st;
    daemon->page = fb_status_page_new(daemon->slot, daemon->extender, daemon->metrics);
    return daemon->page != NULL ? FB_OK : no_memory(err);
}

static enum fb_status listen_on(struct daemon *daemon, enum fb_listener listener, void *context,
                                const char *address, const struct fb_server_limits *limits,
                                struct fb_error *err)
{
    const struct fb_server_setup setup = {
        .address = address,
        .routes = daemon->routes[listener],
        .routes_len = fb_routes_make(listener, context, daemon->routes[listener]),
        .limits = limits,
        .told = fb_serve_told,
        .told_context = daemon->metrics,
        .tls = listener == FB_LISTENER_ADMISSION ? fb_serve_cluster_tls(daemon->cluster) : NULL,
    };
    enum fb_status st = fb_server_start(&setup, &daemon->servers[listener], err);

    if (st != FB_OK)
        return fb_error_prefix(err, st, "listen.%s", fb_listener_name(listener));
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("server", fb_listener_name(listener)),
        FB_LOG_TEXT("address", address),
        FB_LOG_INT("port", (int64_t)fb_server_port(daemon->servers[listener])),
    };
    fb_log(FB_LOG_INFO, "listening", fields, COUNT(fields));
    return FB_OK;
}

static enum fb_status admit(struct daemon *daemon, const struct fb_listen *listen,
                            struct fb_error *err)
{
    enum fb_status st = fb_serve_cluster_start(daemon->options, daemon->slot, daemon->metrics,
                                               &daemon->cluster, err);

    if (st != FB_OK || daemon->cluster == NULL)
        return st;
    fb_status_page_await(daemon->page, fb_serve_cluster_ready, daemon->cluster);
    st = listen_on(daemon, FB_LISTENER_ADMISSION, fb_serve_cluster_admission(daemon->cluster),
                   listen->admission, &admission_limits, err);
    return st == FB_OK ? fb_serve_cluster_register(daemon->cluster, err) : st;
}

static enum fb_status start(struct daemon *daemon, struct fb_error *err)
{
    struct fb_inventory *inventory = fb_inventory_slot_get(daemon->slot);
    const struct fb_config *config = &inventory->in.config;
    const struct fb_server_limits limits = {.body_bytes = config->limits.body_bytes};
    enum fb_status st = admit(daemon, &config->listen, err);

    if (st == FB_OK)
        st = fb_reload_start(daemon->options, daemon->slot, fb_serve_cluster_live(daemon->cluster),
                             &daemon->reload, err);
    if (st == FB_OK)
        st = listen_on(daemon, FB_LISTENER_EXTENDER, daemon->extender, config->listen.extender,
                       &limits, err);
    if (st == FB_OK)
        st = listen_on(daemon, FB_LISTENER_METRICS, daemon->page, config->listen.metrics,
                       &metrics_limits, err);
    fb_inventory_release(inventory);
    return st;
}

static void run(struct daemon *daemon)
{
    int number = fb_serve_signals_wait();

    for (; number == SIGHUP; number = fb_serve_signals_wait())
        fb_reload_ask(daemon->reload);
    const struct fb_log_field fields[] = {
        FB_LOG_TEXT("signal", number == SIGTERM ? "SIGTERM" : "SIGINT"),
    };
    fb_status_page_shut(daemon->page);
    fb_log(FB_LOG_INFO, "shutting down", fields, COUNT(fields));
}

/* Returns whether all is freed: not so while a reload reads. */
static bool stop(struct daemon *daemon)
{
    fb_serve_signals_release();
    for (size_t i = 0; i < FB_LISTENERS; i++)
        fb_server_stop(daemon->servers[i], drain_ms[i]);
    if (!fb_reload_stop(daemon->reload, reload_ms) ||
        !fb_serve_cluster_stop(daemon->cluster, cluster_ms))
        return false;
    fb_status_page_free(daemon->page);
    fb_extender_free(daemon->extender);
    fb_metrics_free(daemon->metrics);
    fb_inventory_slot_free(daemon->slot);
    return true;
}

int fb_serve(const struct fb_options *options)
{
    struct daemon daemon = {.options = options};
    struct fb_error err = {.text = "out of memory"};
    enum fb_status st;
    bool freed;

    fb_serve_signals_begin();
    fb_log_setup(STDERR_FILENO, (enum fb_log_level)options->log_level, isatty(STDERR_FILENO) == 0);
    st = build(&daemon, &err);
    fb_serve_signals_hold();
    if (st == FB_OK)
        st = start(&daemon, &err);
    if (st == FB_OK)
        run(&daemon);
    else
        fb_log(FB_LOG_ERROR, err.text, NULL, 0);
    freed = stop(&daemon);
    if (st == FB_OK)
        fb_log(FB_LOG_INFO, "stopped", NULL, 0);
    if (!freed)
        _exit(FB_EXIT_YES); /* what the reload still uses goes with the process */
    return st == FB_OK ? FB_EXIT_YES : FB_EXIT_USAGE;
}
