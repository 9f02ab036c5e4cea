/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CERTIFICATES_NAMES_H
#define FB_HOST_CERTIFICATES_NAMES_H

#include "fabricbind/config.h"

/**
 * The names by which the API server, or whoever tries it by hand, calls the webhooks: those of the
 * Service, and the host of the URL where one is configured.
 *
 * @space  the program's own namespace
 *
 * Returns FB_OK; FB_ENOMEM. @ret is in @arena.
 */
enum fb_status fb_certificates_names(struct fb_arena *arena,
                                     const struct fb_admission_config *config, const char *space,
                                     struct fb_texts *ret) FB_CHECK;

#endif
