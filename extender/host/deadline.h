/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_DEADLINE_H
#define FB_HOST_DEADLINE_H

#include <stdint.h>
#include <time.h>

/** @end_ms of fb_inventory_clock_ms() as CLOCK_MONOTONIC tells it, for waits by that clock; now
 * where it is over. */
struct timespec fb_deadline_of(int64_t end_ms);

#endif
