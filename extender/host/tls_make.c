/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include "fabricbind/own.h"
#include "tls_openssl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_S ((int64_t)24 * 3600)
#define SERIAL_BITS 127

static void cert_freep(X509 **at)
{
    X509_free(*at);
}

static void serial_freep(BIGNUM **at)
{
    BN_free(*at);
}

static enum fb_status print_pair(X509 *cert, const EVP_PKEY *key, struct fb_tls_pair *ret,
                                 struct fb_error *err)
{
    FB_OWNED(fb_ossl_bio_freep) BIO *cert_bio = BIO_new(BIO_s_mem());
    FB_OWNED(fb_ossl_bio_freep) BIO *key_bio = BIO_new(BIO_s_secmem());

    if (cert_bio == NULL || key_bio == NULL)
        return fb_ossl_no_memory(err);
    if (PEM_write_bio_X509(cert_bio, cert) != 1 ||
        PEM_write_bio_PrivateKey(key_bio, key, NULL, NULL, 0, NULL, NULL) != 1)
        return fb_ossl_failed(FB_EIO, "writing a certificate", err);
    ret->cert_pem = fb_ossl_text(cert_bio);
    ret->key_pem = fb_ossl_text(key_bio);
    return ret->cert_pem != NULL && ret->key_pem != NULL ? FB_OK : fb_ossl_no_memory(err);
}

static bool set_serial(X509 *cert)
{
    FB_OWNED(serial_freep) BIGNUM *serial = BN_new();

    return serial != NULL &&
           BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
           BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert)) != NULL;
}

static bool set_life(X509 *cert, const struct fb_tls_life *life)
{
    return ASN1_TIME_set(X509_getm_notBefore(cert), (time_t)life->begins_s) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(cert), (time_t)life->ends_s) != NULL;
}

/* Authorities of one name are told apart by their keys' identifiers. */
static bool set_names(X509 *cert, const char *name, const X509 *issuer)
{
    X509_NAME *subject = X509_get_subject_name(cert);

    return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1,
                                      -1, 0) == 1 &&
           X509_set_issuer_name(cert, X509_get_subject_name(issuer == NULL ? cert : issuer)) == 1;
}

/* An extension of a certificate, as OpenSSL's configuration has it. */
struct extension {
    int nid;
    const char *value;
};

static bool add_extension(X509 *cert, X509 *issuer, const struct extension *extension)
{
    X509V3_CTX context;
    X509_EXTENSION *made;
    bool done;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    made = X509V3_EXT_conf_nid(NULL, &context, extension->nid, extension->value);
    done = made != NULL && X509_add_ext(cert, made, -1) == 1;
    X509_EXTENSION_free(made);
    return done;
}

static bool add_extensions(X509 *cert, X509 *issuer, const struct extension *extensions)
{
    for (; extensions->value != NULL; extensions++) {
        if (!add_extension(cert, issuer, extensions))
            return false;
    }
    return true;
}

/* A certificate about to be signed; the issuer is itself when NULL. */
struct draft {
    const char *name;
    struct fb_tls_life life;
    X509 *issuer;
    EVP_PKEY *issuer_key;
    const struct extension *extensions; /* ends in one without a value */
};

static enum fb_status sign(const struct draft *draft, struct fb_tls_pair *ret, struct fb_error *err)
{
    FB_OWNED(fb_ossl_key_freep) EVP_PKEY *key = EVP_EC_gen("P-256");
    FB_OWNED(cert_freep) X509 *cert = X509_new();
    X509 *issuer = draft->issuer == NULL ? cert : draft->issuer;

    if (key == NULL || cert == NULL || X509_set_version(cert, X509_VERSION_3) != 1 ||
        !set_serial(cert) || !set_life(cert, &draft->life) || X509_set_pubkey(cert, key) != 1 ||
        !set_names(cert, draft->name, draft->issuer) ||
        !add_extensions(cert, issuer, draft->extensions) ||
        X509_sign(cert, draft->issuer_key == NULL ? key : draft->issuer_key, EVP_sha256()) <= 0)
        return fb_ossl_failed(FB_EIO, "making a certificate", err);
    return print_pair(cert, key, ret, err);
}

