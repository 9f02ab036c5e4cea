/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/volcanoconf.h"

const struct fb_volcano_setting *
fb_volcano_settings_find(const struct fb_volcano_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->len; i++) {
        if (fb_text_equal(settings->at[i].key, key))
            return settings->at[i].type != FB_VOLCANO_NOTHING ? &settings->at[i] : NULL;
    }
    return NULL;
}

const struct fb_volcano_plugin *fb_volcano_plugins_find(const struct fb_volcano_plugins *plugins,
                                                        const char *name, size_t from)
{
    for (size_t i = from; i < plugins->len; i++) {
        if (fb_text_equal(plugins->at[i].name, name))
            return &plugins->at[i];
    }
    return NULL;
}
