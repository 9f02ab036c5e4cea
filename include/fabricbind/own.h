/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_OWN_H
#define FB_OWN_H

#include <stddef.h>

/* Run @fn on the variable's address when it leaves scope, on every path. */
#define FB_OWNED(fn) __attribute__((cleanup(fn)))

/* Hand the pointer over: yields its value and leaves NULL behind. */
#define FB_TAKE(ptr)                                                                               \
    __extension__({                                                                                \
        __typeof__(ptr) fb_taken_ = (ptr);                                                         \
        (ptr) = NULL;                                                                              \
        fb_taken_;                                                                                 \
    })

#endif
