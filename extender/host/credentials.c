/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials.h"

#include "fabricbind/own.h"
#include "keptfile.h"
#include "log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define BEARER "Authorization: Bearer "

enum part { TOKEN, CA, CERT, KEY, PARTS };

static const char *const part_names[PARTS] = {"token", "ca", "certificate", "key"};

struct fb_credentials {
    struct fb_metrics *metrics;
    bool insecure;
    pthread_mutex_t lock; /* of what follows */
    struct fb_keptfile files[PARTS];
    uint64_t trust;
};

/* Of characters that may stand in a header line. */
static bool is_token(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text <= ' ' || *text > '~')
            return false;
    }
    return true;
}

static bool is_pem(const char *text)
{
    return strstr(text, "-----BEGIN ") != NULL;
}

static int64_t clock_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void count(struct fb_credentials *credentials, enum part part, const char *result)
{
    const char *const labels[] = {part_names[part], result};

    if (credentials->metrics != NULL)
        fb_metrics_add(credentials->metrics, FB_METRIC_API_FILES, labels, 1.0);
}

static void tell_failed(struct fb_credentials *credentials, enum part part, bool was_failing,
                        const struct fb_error *err)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("what", part_names[part]),
                                          FB_LOG_TEXT("error", err->text)};

    count(credentials, part, "failed");
    if (!was_failing)
        fb_log(FB_LOG_WARNING, "cannot be read anew, what was read before stays", fields,
               COUNT(fields));
}

static void tell_changed(struct fb_credentials *credentials, enum part part)
{
    const struct fb_log_field fields[] = {FB_LOG_TEXT("what", part_names[part]),
                                          FB_LOG_TEXT("file", credentials->files[part].path)};

    count(credentials, part, "read");
    fb_log(FB_LOG_INFO, "read anew for the API server", fields, COUNT(fields));
}

static void look_at(struct fb_credentials *credentials, enum part part, bool anew)
{
    struct fb_keptfile *file = &credentials->files[part];
    bool was_failing = file->failing;
    bool changed = false;
    struct fb_error err = {0};

    if (fb_keptfile_look(file, clock_ms(), anew, &changed, &err) != FB_OK)
        tell_failed(credentials, part, was_failing, &err);
    else if (changed)
        tell_changed(credentials, part);
    if (changed && part != TOKEN)
        credentials->trust++;
}

static char *make_line(const char *token)
{
    size_t len = strlen(token);
    char *line = malloc(sizeof BEARER + len);

    if (line == NULL)
        return NULL;
    memcpy(line, BEARER, sizeof BEARER - 1);
    memcpy(line + sizeof BEARER - 1, token, len + 1);
    return line;
}

enum fb_status fb_credentials_look(struct fb_credentials *credentials, bool anew,
                                   struct fb_credentials_now *ret, struct fb_error *err)
{
    const char *token;

    (void)pthread_mutex_lock(&credentials->lock);
    for (enum part part = TOKEN; part < PARTS; part++)
        look_at(credentials, part, anew);
    token = credentials->files[TOKEN].text;
    ret->line = token != NULL ? make_line(token) : NULL;
    ret->trust = credentials->trust;
    anew = token != NULL && ret->line == NULL;
    (void)pthread_mutex_unlock(&credentials->lock);
    return anew ? fb_error_set(err, FB_ENOMEM, "out of memory") : FB_OK;
}

void fb_credentials_now_fini(struct fb_credentials_now *now)
{
    if (now->line != NULL)
        explicit_bzero(now->line, strlen(now->line));
    free(now->line);
    now->line = NULL;
}

enum fb_status fb_credentials_dial(struct fb_credentials *credentials, struct fb_transfer **ret,
                                   uint64_t *ret_trust, struct fb_error *err)
{
    enum fb_status st;

    (void)pthread_mutex_lock(&credentials->lock);
    st = fb_transfer_new(
        &(struct fb_transfer_trust){
            .ca_pem = credentials->files[CA].text,
            .cert_pem = credentials->files[CERT].text,
            .key_pem = credentials->files[KEY].text,
            .insecure = credentials->insecure,
        },
        ret, err);
    *ret_trust = credentials->trust;
    (void)pthread_mutex_unlock(&credentials->lock);
    return st;
}

static enum fb_status part_init(struct fb_keptfile *file, bool (*is_right)(const char *text),
                                const char *path, const char *text, struct fb_error *err)
{
    bool changed;

    *file = (struct fb_keptfile){.is_right = is_right, .path = path};
    if (path != NULL)
        return fb_keptfile_look(file, clock_ms(), true, &changed, err);
    if (text == NULL)
        return FB_OK;
    if (!is_right(text))
        return fb_error_set(err, FB_EINPUT, "is not what it should be");
    file->text = strdup(text);
    return file->text != NULL ? FB_OK : fb_error_set(err, FB_ENOMEM, "out of memory");
}

static enum fb_status parts_init(struct fb_credentials *credentials, const struct fb_access *access,
                                 struct fb_error *err)
{
    const struct {
        bool (*is_right)(const char *text);
        const char *path, *text;
    } rows[PARTS] = {
        [TOKEN] = {is_token, access->token_file, access->token},
        [CA] = {is_pem, access->ca_file, access->ca_pem},
        [CERT] = {is_pem, access->cert_file, access->cert_pem},
        [KEY] = {is_pem, access->key_file, access->key_pem},
    };

    for (enum part part = TOKEN; part < PARTS; part++) {
        enum fb_status st = part_init(&credentials->files[part], rows[part].is_right,
                                      rows[part].path, rows[part].text, err);

        if (st != FB_OK)
            return fb_error_prefix(err, st, "%s", part_names[part]);
    }
    return FB_OK;
}

enum fb_status fb_credentials_new(const struct fb_access *access, struct fb_metrics *metrics,
                                  struct fb_credentials **ret, struct fb_error *err)
{
    FB_OWNED(fb_credentials_freep)
    struct fb_credentials *credentials = calloc(1, sizeof *credentials);
    enum fb_status st;

    if (credentials == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    (void)pthread_mutex_init(&credentials->lock, NULL);
    credentials->metrics = metrics;
    credentials->insecure = access->insecure;
    st = parts_init(credentials, access, err);
    if (st == FB_OK)
        *ret = FB_TAKE(credentials);
    return st;
}

void fb_credentials_free(struct fb_credentials *credentials)
{
    if (credentials == NULL)
        return;
    for (enum part part = TOKEN; part < PARTS; part++)
        fb_keptfile_fini(&credentials->files[part]);
    (void)pthread_mutex_destroy(&credentials->lock);
    free(credentials);
}

void fb_credentials_freep(struct fb_credentials **credentials)
{
    fb_credentials_free(*credentials);
}
