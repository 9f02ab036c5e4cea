/* SPDX-License-Identifier: Apache-2.0 */
#include "server_tls.h"

#include "fabricbind/own.h"

#include <assert.h>
#include <gnutls/abstract.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ID_BYTES 64

/* Read only once made. */
struct fb_server_identity {
    atomic_uint holders;
    gnutls_pcert_st chain[FB_SERVER_TLS_CHAIN];
    unsigned len;
    gnutls_privkey_t key;
};

struct fb_server_tls {
    pthread_mutex_t lock; /* of current */
    struct fb_server_identity *current;
};

static void identity_release(struct fb_server_identity *identity)
{
    if (identity == NULL || atomic_fetch_sub(&identity->holders, 1) > 1)
        return;
    for (unsigned i = 0; i < identity->len; i++)
        gnutls_pcert_deinit(&identity->chain[i]);
    if (identity->key != NULL)
        gnutls_privkey_deinit(identity->key);
    free(identity);
}

static void identity_releasep(struct fb_server_identity **at)
{
    identity_release(*at);
}

static void pubkey_deinitp(gnutls_pubkey_t *key)
{
    if (*key != NULL)
        gnutls_pubkey_deinit(*key);
}

static enum fb_status failed(const char *what, int code, struct fb_error *err)
{
    if (code == GNUTLS_E_MEMORY_ERROR)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    return fb_error_set(err, FB_EINPUT, "%s: %s", what, gnutls_strerror(code));
}

/* The library takes what it only reads as unsigned char *. */
static gnutls_datum_t datum_of(const char *text)
{
    union {
        const char *constant;
        unsigned char *any;
    } bytes = {.constant = text};

    return (gnutls_datum_t){bytes.any, (unsigned)strlen(text)};
}

static enum fb_status read_chain(struct fb_server_identity *identity, const char *pem,
                                 struct fb_error *err)
{
    gnutls_datum_t data = datum_of(pem);
    unsigned len = FB_SERVER_TLS_CHAIN;
    int code = gnutls_pcert_list_import_x509_raw(identity->chain, &len, &data, GNUTLS_X509_FMT_PEM,
                                                 GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED);

    if (code == GNUTLS_E_SHORT_MEMORY_BUFFER)
        return fb_error_set(err, FB_ELIMIT, "certificate: more than %d in a chain",
                            FB_SERVER_TLS_CHAIN);
    if (code < 0)
        return failed("certificate", code, err);
    identity->len = len;
    return FB_OK;
}

static enum fb_status read_key(struct fb_server_identity *identity, const char *pem,
                               struct fb_error *err)
{
    gnutls_datum_t data = datum_of(pem);
    int code = gnutls_privkey_init(&identity->key);

    if (code == 0)
        code = gnutls_privkey_import_x509_raw(identity->key, &data, GNUTLS_X509_FMT_PEM, NULL, 0);
    return code < 0 ? failed("key", code, err) : FB_OK;
}

static enum fb_status check_key(const struct fb_server_identity *identity, struct fb_error *err)
{
    FB_OWNED(pubkey_deinitp) gnutls_pubkey_t own = NULL;
    unsigned char ids[2][KEY_ID_BYTES];
    size_t lens[2] = {KEY_ID_BYTES, KEY_ID_BYTES};
    int code = gnutls_pubkey_init(&own);

    if (code == 0)
        code = gnutls_pubkey_import_privkey(own, identity->key, 0, 0);
    if (code == 0)
        code = gnutls_pubkey_get_key_id(own, GNUTLS_KEYID_USE_SHA256, ids[0], &lens[0]);
    if (code == 0)
        code = gnutls_pubkey_get_key_id(identity->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, ids[1],
                                        &lens[1]);
    if (code < 0)
        return failed("key", code, err);
    if (lens[0] != lens[1] || memcmp(ids[0], ids[1], lens[0]) != 0)
        return fb_error_set(err, FB_EINPUT, "key: is not that of the certificate");
    return FB_OK;
}

enum fb_status fb_server_tls_new(struct fb_server_tls **ret, struct fb_error *err)
{
    struct fb_server_tls *tls = calloc(1, sizeof *tls);

    if (tls == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    (void)pthread_mutex_init(&tls->lock, NULL);
    *ret = tls;
    return FB_OK;
}

void fb_server_tls_free(struct fb_server_tls *tls)
{
    if (tls == NULL)
        return;
    identity_release(tls->current);
    (void)pthread_mutex_destroy(&tls->lock);
    free(tls);
}

void fb_server_tls_freep(struct fb_server_tls **tls)
{
    fb_server_tls_free(*tls);
}

enum fb_status fb_server_tls_set(struct fb_server_tls *tls, const char *cert_pem,
                                 const char *key_pem, struct fb_error *err)
{
    FB_OWNED(identity_releasep) struct fb_server_identity *next = calloc(1, sizeof *next);
    struct fb_server_identity *old;
    enum fb_status st;

    if (next == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    atomic_init(&next->holders, 1);
    st = read_chain(next, cert_pem, err);
    if (st == FB_OK)
        st = read_key(next, key_pem, err);
    if (st == FB_OK)
        st = check_key(next, err);
    if (st != FB_OK)
        return st;
    (void)pthread_mutex_lock(&tls->lock);
    old = tls->current;
    tls->current = FB_TAKE(next);
    (void)pthread_mutex_unlock(&tls->lock);
    identity_release(old);
    return FB_OK;
}

struct fb_server_identity *fb_server_tls_open(struct fb_server_tls *tls, void *session)
{
    struct fb_server_identity *identity;

    (void)pthread_mutex_lock(&tls->lock);
    identity = tls->current;
    if (identity != NULL)
        atomic_fetch_add(&identity->holders, 1);
    (void)pthread_mutex_unlock(&tls->lock);
    if (identity != NULL)
        gnutls_session_set_ptr(session, identity);
    return identity;
}

void fb_server_tls_close(struct fb_server_identity *identity)
{
    identity_release(identity);
}

/* NOLINTNEXTLINE(readability-function-size): the library wants these parameters */
static int retrieve(gnutls_session_t session, const gnutls_datum_t *authorities,
                    int authorities_len, const gnutls_pk_algorithm_t *algorithms,
                    int algorithms_len, gnutls_pcert_st **ret_chain, unsigned *ret_len,
                    gnutls_privkey_t *ret_key)
{
    struct fb_server_identity *identity = gnutls_session_get_ptr(session);

    (void)authorities;
    (void)authorities_len;
    (void)algorithms;
    (void)algorithms_len;
    if (identity == NULL)
        return -1;
    *ret_chain = identity->chain;
    *ret_len = identity->len;
    *ret_key = identity->key;
    return 0;
}

void *fb_server_tls_callback(void)
{
    static gnutls_certificate_retrieve_function2 *const function = retrieve;
    void *ret;

    /* A function's address as libmicrohttpd's arguments want it. */
    static_assert(sizeof ret == sizeof function, "addresses of functions fit");
    memcpy(&ret, &function, sizeof ret);
    return ret;
}
