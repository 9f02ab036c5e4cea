/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t fb_base64_size(size_t len)
{
    return (len + 2) / 3 * 4 + 1;
}

void fb_base64_encode(const unsigned char *bytes, size_t len, char *ret)
{
    for (size_t i = 0; i < len; i += 3) {
        size_t have = len - i < 3 ? len - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;

        if (have > 1)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (have > 2)
            group |= bytes[i + 2];
        *ret++ = letters[group >> 18];
        *ret++ = letters[group >> 12 & 63];
        *ret++ = '=';
        *ret++ = '=';
        if (have > 1)
            ret[-2] = letters[group >> 6 & 63];
        if (have > 2)
            ret[-1] = letters[group & 63];
    }
    *ret = '\0';
}

static bool value_of(char letter, uint32_t *ret)
{
    const char *at = letter == '\0' ? NULL : strchr(letters, letter);

    if (at == NULL)
        return false;
    *ret = (uint32_t)(at - letters);
    return true;
}

/* Four letters, of which the last @padding are '='; those before leave no bit over. */
static bool decode_group(const char *text, size_t padding, unsigned char *ret)
{
    uint32_t group = 0;

    for (size_t i = 0; i < 4; i++) {
        uint32_t value = 0;

        if (i < 4 - padding && !value_of(text[i], &value))
            return false;
        group = group << 6 | value;
    }
    ret[0] = (unsigned char)(group >> 16);
    if (padding < 2)
        ret[1] = (unsigned char)(group >> 8);
    if (padding < 1)
        ret[2] = (unsigned char)group;
    return (group & ((1U << 8 * padding) - 1)) == 0;
}

bool fb_base64_decode(const char *text, size_t len, unsigned char *ret, size_t *ret_len)
{
    size_t padding = 0;

    if (len % 4 != 0)
        return false;
    while (len > 0 && padding < 2 && text[len - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < len; i += 4) {
        if (!decode_group(text + i, i + 4 == len ? padding : 0, ret + i / 4 * 3))
            return false;
    }
    *ret_len = len / 4 * 3 - padding;
    return true;
}