enum fb_status fb_tls_make_authority(int64_t now_s, int64_t days, struct fb_tls_pair *ret,
                                     struct fb_error *err)
{
    static const struct extension extensions[] = {
        {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
        {NID_key_usage, "critical,keyCertSign,cRLSign"},
        {NID_ext_key_usage, "serverAuth"},
        {NID_subject_key_identifier, "hash"},
        {0, NULL},
    };
    const struct draft draft = {
        .name = "fabricbind admission authority",
        .life = {now_s - FB_TLS_BACKDATE_S, now_s + days * DAY_S},
        .extensions = extensions,
    };

    return sign(&draft, ret, err);
}

static bool is_dns_name(const char *name)
{
    return name[0] != '\0' && strlen(name) <= 253 &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.")] ==
               '\0';
}

/* "DNS:a.svc,IP:127.0.0.1" of the caller's to free(). */
static enum fb_status print_names(const struct fb_texts *names, char **ret, struct fb_error *err)
{
    FB_OWNED(fb_ossl_bio_freep) BIO *bio = BIO_new(BIO_s_mem());

    assert(names->len > 0);
    if (bio == NULL)
        return fb_ossl_no_memory(err);
    for (size_t i = 0; i < names->len; i++) {
        bool address = fb_ossl_is_address(names->at[i]);

        if (!address && !is_dns_name(names->at[i]))
            return fb_error_set(err, FB_EINPUT, "'%s' is neither a DNS name nor an IP address",
                                names->at[i]);
        if (BIO_printf(bio, "%s%s%s", i == 0 ? "" : ",", address ? "IP:" : "DNS:", names->at[i]) <
            0)
            return fb_ossl_no_memory(err);
    }
    *ret = fb_ossl_text(bio);
    return *ret != NULL ? FB_OK : fb_ossl_no_memory(err);
}

static void text_freep(char **at)
{
    free(*at);
}

enum fb_status fb_tls_make_server(const struct fb_tls_pair *authority, const struct fb_texts *names,
                                  int64_t now_s, int64_t days, struct fb_tls_pair *ret,
                                  struct fb_error *err)
{
    FB_OWNED(fb_ossl_certs_freep) STACK_OF(X509) *issuers = NULL;
    FB_OWNED(fb_ossl_key_freep) EVP_PKEY *key = NULL;
    FB_OWNED(text_freep) char *alternatives = NULL;
    struct draft draft = {.name = "fabricbind admission"};
    enum fb_status st = print_names(names, &alternatives, err);

    if (st != FB_OK)
        return st;
    issuers = fb_ossl_certs(authority->cert_pem);
    key = issuers == NULL ? NULL : fb_ossl_key(authority->key_pem);
    if (key == NULL || X509_check_private_key(sk_X509_value(issuers, 0), key) != 1)
        return fb_ossl_failed(FB_EINPUT, "authority", err);
    const struct extension extensions[] = {
        {NID_basic_constraints, "critical,CA:FALSE"},
        {NID_key_usage, "critical,digitalSignature"},
        {NID_ext_key_usage, "serverAuth"},
        {NID_subject_key_identifier, "hash"},
        {NID_authority_key_identifier, "keyid:always"},
        {NID_subject_alt_name, alternatives},
        {0, NULL},
    };
    draft.issuer_key = key;
    draft.issuer = sk_X509_value(issuers, 0);
    draft.extensions = extensions;
    draft.life = (struct fb_tls_life){now_s - FB_TLS_BACKDATE_S, now_s + days * DAY_S};
    if (draft.life.ends_s > fb_ossl_life(draft.issuer).ends_s)
        draft.life.ends_s = fb_ossl_life(draft.issuer).ends_s;
    return sign(&draft, ret, err);
}
