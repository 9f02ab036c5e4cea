/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void end_at_once(int number)
{
    _exit(128 + number);
}

static sigset_t endings(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    return set;
}

static sigset_t reloads(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGHUP);
    return set;
}

void fb_serve_signals_begin(void)
{
    struct sigaction end = {.sa_handler = end_at_once};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t waiting = reloads();

    (void)sigaction(SIGTERM, &end, NULL);
    (void)sigaction(SIGINT, &end, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)pthread_sigmask(SIG_BLOCK, &waiting, NULL);
}

void fb_serve_signals_hold(void)
{
    sigset_t set = endings();

    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void fb_serve_signals_release(void)
{
    sigset_t set = endings();

    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int fb_serve_signals_wait(void)
{
    sigset_t set = endings();
    int number = SIGTERM;

    (void)sigaddset(&set, SIGHUP);
    (void)sigwait(&set, &number); /* fails for a bad set only */
    return number;
}
