/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates_renew.h"

#include "fabricbind/own.h"
#include "sign.h"
#include "tls.h"

#include <stdlib.h>
#include <string.h>

/* One renewal under way. */
struct work {
    struct fb_arena *arena;
    struct fb_secret *secret;
    const struct fb_renew_terms *terms;
    struct fb_error *why;
};

static void text_freep(char **at)
{
    free(*at);
}

static void secret_freep(char **at)
{
    if (*at != NULL)
        explicit_bzero(*at, strlen(*at));
    free(*at);
}

static enum fb_status get(const struct work *work, const char *key, const char **ret,
                          struct fb_error *err)
{
    return fb_secret_text(work->arena, work->secret, key, ret, err);
}

static enum fb_status set(struct work *work, const char *key, const char *text,
                          struct fb_error *err)
{
    return fb_secret_set(work->arena, work->secret, key, text, err);
}

/* A pair of the Secret, borrowed from the arena: not to be ended. */
static enum fb_status get_pair(const struct work *work, const char *cert_key, const char *key_key,
                               struct fb_tls_pair *ret, struct fb_error *err)
{
    const char *cert = "";
    const char *key = "";
    enum fb_status st = get(work, cert_key, &cert, err);

    if (st == FB_OK)
        st = get(work, key_key, &key, err);
    if (st != FB_OK)
        return st;
    ret->cert_pem = fb_arena_alloc(work->arena, strlen(cert) + 1);
    ret->key_pem = fb_arena_alloc(work->arena, strlen(key) + 1);
    if (ret->cert_pem == NULL || ret->key_pem == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    memcpy(ret->cert_pem, cert, strlen(cert) + 1);
    memcpy(ret->key_pem, key, strlen(key) + 1);
    return FB_OK;
}

/* @st, and what it is about where it is a failure. */
static enum fb_status pass(enum fb_status st, const struct fb_error *why, struct fb_error *err)
{
    return st == FB_OK ? st : fb_error_set(err, st, "%s", why->text);
}

/* FB_EINPUT with a reason when @pair is to be made anew. */
static enum fb_status judge(const struct fb_tls_pair *pair, const struct fb_tls_demand *demand,
                            struct fb_error *ret_why)
{
    struct fb_tls_life life = {0};
    enum fb_status st;

    if (pair->cert_pem[0] == '\0')
        return fb_error_set(ret_why, FB_EINPUT, "there is none");
    st = fb_tls_check(pair, demand, ret_why);
    if (st == FB_OK)
        st = fb_tls_read_life(pair->cert_pem, &life, ret_why);
    if (st == FB_OK && demand->now_s >= life.begins_s + (life.ends_s - life.begins_s) / 3 * 2)
        return fb_error_set(ret_why, FB_EINPUT, "two thirds of its life are over");
    return st;
}

/* The first certificate of @pem alone, cut off behind its end. */
static void cut_first(char *pem)
{
    static const char end[] = "-----END CERTIFICATE-----";
    char *at = strstr(pem, end);

    if (at != NULL && at[strlen(end)] == '\n')
        at[strlen(end) + 1] = '\0';
}

static enum fb_status make_authority(struct work *work, const char *before, struct fb_error *err)
{
    const struct fb_renew_terms *terms = work->terms;
    FB_OWNED(fb_tls_pair_fini) struct fb_tls_pair made = {0};
    FB_OWNED(text_freep) char *with_before = NULL;
    FB_OWNED(text_freep) char *bundle = NULL;
    enum fb_status st = fb_tls_make_authority(terms->now_s, terms->authority_days, &made, err);

    if (st == FB_OK)
        st = fb_tls_join(made.cert_pem, before, terms->now_s, &with_before, err);
    if (st == FB_OK)
        st = fb_tls_join(with_before, terms->known, terms->now_s, &bundle, err);
    if (st == FB_OK)
        st = set(work, FB_SECRET_AUTHORITIES, bundle, err);
    return st == FB_OK ? set(work, FB_SECRET_AUTHORITY_KEY, made.key_pem, err) : st;
}

static enum fb_status renew_authority(struct work *work, bool *ret_made, struct fb_error *err)
{
    const struct fb_tls_demand demand = {.now_s = work->terms->now_s};
    struct fb_tls_pair pair = {0};
    enum fb_status st = get_pair(work, FB_SECRET_AUTHORITIES, FB_SECRET_AUTHORITY_KEY, &pair, err);

