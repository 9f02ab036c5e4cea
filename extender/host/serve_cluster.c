/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_cluster.h"

#include "access.h"
#include "admission.h"
#include "certificates.h"
#include "choice.h"
#include "events.h"
#include "lookup.h"
#include "observer.h"
#include "registration.h"
#include "sign.h"

#include "fabricbind/own.h"

#include <stdlib.h>
#include <string.h>

struct fb_serve_cluster {
    struct fb_inventory_slot *slot;
    struct fb_metrics *metrics;
    struct fb_apiserver *server; /* NULL: none */
    struct fb_live *live;
    struct fb_events *events;
    struct fb_observer *observer;
    struct fb_choice *choice;
    struct fb_sign *sign;
    struct fb_server_tls *tls;
    struct fb_certificates *certificates;
    struct fb_registration *registration;
    struct fb_admission *admission;
};

static enum fb_status find_pod(void *context, struct fb_arena *arena, const char *space,
                               const char *name, struct fb_pod *ret, struct fb_error *err)
{
    struct fb_serve_cluster *cluster = context;

    return fb_lookup_pod(cluster->server, arena, space, name, ret, err);
}

/* NOLINTNEXTLINE(readability-function-size): the parameters are the contract of admission.h */
static enum fb_status choose(void *context, struct fb_arena *arena,
                             const struct fb_inventory *inventory, const struct fb_pod *pod,
                             bool dry_run, const char **ret, struct fb_error *err)
{
    struct fb_serve_cluster *cluster = context;

    return fb_choice_get(cluster->choice, arena, inventory, pod, dry_run, ret, err);
}

static const char *sign(void *context, struct fb_arena *arena, const char *pod_uid,
                        const char *node, const char *content)
{
    struct fb_serve_cluster *cluster = context;

    return fb_sign_text(cluster->sign, arena, &(struct fb_sign_subject){pod_uid, node, content});
}

/* Is there anything to be found, and where. */
static enum fb_status find_server(const struct fb_options *options,
                                  struct fb_serve_cluster *cluster, struct fb_error *err)
{
    FB_OWNED(fb_arena_freep) struct fb_arena *arena = fb_arena_new(0);
    struct fb_access access;
    enum fb_status st;

    if (options->snapshot != NULL)
        return FB_OK;
    if (arena == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    st = fb_access_load(arena, options->kubeconfig, &access, err);
    if (st == FB_ENOTFOUND && options->kubeconfig == NULL)
        return FB_OK;
    if (st == FB_OK)
        st = fb_apiserver_new(&access, cluster->metrics, &cluster->server, err);
    return st;
}

static void tell(void *context, const struct fb_event *event)
{
    fb_events_tell(context, event);
}

static enum fb_status observe(struct fb_serve_cluster *cluster, struct fb_error *err)
{
    enum fb_status st =
        fb_events_new(cluster->server, cluster->metrics, NULL, &cluster->events, err);
    const struct fb_observer_setup setup = {
        .slot = cluster->slot,
        .metrics = cluster->metrics,
        .tell = tell,
        .context = cluster->events,
    };

    return st == FB_OK ? fb_observer_start(&setup, &cluster->observer, err) : st;
}

static enum fb_status watch(struct fb_serve_cluster *cluster, struct fb_error *err)
{
    enum fb_status st;

