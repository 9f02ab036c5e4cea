/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

#include <stdio.h>

int fb_serve(const struct fb_options *options)
{
    (void)options;
    (void)fputs("fabricbind serve: not built in\n", stderr);
    return FB_EXIT_USAGE;
}
