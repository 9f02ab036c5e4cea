/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_HOST_CONFIG_KEYS_H
#define FB_HOST_CONFIG_KEYS_H

#include "fabricbind/config.h"
#include "fabricbind/yaml.h"

/** What a row's reader works on. */
struct fb_config_reader {
    struct fb_arena *arena;
    const struct fb_policies *policies;
    struct fb_config *config;
};

/** A key with its place, type and range. */
struct fb_config_row {
    struct fb_config_key shown;
    enum fb_status (*read)(void *into, const struct fb_yaml *node, const char *key,
                           struct fb_error *err);
    size_t where;             /* offset in struct fb_config */
    const char *const *words; /* of an enum, in its order, NULL at the end */
    int64_t least, most;      /* of a number */
};

extern const struct fb_config_row fb_config_rows[];
extern const size_t fb_config_rows_len;

/** Read @map by the rows; @reader is a struct fb_config_reader. */
enum fb_status fb_config_rows_read(struct fb_config_reader *reader, const struct fb_yaml *map,
                                   struct fb_error *err) FB_CHECK;

/** Readers of the two keys that choose a provider, config_network.c; @into is the reader. */
enum fb_status fb_config_read_block(void *into, const struct fb_yaml *node, const char *key,
                                    struct fb_error *err) FB_CHECK;
enum fb_status fb_config_read_provider(void *into, const struct fb_yaml *node, const char *key,
                                       struct fb_error *err) FB_CHECK;

/** Reader of match.owners; config_owners.c. */
enum fb_status fb_config_read_owners(void *into, const struct fb_yaml *node, const char *key,
                                     struct fb_error *err) FB_CHECK;

#endif
