/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_CHOICE_CASE_H
#define FB_TESTS_CHOICE_CASE_H

#include "api_peer.h"
#include "choice.h"
#include "plan_case.h"

#define CHOICE_CASE_OBJECTS 2

/** An object that the API server has. */
struct choice_kept {
    const char *path; /* NULL: it is not there */
    const char *uid;
    char told[256]; /* value of its annotation; "" none */
    unsigned version;
};

/** An inventory made by hand, and an API server that knows some objects. */
struct choice_case {
    struct builder *builder;
    struct fb_inventory inventory;
    struct api_peer peer;
    struct fb_apiserver *server;
    struct fb_metrics *metrics;
    pthread_mutex_t lock; /* of what follows */
    struct choice_kept kept[CHOICE_CASE_OBJECTS];
    unsigned status;   /* answer all with this; 0: as it should be */
    bool silent;       /* answer nothing */
    int conflicts;     /* so many writes come too late */
    const char *rival; /* and this was written instead */
    unsigned reads, writes, written;
};

#define CHOICE_CASE_SPACE "/apis/batch.volcano.sh/v1alpha1/namespaces/team/"
#define CHOICE_CASE_JOB CHOICE_CASE_SPACE "jobs/j"
#define CHOICE_CASE_PODGROUP "/apis/scheduling.volcano.sh/v1beta1/namespaces/team/podgroups/j-group"

/** Nodes a and b in z1, c and d in z2; @from otherwise. Job j is kept at the API server, with its
 * UID. */
void choice_case_start(struct choice_case *at, const struct plan_case *from);
void choice_case_stop(struct choice_case *at);

/** The cluster is built anew from the builder, and the inventory tells it. */
void choice_case_renew(struct choice_case *at);

/** Another client of the same API server. */
struct fb_apiserver *choice_case_client(struct choice_case *at);

/** A pod of job @job, worker, of 8 GPUs, as it is created. */
struct fb_pod *choice_case_pod(struct choice_case *at, const char *job);

/** Key of the fabric in @zone; what it is called where it is none. */
const char *choice_case_key(const struct choice_case *at, const char *zone);

/** The zone of the fabric that is chosen, "" for none. Safe in threads. */
const char *choice_case_get(struct choice_case *at, struct fb_choice *choice,
                            const struct fb_pod *pod, bool dry_run);

#endif
