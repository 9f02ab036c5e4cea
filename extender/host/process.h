/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_PROCESS_H
#define FB_HOST_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/** What this process takes of the machine. */
struct fb_process {
    double cpu_seconds;   /* user and system, of all threads */
    double start_seconds; /* since the Epoch */
    uint64_t resident_bytes, virtual_bytes;
    uint64_t open_fds, max_fds; /* max_fds: UINT64_MAX when there is no limit */
};

/** False, and @ret untouched, where there is no /proc. Source: proc(5). */
bool fb_process_read(struct fb_process *ret);

#endif
