/* SPDX-License-Identifier: Apache-2.0 */
#include "server_case.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 16UL
#define REQUESTS 150UL /* a thread and round */
#define ROUNDS 5UL
#define BODY 25000

/* One client thread. */
struct worker {
    pthread_t thread;
    unsigned port;
    unsigned failed;
    char body[BODY];
    struct raw_client client;
};

/* One request of a worker: whole, in pieces or chunked, by turns. */
static bool ask(struct worker *worker, unsigned number)
{
    static const size_t pieces[] = {0, 65536, 977};
    size_t len = (size_t)number * 167 % BODY;
    size_t piece = pieces[number % COUNT(pieces)];
    struct raw_answer answer;
    char want[128];
    bool sent = number % 2 == 0
                    ? raw_post(&worker->client, "/sum", worker->body, len, piece)
                    : raw_post_chunked(&worker->client, "/sum", worker->body, len, piece);

    return sent && raw_read(&worker->client, false, &answer) && answer.status == 200 &&
           strcmp(answer.body, server_case_sum(len, 'w', want, sizeof want)) == 0;
}

/* Every other request over a new connection, and now and then one is left in mid-body. */
static void *work(void *context)
{
    struct worker *worker = context;

    worker->failed += raw_connect(&worker->client, worker->port) ? 0 : 1;
    for (unsigned i = 0; i < REQUESTS && worker->failed == 0; i++) {
        worker->failed += ask(worker, i) ? 0 : 1;
        if (i % 2 == 0)
            continue;
        if (i % 10 == 1)
            (void)raw_text(&worker->client,
                           "POST /sum HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf");
        raw_close(&worker->client);
        worker->failed += raw_connect(&worker->client, worker->port) ? 0 : 1;
    }
    raw_close(&worker->client);
    return NULL;
}

static void run(struct worker *workers, const struct server_case *at)
{
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].port = at->port;
        workers[i].failed = 0;
        memset(workers[i].body, 'w', sizeof workers[i].body);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].failed, 0);
    }
}

static unsigned count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL) /* NOLINT(concurrency-mt-unsafe): this DIR is nobody else's */
        count++;
    (void)closedir(dir);
    return count;
}

/* Wait until no more than @most descriptors are open. */
static void await_fds(const struct server_case *at, unsigned most)
{
    static struct raw_client client;

    for (int i = 0; i < 5000 && count_fds() > most; i++) {
        /* An answer means that the server has had a turn. */
        server_case_connect(at, &client);
        assert_true(raw_text(&client, "GET /query HTTP/1.1\r\nHost: h\r\n\r\n"));
        server_case_expect(&client, 200, "");
        raw_close(&client);
    }
    assert_true(count_fds() <= most);
}

/* Bytes that malloc has given out; nothing where a sanitizer replaces it and looks for leaks. */
static size_t count_bytes(void)
{
    return mallinfo2().uordblks;
}

static void test_server__keeps_nothing_of_many_requests(void **state)
{
    struct worker *workers = calloc(THREADS, sizeof *workers);
    struct server_case at;
    size_t bytes = 0;
    unsigned fds;

    (void)state;
    assert_non_null(workers);
    server_case_start(&at, NULL);
    fds = count_fds();
    for (size_t round = 0; round < ROUNDS; round++) {
        run(workers, &at);
        await_fds(&at, fds);
        if (round == 1) /* all arenas and caches are there */
            bytes = count_bytes();
    }
    /* A leak of the smallest of pieces a request would be more than this. */
    assert_true(count_bytes() < bytes + (ROUNDS - 2) * THREADS * REQUESTS * 16);
    server_case_stop(&at, 5000);
    assert_true(at.finished >= ROUNDS * THREADS * REQUESTS);
    free(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server__keeps_nothing_of_many_requests),
    };

    return cmocka_run_group_tests_name("server load", tests, NULL, NULL);
}
