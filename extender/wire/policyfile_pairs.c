/* SPDX-License-Identifier: Apache-2.0 */
#include "policyfile_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum fb_status fb_policyfile_name(const struct fb_yaml *node, const char *key, const char **ret,
                                  struct fb_error *err)
{
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st == FB_OK && text[0] == '\0')
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: empty", node->line, key);
    if (st == FB_OK)
        *ret = text;
    return st;
}

enum fb_status fb_policyfile_formed(const struct fb_yaml *node, const char *key,
                                    const struct fb_policyfile_form *form, const char **ret,
                                    struct fb_error *err)
{
    const char *text = "";
    enum fb_status st = fb_yaml_text(node, key, &text, err);

    if (st == FB_OK && !form->fits(text))
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is %s", node->line, key, text,
                            form->what);
    if (st == FB_OK)
        *ret = text;
    return st;
}

static bool is_variable(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '\0';
}

static bool is_line(const char *text)
{
    while (*text != '\0' && !iscntrl((unsigned char)*text))
        text++;
    return *text == '\0';
}

const struct fb_policyfile_form fb_policyfile_variable[2] = {
    {is_variable, "no name of a variable"},
    {is_line, "not one line"},
};

bool fb_policyfile_is_pci_class(const char *text)
{
    return strncmp(text, "0x", 2) == 0 && strlen(text) == 8 &&
           strspn(text + 2, "0123456789abcdefABCDEF") == 6;
}

static enum fb_status read_pair(struct fb_arena *arena, const struct fb_yaml *node, const char *key,
                                const struct fb_policyfile_form *form, struct fb_pairs *into,
                                struct fb_error *err)
{
    struct fb_pair pair = {0};
    struct fb_pair *at;
    enum fb_status st = fb_policyfile_formed(node, key, form, &pair.value, err);

    if (st != FB_OK)
        return st;
    at = fb_arena_more(arena, into->at, into->len, &into->size, sizeof *at);
    if (at == NULL)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    into->at = at;
    at[into->len++] = pair;
    return FB_OK;
}

enum fb_status fb_policyfile_pairs(struct fb_arena *arena, const struct fb_yaml *node,
                                   const char *key, const struct fb_policyfile_form form[2],
                                   struct fb_pairs *ret, struct fb_error *err)
{
    enum fb_status st = FB_OK;

    if (node->type != FB_YAML_MAP)
        return fb_error_set(err, FB_EINPUT, "line %zu: %s: not a mapping", node->line, key);
    for (size_t i = 0; i < node->len && st == FB_OK; i++) {
        char path[FB_POLICYFILE_PATH];

        if (!form[0].fits(node->keys[i]))
            return fb_error_set(err, FB_EINPUT, "line %zu: %s: '%s' is %s", node->key_lines[i], key,
                                node->keys[i], form[0].what);
        (void)snprintf(path, sizeof path, "%s.%s", key, node->keys[i]);
        st = read_pair(arena, &node->at[i], path, &form[1], ret, err);
        if (st == FB_OK)
            ret->at[ret->len - 1].key = node->keys[i];
    }
    return st;
}
