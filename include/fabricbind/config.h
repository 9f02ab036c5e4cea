/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_CONFIG_H
#define FB_CONFIG_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/policy.h"
#include "fabricbind/settings.h"

#include <stdbool.h>
#include <stddef.h>

/** The configuration file, and NeMo Helix's block of a values.yaml. */

enum fb_mode {
    FB_MODE_ENFORCE,
    FB_MODE_OBSERVE, /* decide, count and log, change nothing */
};

/** How a scheduler is coupled; see design: Routes, answers, wirings. */
enum fb_wiring {
    FB_WIRING_FULL,
    FB_WIRING_SCORE,
    FB_WIRING_LEAN,
};

enum fb_transport {
    FB_TRANSPORT_PREFER,
    FB_TRANSPORT_REQUIRE, /* NCCL fails instead of falling back to TCP */
};

/** What becomes of a node when a request cannot be read. */
enum fb_on_fault {
    FB_ON_FAULT_PASS,
    FB_ON_FAULT_REJECT,
};

/** Bounds on what others send; each at least 1. */
struct fb_limits {
    size_t file_bytes;   /* one file of a snapshot */
    size_t body_bytes;   /* one request */
    size_t depth;        /* nested objects and arrays of JSON */
    size_t string_bytes; /* one string of JSON */
    size_t nodes, pods;  /* objects of an inventory */
};

/** "host:port" each. */
struct fb_listen {
    const char *extender, *admission, *metrics;
};

/** How the API server reaches the admission webhooks, and what it is told of them. */
struct fb_admission_config {
    const char *name; /* of the MutatingWebhookConfiguration */
    struct {
        const char *space; /* "": the program's own namespace */
        const char *name;
        size_t port;
    } service;
    const char *url;                /* asked instead of the service, without a path; "": none */
    const char *secret;             /* keeps the certificate made by the program, and its keys */
    const char *cert_file;          /* PEM, used instead of the Secret's; "": the Secret's */
    const char *key_file;           /* PEM; "" where cert_file is "" */
    const char *ca_file;            /* PEM, given to the API server with cert_file; "": none */
    struct fb_texts exclude_spaces; /* namespaces whose objects are never sent */
    size_t timeout_s;               /* 1 to 30 */
    bool is_registered;             /* by the program itself, which repairs it, too */
};

/** Texts and arrays live in the arena that the configuration was read with. */
struct fb_config {
    struct fb_settings settings;
    const char *network_attachment; /* the Multus network of a NIC; NULL: the policy's */
    enum fb_mode mode;
    enum fb_wiring wiring;
    enum fb_transport transport;
    enum fb_on_fault on_fault;
    struct fb_limits limits;
    struct fb_listen listen;
    struct fb_admission_config admission;
    const char *provider_by; /* the key that chose the provider; NULL: none, it is the default */
};

/** One key, for help and tables. */
struct fb_config_key {
    const char *key;      /* "limits.fileBytes" */
    const char *fallback; /* its default as YAML; "": none */
    const char *help;     /* one line */
};

/** The @at-th key in the order of the design's example; NULL behind the last. */
const struct fb_config_key *fb_config_keys(size_t at);

/** Give every key its default. Returns FB_OK or FB_ENOMEM; @ret is written on success only. */
enum fb_status fb_config_defaults(struct fb_arena *arena, struct fb_config *ret) FB_CHECK;

/**
 * Read @len bytes of a configuration file over what @config holds; keys that are absent or null
 * stay. An empty file is fine.
 *
 * @policies  what providers there are, and which keys each has in multinodeNetworking
 *
 * Returns FB_OK; FB_EINPUT or FB_ELIMIT with line and key ("line 7: placment: unknown key, nearest
 * is 'placement'", "line 1: multinodeNetworking: a and b are both enabled"); FB_ENOMEM. @config is
 * as before on failure.
 */
enum fb_status fb_config_read(struct fb_arena *arena, struct fb_config *config,
                              const struct fb_policies *policies, const char *text, size_t len,
                              struct fb_error *err) FB_CHECK;

/**
 * The same for a whole values.yaml of NeMo Helix: only multinodeNetworking is read, which must be
 * there; what stands beside it is ignored. A ratio that is not given is auto, not the chart's
 * default.
 */
enum fb_status fb_config_read_helix(struct fb_arena *arena, struct fb_config *config,
                                    const struct fb_policies *policies, const char *text,
                                    size_t len, struct fb_error *err) FB_CHECK;

/**
 * Check what no single key can tell, once all files are read: the shapes expected are known, the
 * parts of the score are at most 1 together, no address is listened on twice
 * (port 0, a free one each time, may stand twice), the files of a certificate come together.
 *
 * Returns FB_OK; FB_EINPUT with the key, without a line.
 */
enum fb_status fb_config_finish(const struct fb_config *config, const struct fb_policies *policies,
                                struct fb_error *err) FB_CHECK;

#endif
