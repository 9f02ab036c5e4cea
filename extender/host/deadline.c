/* SPDX-License-Identifier: Apache-2.0 */
#include "deadline.h"

#include "inventory.h"

void fb_deadline_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

struct timespec fb_deadline_in(int64_t ms)
{
    struct timespec until = {0};

    if (ms < 0)
        ms = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    until.tv_sec += (time_t)(ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

struct timespec fb_deadline_of(int64_t end_ms)
{
    return fb_deadline_in(end_ms - fb_inventory_clock_ms());
}