    if (cluster->server == NULL)
        return FB_OK;
    st = fb_live_start(cluster->server, cluster->slot, cluster->metrics, NULL, &cluster->live, err);
    return st == FB_OK ? observe(cluster, err) : st;
}

static enum fb_status keep_certificates(struct fb_serve_cluster *cluster,
                                        const struct fb_config *config, struct fb_error *err)
{
    const struct fb_certificates_setup setup = {
        .server = cluster->server,
        .tls = cluster->tls,
        .sign = cluster->sign,
        .metrics = cluster->metrics,
        .config = &config->admission,
    };

    if (cluster->sign == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return fb_certificates_start(&setup, &cluster->certificates, err);
}

static enum fb_status admit(struct fb_serve_cluster *cluster, const struct fb_config *config,
                            struct fb_error *err)
{
    bool has_server = cluster->server != NULL;
    const struct fb_admission_world world = {
        .context = cluster,
        .find_pod = has_server ? find_pod : NULL,
        .choose = choose,
        .sign = has_server ? sign : NULL,
    };
    enum fb_status st = fb_server_tls_new(&cluster->tls, err);

    cluster->sign = fb_sign_new();
    if (st == FB_OK)
        st = keep_certificates(cluster, config, err);
    if (st == FB_OK)
        st = fb_choice_new(cluster->server, cluster->metrics, &cluster->choice, err);
    if (st == FB_OK)
        st = fb_admission_new(cluster->slot, cluster->metrics, &world, &cluster->admission, err);
    return st;
}

static void stop_at_once(struct fb_serve_cluster **cluster)
{
    if (!fb_serve_cluster_stop(*cluster, UINT32_MAX))
        *cluster = NULL;
}

enum fb_status fb_serve_cluster_start(const struct fb_options *options,
                                      struct fb_inventory_slot *slot, struct fb_metrics *metrics,
                                      struct fb_serve_cluster **ret, struct fb_error *err)
{
    FB_OWNED(fb_inventory_releasep)
    struct fb_inventory *inventory = fb_inventory_slot_get(slot);
    const struct fb_config *config = &inventory->in.config;
    FB_OWNED(stop_at_once) struct fb_serve_cluster *cluster = calloc(1, sizeof *cluster);
    enum fb_status st;

    *ret = NULL;
    if (cluster == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    cluster->slot = slot;
    cluster->metrics = metrics;
    st = find_server(options, cluster, err);
    if (st != FB_OK)
        return st;
    if (cluster->server == NULL && *config->admission.cert_file == '\0')
        return FB_OK;
    st = admit(cluster, config, err);
    if (st == FB_OK)
        st = watch(cluster, err);
    if (st == FB_OK)
        *ret = FB_TAKE(cluster);
    return st;
}

struct fb_admission *fb_serve_cluster_admission(struct fb_serve_cluster *cluster)
{
    return cluster->admission;
}

struct fb_server_tls *fb_serve_cluster_tls(struct fb_serve_cluster *cluster)
{
    return cluster->tls;
}

struct fb_live *fb_serve_cluster_live(struct fb_serve_cluster *cluster)
{
    return cluster != NULL ? cluster->live : NULL;
}

enum fb_status fb_serve_cluster_register(struct fb_serve_cluster *cluster, struct fb_error *err)
{
    const struct fb_registration_setup setup = {
        .server = cluster->server,
        .slot = cluster->slot,
        .certificates = cluster->certificates,
        .metrics = cluster->metrics,
    };

    return cluster->server != NULL ? fb_registration_start(&setup, &cluster->registration, err)
                                   : FB_OK;
}

bool fb_serve_cluster_ready(void *context)
{
    const struct fb_serve_cluster *cluster = context;

    return fb_certificates_ready(cluster->certificates);
}

bool fb_serve_cluster_stop(struct fb_serve_cluster *cluster, unsigned wait_ms)
{
    if (cluster == NULL)
        return true;
    fb_apiserver_close(cluster->server);
    fb_registration_stop(cluster->registration);
    fb_observer_stop(cluster->observer);
    fb_events_stop(cluster->events);
    fb_certificates_stop(cluster->certificates);
    if (!fb_live_stop(cluster->live, wait_ms))
        return false;
    fb_admission_free(cluster->admission);
    fb_choice_free(cluster->choice);
    fb_server_tls_free(cluster->tls);
    fb_sign_free(cluster->sign);
    fb_apiserver_free(cluster->server);
    free(cluster);
    return true;
}
