/* SPDX-License-Identifier: Apache-2.0 */
#include "deadline.h"

#include "inventory.h"

struct timespec fb_deadline_of(int64_t end_ms)
{
    int64_t left_ms = end_ms - fb_inventory_clock_ms();
    struct timespec until = {0};

    if (left_ms < 0)
        left_ms = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(left_ms % 1000) * 1000000;
    until.tv_sec += (time_t)(left_ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}