    if (st != FB_OK)
        return st;
    st = judge(&pair, &demand, work->why);
    *ret_made = st == FB_EINPUT;
    if (st != FB_EINPUT)
        return pass(st, work->why, err);
    (void)fb_error_prefix(work->why, st, "authority");
    return make_authority(work, pair.cert_pem, err);
}

static enum fb_status make_cert(struct work *work, struct fb_tls_pair *authority,
                                struct fb_error *err)
{
    const struct fb_renew_terms *terms = work->terms;
    FB_OWNED(fb_tls_pair_fini) struct fb_tls_pair made = {0};
    enum fb_status st =
        fb_tls_make_server(authority, terms->names, terms->now_s, terms->days, &made, err);

    if (st == FB_OK)
        st = set(work, FB_SECRET_CERT, made.cert_pem, err);
    return st == FB_OK ? set(work, FB_SECRET_KEY, made.key_pem, err) : st;
}

static enum fb_status renew_cert(struct work *work, bool new_authority, struct fb_error *err)
{
    const struct fb_renew_terms *terms = work->terms;
    struct fb_tls_pair authority = {0};
    struct fb_tls_pair pair = {0};
    struct fb_tls_demand demand = {.names = terms->names, .now_s = terms->now_s};
    enum fb_status st =
        get_pair(work, FB_SECRET_AUTHORITIES, FB_SECRET_AUTHORITY_KEY, &authority, err);

    if (st == FB_OK)
        st = get_pair(work, FB_SECRET_CERT, FB_SECRET_KEY, &pair, err);
    if (st != FB_OK || new_authority)
        return st == FB_OK ? make_cert(work, &authority, err) : st;
    demand.bundle_pem = authority.cert_pem;
    st = judge(&pair, &demand, work->why);
    if (st != FB_EINPUT)
        return pass(st, work->why, err);
    (void)fb_error_prefix(work->why, st, "server");
    cut_first(authority.cert_pem);
    st = set(work, FB_SECRET_AUTHORITIES, authority.cert_pem, err);
    return st == FB_OK ? make_cert(work, &authority, err) : st;
}

static enum fb_status make_signing(struct work *work, struct fb_error *err)
{
    FB_OWNED(secret_freep) char *key = NULL;
    FB_OWNED(text_freep) char *public = NULL;
    enum fb_status st = fb_sign_make(&key, err);

    if (st == FB_OK)
        st = fb_sign_public(key, &public, err);
    if (st == FB_OK)
        st = set(work, FB_SECRET_SIGNING_KEY, key, err);
    return st == FB_OK ? set(work, FB_SECRET_SIGNING_PUBLIC, public, err) : st;
}

static enum fb_status renew_signing(struct work *work, struct fb_error *err)
{
    FB_OWNED(text_freep) char *public = NULL;
    struct fb_error why = {0};
    const char *key = "";
    const char *shown = "";
    enum fb_status st = get(work, FB_SECRET_SIGNING_KEY, &key, err);

    if (st == FB_OK)
        st = get(work, FB_SECRET_SIGNING_PUBLIC, &shown, err);
    if (st != FB_OK)
        return st;
    st = key[0] == '\0' ? fb_error_set(&why, FB_EINPUT, "signing key: there is none")
                        : fb_sign_public(key, &public, &why);
    if (st != FB_OK && st != FB_EINPUT)
        return pass(st, &why, err);
    if (st == FB_OK && public != NULL && strcmp(public, shown) == 0)
        return FB_OK;
    if (work->why->text[0] == '\0')
        *work->why = why;
    if (st != FB_OK)
        return make_signing(work, err);
    if (work->why->text[0] == '\0')
        (void)fb_error_set(work->why, FB_EINPUT, "signing key: its public part is not shown");
    return set(work, FB_SECRET_SIGNING_PUBLIC, public, err);
}

enum fb_status fb_certificates_renew(struct fb_arena *arena, struct fb_secret *secret,
                                     const struct fb_renew_terms *terms, struct fb_error *ret_why,
                                     struct fb_error *err)
{
    struct fb_secret next = *secret;
    struct fb_error why = {0};
    struct work work = {arena, &next, terms, &why};
    bool new_authority = false;
    enum fb_status st = FB_OK;

    if (terms->wants_cert)
        st = renew_authority(&work, &new_authority, err);
    if (st == FB_OK && terms->wants_cert)
        st = renew_cert(&work, new_authority, err);
    if (st == FB_OK)
        st = renew_signing(&work, err);
    if (st != FB_OK)
        return st;
    *ret_why = why;
    *secret = next;
    return FB_OK;
}
