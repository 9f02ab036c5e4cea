/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_CERTIFICATES_CASE_H
#define FB_TESTS_CERTIFICATES_CASE_H

#include "certificates.h"

#include "object_store.h"

#include <stdatomic.h>

/** Certificates that take a turn only when they are woken, and what they work with. */
struct certificates_case {
    struct fb_apiserver *server; /* NULL: files */
    struct fb_server_tls *tls;
    struct fb_sign *sign;
    struct fb_metrics *metrics;
    struct fb_certificates *certificates;
    atomic_uint changes; /* that it was told of */
    uint64_t turns;      /* that were asked for */
};

/** The clock of all cases, in seconds. */
extern _Atomic int64_t certificates_case_now;

/** Start with the defaults of @config, @store NULL: without an API server. */
void certificates_case_start(struct certificates_case *at, struct object_store *store,
                             const struct fb_admission_config *config);
void certificates_case_stop(struct certificates_case *at);

/** Let those asked for before end, then let it take one turn, and wait for its end. */
void certificates_case_turn(struct certificates_case *at);

/** What a configuration has by default. */
struct fb_admission_config certificates_case_config(void);

/** Wait until the counter certificates_total{@source,@result} is @want. */
void certificates_case_await(struct certificates_case *at, const char *source, const char *result,
                             unsigned want);

/** Compare that counter now. */
unsigned certificates_case_count(struct certificates_case *at, const char *source,
                                 const char *result);

/** Does a connection to a server that shows the certificate succeed, by the authorities told. */
bool certificates_case_connects(struct certificates_case *at, const char *bundle, const char *name);

#endif
