/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_DEADLINE_H
#define FB_HOST_DEADLINE_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/** Waits that end in time: by CLOCK_MONOTONIC, which no one sets. */

/** A condition whose timed waits go by that clock. End it with pthread_cond_destroy(). */
void fb_deadline_init(pthread_cond_t *condition);

/** @ms from now; now where that is less than none. */
struct timespec fb_deadline_in(int64_t ms);

/** @end_ms of fb_inventory_clock_ms(); now where it is over. */
struct timespec fb_deadline_of(int64_t end_ms);

#endif
