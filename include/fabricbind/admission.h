/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_ADMISSION_H
#define FB_ADMISSION_H

#include "fabricbind/arena.h"
#include "fabricbind/error.h"
#include "fabricbind/job.h"
#include "fabricbind/json.h"
#include "fabricbind/patch.h"
#include "fabricbind/podspec.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * What an API server asks its admission webhooks, and what they answer.
 * Source: k8s.io/api/admission/v1.
 */

#define FB_REVIEW_BYTES ((size_t)8 << 20) /* of one body */

/** An API server cuts warnings that are longer, and drops them beyond 4 KiB in all. */
#define FB_REVIEW_WARNINGS 20
#define FB_REVIEW_WARNING_BYTES ((size_t)256)

/** What objects are read by: immutable, shared by threads. */
struct fb_review_formats;

/** @ret is set on success only; free with fb_review_formats_free(). Returns FB_OK; FB_ENOMEM. */
enum fb_status fb_review_formats_new(struct fb_review_formats **ret, struct fb_error *err) FB_CHECK;
void fb_review_formats_free(struct fb_review_formats *formats);
void fb_review_formats_freep(struct fb_review_formats **formats);

/** The request of an AdmissionReview. Texts are "" where they are absent, and live as long as the
 * arena; the object lives as long as the review. */
struct fb_review {
    const char *uid; /* never "" */
    const char *group, *kind;
    const char *space, *name;
    const char *operation, *subresource;
    const char *user;
    bool dry_run;
    const struct fb_json_node *object; /* NULL: none */
    struct fb_json json;               /* owns the object */
    const char *body;                  /* borrowed from the caller, len bytes */
    size_t len;
};

/**
 * Read the body of a webhook's request.
 *
 * @body  len bytes of JSON; need not end in NUL; must outlive @ret
 * @ret   set on success only; end it with fb_review_fini()
 *
 * Returns FB_OK; FB_EINPUT ("apiVersion: 'admission.k8s.io/v1beta1' is not admission.k8s.io/v1",
 * "request.uid: not given", "byte 17: ..."); FB_ELIMIT for more than FB_REVIEW_BYTES or than the
 * bounds of json.h; FB_ENOMEM.
 */
enum fb_status fb_review_decode(struct fb_arena *arena, const char *body, size_t len,
                                struct fb_review *ret, struct fb_error *err) FB_CHECK;
void fb_review_fini(struct fb_review *review);

/** A pod or owner in a review. A pod of generateName has neither name nor UID yet. */
struct fb_review_pod {
    struct fb_pod pod; /* space is the request's */
    struct fb_podspec spec;
    const char *called; /* its name, else its generateName, else "" */
};

/**
 * The Pod of @review.
 *
 * @ret  in @arena, filled on success
 *
 * Returns FB_OK; FB_EINPUT and FB_ELIMIT with the place, below request.object; FB_ENOMEM.
 */
enum fb_status fb_review_read_pod(const struct fb_review_formats *formats, struct fb_arena *arena,
                                  const struct fb_review *review, struct fb_review_pod *ret,
                                  struct fb_error *err) FB_CHECK;

/** The Volcano Job of @review. @ret_specs: by task. Otherwise as fb_review_read_pod(). */
enum fb_status fb_review_read_job(const struct fb_review_formats *formats, struct fb_arena *arena,
                                  const struct fb_review *review, struct fb_job *ret,
                                  struct fb_podspec **ret_specs, struct fb_error *err) FB_CHECK;

/** A Binding of v1: a pod is put on a node, and its annotations are put on the pod. */
struct fb_binding {
    const char *name, *uid; /* of the pod; uid "" where it is not told */
    const char *kind;       /* of the target; "" stands for Node */
    const char *node;       /* name of the target */
    bool has_metadata, has_annotations;
    struct fb_pairs annotations; /* all of them */
};

/** The Binding of @review; as fb_review_read_pod(). */
enum fb_status fb_review_read_binding(struct fb_arena *arena, const struct fb_review *review,
                                      struct fb_binding *ret, struct fb_error *err) FB_CHECK;

/** What is answered. */
struct fb_review_answer {
    bool allowed;
    unsigned code;                   /* of a denial: 403 */
    const char *reason, *message;    /* of a denial: "Forbidden", and why */
    const struct fb_patch *patch;    /* NULL or empty: none; not sent with a denial */
    const struct fb_texts *warnings; /* printed for who submits; NULL: none. Of each the first
                                        FB_REVIEW_WARNING_BYTES, "?" for control characters */
};

/** An AdmissionReview of the caller's to free(), NULL when out of memory. */
char *fb_review_encode(const char *uid, const struct fb_review_answer *answer);

#endif
