/* SPDX-License-Identifier: Apache-2.0 */
#include "sign.h"

#include "fabricbind/base64.h"
#include "fabricbind/own.h"
#include "tls_openssl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE_BYTES 64

/* Counted here and not by the library, whose counting sanitizers cannot see. */
struct signer {
    atomic_uint holders;
    EVP_PKEY *key;
};

struct fb_sign {
    pthread_mutex_t lock;  /* of signer */
    struct signer *signer; /* NULL: none yet */
};

static void signer_release(struct signer *signer)
{
    if (signer == NULL || atomic_fetch_sub(&signer->holders, 1) > 1)
        return;
    EVP_PKEY_free(signer->key);
    free(signer);
}

static void signer_releasep(struct signer **at)
{
    signer_release(*at);
}

static void context_freep(EVP_MD_CTX **at)
{
    EVP_MD_CTX_free(*at);
}

static void bytes_freep(unsigned char **at)
{
    free(*at);
}

/* The private key in @pem, when it is one of Ed25519. */
static enum fb_status read_key(const char *pem, EVP_PKEY **ret, struct fb_error *err)
{
    FB_OWNED(fb_ossl_key_freep) EVP_PKEY *key = fb_ossl_key(pem);

    if (key == NULL)
        return fb_ossl_failed(FB_EINPUT, "signing key", err);
    if (EVP_PKEY_get_id(key) != EVP_PKEY_ED25519)
        return fb_error_set(err, FB_EINPUT, "signing key: is not Ed25519");
    *ret = FB_TAKE(key);
    return FB_OK;
}

enum fb_status fb_sign_make(char **ret_pem, struct fb_error *err)
{
    FB_OWNED(fb_ossl_key_freep) EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    FB_OWNED(fb_ossl_bio_freep) BIO *bio = BIO_new(BIO_s_secmem());

    if (key == NULL || bio == NULL ||
        PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) != 1)
        return fb_ossl_failed(FB_EIO, "making a signing key", err);
    *ret_pem = fb_ossl_text(bio);
    return *ret_pem != NULL ? FB_OK : fb_ossl_no_memory(err);
}

enum fb_status fb_sign_public(const char *key_pem, char **ret_pem, struct fb_error *err)
{
    FB_OWNED(fb_ossl_key_freep) EVP_PKEY *key = NULL;
    FB_OWNED(fb_ossl_bio_freep) BIO *bio = BIO_new(BIO_s_mem());
    enum fb_status st = read_key(key_pem, &key, err);

    if (st != FB_OK)
        return st;
    if (bio == NULL || PEM_write_bio_PUBKEY(bio, key) != 1)
        return fb_ossl_failed(FB_EIO, "signing key", err);
    *ret_pem = fb_ossl_text(bio);
    return *ret_pem != NULL ? FB_OK : fb_ossl_no_memory(err);
}

struct fb_sign *fb_sign_new(void)
{
    struct fb_sign *sign = calloc(1, sizeof *sign);

    if (sign != NULL)
        (void)pthread_mutex_init(&sign->lock, NULL);
    return sign;
}

void fb_sign_free(struct fb_sign *sign)
{
    if (sign == NULL)
        return;
    signer_release(sign->signer);
    (void)pthread_mutex_destroy(&sign->lock);
    free(sign);
}

void fb_sign_freep(struct fb_sign **sign)
{
    fb_sign_free(*sign);
}

enum fb_status fb_sign_set(struct fb_sign *sign, const char *key_pem, struct fb_error *err)
{
    FB_OWNED(signer_releasep) struct signer *next = calloc(1, sizeof *next);
    struct signer *old;
    enum fb_status st;

    if (next == NULL)
        return fb_ossl_no_memory(err);
    atomic_init(&next->holders, 1);
    st = read_key(key_pem, &next->key, err);
    if (st != FB_OK)
        return st;
    (void)pthread_mutex_lock(&sign->lock);
    old = sign->signer;
    sign->signer = FB_TAKE(next);
    (void)pthread_mutex_unlock(&sign->lock);
    signer_release(old);
    return FB_OK;
}

/* The signer that there is now, held; NULL: none. */
static struct signer *signer_get(struct fb_sign *sign)
{
    struct signer *signer;

    (void)pthread_mutex_lock(&sign->lock);
    signer = sign->signer;
    if (signer != NULL)
        atomic_fetch_add(&signer->holders, 1);
    (void)pthread_mutex_unlock(&sign->lock);
    return signer;
}

static unsigned char *put(unsigned char *at, const char *field)
{
    uint64_t len = strlen(field);

    for (int shift = 56; shift >= 0; shift -= 8)
        *at++ = (unsigned char)(len >> shift);
    memcpy(at, field, len); /* NOLINT(bugprone-not-null-terminated-result): its length is there */
    return at + len;
}

/* The bytes under the signature, of the caller's to free(); NULL when out of memory. */
static unsigned char *bytes_of(const struct fb_sign_subject *subject, size_t *ret_len)
{
    const char *const fields[] = {"fabricbind.io/profile", subject->pod_uid, subject->node,
                                  subject->content};
    unsigned char *bytes;
    unsigned char *at;
    size_t len = 0;

    for (size_t i = 0; i < 4; i++)
        len += 8 + strlen(fields[i]);
    bytes = malloc(len);
    if (bytes == NULL)
        return NULL;
    at = bytes;
    for (size_t i = 0; i < 4; i++)
        at = put(at, fields[i]);
    *ret_len = len;
    return bytes;
}

const char *fb_sign_text(struct fb_sign *sign, struct fb_arena *arena,
                         const struct fb_sign_subject *subject)
{
    FB_OWNED(signer_releasep) struct signer *signer = signer_get(sign);
    FB_OWNED(context_freep) EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t len = 0;
    size_t signature_len = SIGNATURE_BYTES;
    unsigned char signature[SIGNATURE_BYTES];
    FB_OWNED(bytes_freep) unsigned char *bytes = bytes_of(subject, &len);
    char *ret;

    if (signer == NULL || context == NULL || bytes == NULL ||
        EVP_DigestSignInit(context, NULL, NULL, NULL, signer->key) != 1 ||
        EVP_DigestSign(context, signature, &signature_len, bytes, len) != 1) {
        ERR_clear_error();
        return NULL;
    }
    ret = fb_arena_alloc(arena, fb_base64_size(signature_len));
    if (ret != NULL)
        fb_base64_encode(signature, signature_len, ret);
    return ret;
}

bool fb_sign_holds(const char *public_pem, const struct fb_sign_subject *subject,
                   const char *signature)
{
    FB_OWNED(fb_ossl_bio_freep) BIO *bio = BIO_new_mem_buf(public_pem, -1);
    FB_OWNED(fb_ossl_key_freep)
    EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
    FB_OWNED(context_freep) EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t len = 0;
    FB_OWNED(bytes_freep) unsigned char *bytes = bytes_of(subject, &len);
    unsigned char raw[SIGNATURE_BYTES + 2]; /* base64 tells the length by threes */
    size_t raw_len = 0;
    bool holds = key != NULL && context != NULL && bytes != NULL &&
                 EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 &&
                 strlen(signature) + 1 == fb_base64_size(SIGNATURE_BYTES) &&
                 fb_base64_decode(signature, strlen(signature), raw, &raw_len) &&
                 EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
                 EVP_DigestVerify(context, raw, raw_len, bytes, len) == 1;

    ERR_clear_error();
    return holds;
}
