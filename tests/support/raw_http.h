/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_RAW_HTTP_H
#define FB_TESTS_RAW_HTTP_H

#include <stdbool.h>
#include <stddef.h>

/** An HTTP client that sends what it is told to, right or wrong. All waits end after 20 s. */
struct raw_client {
    int fd;
    size_t held; /* bytes read that belong to the next answer */
    char bytes[128 * 1024];
};

struct raw_answer {
    unsigned status;
    char *head, *body; /* both end in NUL; until this thread reads the next answer */
    size_t len;        /* of the body, as Content-Length says */
};

/** Connect to 127.0.0.1; false when that does not work. */
bool raw_connect(struct raw_client *client, unsigned port);
void raw_close(struct raw_client *client);

/** False when the server has closed the connection. */
bool raw_send(struct raw_client *client, const char *bytes, size_t len);
bool raw_text(struct raw_client *client, const char *text);

/** One answer, in which Content-Length must stand; @bodiless: that of HEAD. False when the
 * connection ends before it is complete. */
bool raw_read(struct raw_client *client, bool bodiless, struct raw_answer *ret);

/** Wait for the end of the connection; false when something comes instead or nothing at all. */
bool raw_at_end(struct raw_client *client);

/** The same, whatever comes before the end is dropped. */
bool raw_drain(struct raw_client *client);

/** POST @len bytes to @path in pieces of @piece; 0: all at once. */
bool raw_post(struct raw_client *client, const char *path, const char *body, size_t len,
              size_t piece);

/** The same in chunked coding, each piece a chunk of its own. */
bool raw_post_chunked(struct raw_client *client, const char *path, const char *body, size_t len,
                      size_t piece);

#endif
