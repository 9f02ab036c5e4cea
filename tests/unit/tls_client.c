/* SPDX-License-Identifier: Apache-2.0 */
#include "tls_client.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#define WAIT_S 20
#define ANSWER_BYTES 8192

static int dial(unsigned port)
{
    static const struct timeval wait = {.tv_sec = WAIT_S};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    if (connect(fd, (const struct sockaddr *)(const void *)&to, sizeof to) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static bool trust(SSL_CTX *context, const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert;
    bool any = false;

    while (bio != NULL && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
        any = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), cert) == 1;
        X509_free(cert);
    }
    BIO_free(bio);
    ERR_clear_error();
    return any;
}

static bool set_demand(SSL *session, const struct tls_demand *demand)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(session);
    const char *name = demand->name;

    if (demand->now_s != 0)
        X509_VERIFY_PARAM_set_time(param, (time_t)demand->now_s);
    return X509_VERIFY_PARAM_set1_ip_asc(param, name) == 1 || SSL_set1_host(session, name) == 1;
}

static bool set_version(SSL_CTX *context, int version)
{
    int number = version == 13 ? TLS1_3_VERSION : version == 12 ? TLS1_2_VERSION : TLS1_1_VERSION;

    if (version == 0)
        return true;
    SSL_CTX_set_security_level(context, 0); /* lets TLS 1.1 be tried */
    return SSL_CTX_set_min_proto_version(context, number) == 1 &&
           SSL_CTX_set_max_proto_version(context, number) == 1;
}

bool tls_connect(struct tls_client *client, unsigned port, const struct tls_demand *demand)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *session = NULL;
    bool done;

    ERR_clear_error();
    client->garbled = false;
    client->fd = dial(port);
    client->context = context;
    client->session = NULL;
    done = client->fd >= 0 && context != NULL && trust(context, demand->bundle_pem) &&
           set_version(context, demand->version);
    if (done) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        client->session = session = SSL_new(context);
        done = session != NULL && set_demand(session, demand) &&
               SSL_set_fd(session, client->fd) == 1 && SSL_connect(session) == 1;
    }
    if (!done)
        tls_close(client);
    return done;
}

void tls_close(struct tls_client *client)
{
    SSL_free(client->session);
    SSL_CTX_free(client->context);
    if (client->fd >= 0)
        (void)close(client->fd);
    ERR_clear_error();
    *client = (struct tls_client){.fd = -1};
}

bool tls_send(struct tls_client *client, const char *text)
{
    int len = (int)strlen(text);

    return SSL_write(client->session, text, len) == len;
}

/* Is the answer in @text whole; then @ret_body is where its body begins. */
static bool is_whole(char *text, char **ret_body)
{
    char *end = strstr(text, "\r\n\r\n");
    const char *length = end == NULL ? NULL : strcasestr(text, "content-length:");

    if (end == NULL)
        return false;
    *ret_body = end + 4;
    return strlen(*ret_body) >= (length == NULL ? 0 : strtoul(length + 15, NULL, 10));
}

unsigned tls_read(struct tls_client *client, char *body, size_t size)
{
    char text[ANSWER_BYTES] = "";
    char *begin = NULL;
    size_t held = 0;

    while (!is_whole(text, &begin)) {
        int got = SSL_read(client->session, text + held, (int)(sizeof text - 1 - held));

        if (got <= 0) {
            client->garbled =
                SSL_get_error(client->session, got) == SSL_ERROR_SSL &&
                ERR_GET_REASON(ERR_peek_error()) != SSL_R_UNEXPECTED_EOF_WHILE_READING;
            return 0;
        }
        held += (size_t)got;
        text[held] = '\0';
    }
    if (body != NULL && size > 0) {
        size_t len = strlen(begin) < size ? strlen(begin) : size - 1;

        memcpy(body, begin, len);
        body[len] = '\0';
    }
    return (unsigned)strtoul(text + strlen("HTTP/1.1 "), NULL, 10);
}
