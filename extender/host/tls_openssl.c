/* SPDX-License-Identifier: Apache-2.0 */
#include "tls_openssl.h"

#include "fabricbind/own.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void fb_ossl_bio_freep(BIO **at)
{
    BIO_free(*at);
}

void fb_ossl_key_freep(EVP_PKEY **at)
{
    EVP_PKEY_free(*at);
}

void fb_ossl_certs_freep(STACK_OF(X509) **at)
{
    sk_X509_pop_free(*at, X509_free);
}

enum fb_status fb_ossl_no_memory(struct fb_error *err)
{
    return fb_error_set(err, FB_ENOMEM, "out of memory");
}

enum fb_status fb_ossl_failed(enum fb_status st, const char *what, struct fb_error *err)
{
    unsigned long code = ERR_peek_error();
    const char *reason = ERR_reason_error_string(code);

    ERR_clear_error();
    if (ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE)
        return fb_ossl_no_memory(err);
    return fb_error_set(err, st, "%s: %s", what, reason == NULL ? "refused by OpenSSL" : reason);
}

char *fb_ossl_text(BIO *bio)
{
    char *bytes = NULL;
    long len = BIO_get_mem_data(bio, &bytes);
    char *text = len < 0 ? NULL : malloc((size_t)len + 1);

    if (text == NULL)
        return NULL;
    if (len > 0)
        memcpy(text, bytes, (size_t)len);
    text[len] = '\0';
    return text;
}

/* Without it the library would ask at the terminal for a key that is encrypted. */
static int no_password(char *text, int size, int writes, void *context)
{
    (void)text;
    (void)size;
    (void)writes;
    (void)context;
    return -1;
}

static BIO *bio_of(const char *pem)
{
    size_t len = strlen(pem);

    return len > FB_TLS_PEM_BYTES ? NULL : BIO_new_mem_buf(pem, (int)len);
}

EVP_PKEY *fb_ossl_key(const char *pem)
{
    FB_OWNED(fb_ossl_bio_freep) BIO *bio = bio_of(pem);

    return bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
}

STACK_OF(X509) *fb_ossl_certs(const char *pem)
{
    FB_OWNED(fb_ossl_bio_freep) BIO *bio = bio_of(pem);
    FB_OWNED(fb_ossl_certs_freep) STACK_OF(X509) *certs = sk_X509_new_null();
    X509 *cert = NULL;

    if (bio == NULL || certs == NULL)
        return NULL;
    while ((cert = PEM_read_bio_X509(bio, NULL, no_password, NULL)) != NULL) {
        if (sk_X509_push(certs, cert) == 0) {
            X509_free(cert);
            return NULL;
        }
    }
    if (sk_X509_num(certs) == 0 || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        return NULL;
    ERR_clear_error();
    return FB_TAKE(certs);
}

bool fb_ossl_is_address(const char *name)
{
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(name);
    bool is = address != NULL;

    ASN1_OCTET_STRING_free(address);
    ERR_clear_error();
    return is;
}

/* @time is checked when it is read, so that it always is one. */
static int64_t seconds_of(const ASN1_TIME *time)
{
    struct tm broken = {0};

    return ASN1_TIME_to_tm(time, &broken) == 1 ? (int64_t)timegm(&broken) : 0;
}

struct fb_tls_life fb_ossl_life(const X509 *cert)
{
    return (struct fb_tls_life){seconds_of(X509_get0_notBefore(cert)),
                                seconds_of(X509_get0_notAfter(cert))};
}
