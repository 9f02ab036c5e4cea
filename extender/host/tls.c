/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include "fabricbind/own.h"
#include "tls_openssl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void store_freep(X509_STORE **at)
{
    X509_STORE_free(*at);
}

static void context_freep(X509_STORE_CTX **at)
{
    X509_STORE_CTX_free(*at);
}

void fb_tls_pair_fini(struct fb_tls_pair *pair)
{
    free(pair->cert_pem);
    if (pair->key_pem != NULL)
        explicit_bzero(pair->key_pem, strlen(pair->key_pem));
    free(pair->key_pem);
    *pair = (struct fb_tls_pair){NULL, NULL};
}

enum fb_status fb_tls_read_life(const char *cert_pem, struct fb_tls_life *ret, struct fb_error *err)
{
    FB_OWNED(fb_ossl_certs_freep) STACK_OF(X509) *certs = fb_ossl_certs(cert_pem);

    if (certs == NULL)
        return fb_ossl_failed(FB_EINPUT, "certificate", err);
    *ret = fb_ossl_life(sk_X509_value(certs, 0));
    return FB_OK;
}

static enum fb_status check_names(X509 *cert, const struct fb_texts *names, struct fb_error *err)
{
    for (size_t i = 0; names != NULL && i < names->len; i++) {
        const char *name = names->at[i];
        int covered = fb_ossl_is_address(name) ? X509_check_ip_asc(cert, name, 0)
                                               : X509_check_host(cert, name, 0, 0, NULL);

        if (covered != 1)
            return fb_error_set(err, FB_EINPUT, "certificate: is not for %s", name);
    }
    return FB_OK;
}

static X509_STORE *store_of(STACK_OF(X509) *trusted)
{
    FB_OWNED(store_freep) X509_STORE *store = X509_STORE_new();

    if (store == NULL)
        return NULL;
    for (int i = 0; i < sk_X509_num(trusted); i++) {
        if (X509_STORE_add_cert(store, sk_X509_value(trusted, i)) != 1)
            return NULL;
    }
    return FB_TAKE(store);
}

/* Does the first of @chain lead to one of @trusted, by way of the others, at @now_s. */
static enum fb_status verify(STACK_OF(X509) *chain, STACK_OF(X509) *trusted, int64_t now_s,
                             struct fb_error *err)
{
    FB_OWNED(store_freep) X509_STORE *store = store_of(trusted);
    FB_OWNED(context_freep) X509_STORE_CTX *context = X509_STORE_CTX_new();
    int fault;

    if (store == NULL || context == NULL ||
        X509_STORE_CTX_init(context, store, sk_X509_value(chain, 0), chain) != 1 ||
        X509_STORE_CTX_set_default(context, "ssl_server") != 1)
        return fb_ossl_failed(FB_EIO, "certificate", err);
    X509_STORE_CTX_set_time(context, 0, (time_t)now_s);
    if (X509_verify_cert(context) == 1)
        return FB_OK;
    fault = X509_STORE_CTX_get_error(context);
    ERR_clear_error();
    if (fault == X509_V_ERR_OUT_OF_MEM)
        return fb_ossl_no_memory(err);
    return fb_error_set(err, FB_EINPUT, "certificate: %s", X509_verify_cert_error_string(fault));
}

static enum fb_status check_life(const X509 *cert, int64_t now_s, struct fb_error *err)
{
    struct fb_tls_life life = fb_ossl_life(cert);

    if (now_s >= life.ends_s)
        return fb_error_set(err, FB_EINPUT, "certificate: certificate has expired");
    if (now_s < life.begins_s)
        return fb_error_set(err, FB_EINPUT, "certificate: certificate is not yet valid");
    return FB_OK;
}

enum fb_status fb_tls_check(const struct fb_tls_pair *pair, const struct fb_tls_demand *demand,
                            struct fb_error *err)
{
    FB_OWNED(fb_ossl_certs_freep) STACK_OF(X509) *chain = fb_ossl_certs(pair->cert_pem);
    FB_OWNED(fb_ossl_certs_freep) STACK_OF(X509) *trusted = NULL;
    FB_OWNED(fb_ossl_key_freep) EVP_PKEY *key = NULL;
    enum fb_status st;

    if (chain == NULL)
        return fb_ossl_failed(FB_EINPUT, "certificate", err);
    key = fb_ossl_key(pair->key_pem);
    if (key == NULL)
        return fb_ossl_failed(FB_EINPUT, "key", err);
    if (X509_check_private_key(sk_X509_value(chain, 0), key) != 1) {
        ERR_clear_error();
        return fb_error_set(err, FB_EINPUT, "key: is not that of the certificate");
    }
    st = check_life(sk_X509_value(chain, 0), demand->now_s, err);
    if (st == FB_OK)
        st = check_names(sk_X509_value(chain, 0), demand->names, err);
    if (st != FB_OK || demand->bundle_pem == NULL)
        return st;
    trusted = fb_ossl_certs(demand->bundle_pem);
    if (trusted == NULL)
        return fb_ossl_failed(FB_EINPUT, "authorities", err);
    return verify(chain, trusted, demand->now_s, err);
}

static bool has(STACK_OF(X509) *certs, int len, const X509 *cert)
{
    for (int i = 0; i < len; i++) {
        if (X509_cmp(sk_X509_value(certs, i), cert) == 0)
            return true;
    }
    return false;
}

/* Append those of @certs that are neither ended nor among the @before of @earlier. */
static bool print_certs(BIO *bio, STACK_OF(X509) *certs, STACK_OF(X509) *earlier, int64_t now_s,
                        int *left)
{
    for (int i = 0; i < sk_X509_num(certs) && *left > 0; i++) {
        X509 *cert = sk_X509_value(certs, i);

        if (has(certs, i, cert) || has(earlier, sk_X509_num(earlier), cert) ||
            fb_ossl_life(cert).ends_s <= now_s)
            continue;
        if (PEM_write_bio_X509(bio, cert) != 1)
            return false;
        --*left;
    }
    return true;
}

enum fb_status fb_tls_join(const char *first, const char *second, int64_t now_s, char **ret,
                           struct fb_error *err)
{
    FB_OWNED(fb_ossl_bio_freep) BIO *bio = BIO_new(BIO_s_mem());
    FB_OWNED(fb_ossl_certs_freep) STACK_OF(X509) *a = NULL;
    FB_OWNED(fb_ossl_certs_freep) STACK_OF(X509) *b = NULL;
    int left = FB_TLS_AUTHORITIES;

    if (first != NULL && first[0] != '\0') {
        a = fb_ossl_certs(first);
        if (a == NULL)
            return fb_ossl_failed(FB_EINPUT, "authorities", err);
    }
    if (second != NULL)
        b = fb_ossl_certs(second);
    ERR_clear_error();
    if (bio == NULL || !print_certs(bio, a, NULL, now_s, &left) ||
        !print_certs(bio, b, a, now_s, &left))
        return fb_ossl_no_memory(err);
    *ret = fb_ossl_text(bio);
    return *ret != NULL ? FB_OK : fb_ossl_no_memory(err);
}
