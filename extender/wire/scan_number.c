/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_state.h"

#include <string.h>

/* How far a number is; STOP: the byte is no part of it. */
enum part { STOP, START, MINUS, ZERO, WHOLE, POINT, FRACTION, POWER, POWER_SIGN, POWER_DIGITS };

enum byte_class { OTHER, ZERO_DIGIT, DIGIT, DASH, PLUS, DOT, LETTER_E, CLASSES };

static const unsigned char classes[256] = {
    ['0'] = ZERO_DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT,    ['4'] = DIGIT,
    ['5'] = DIGIT,      ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT,    ['9'] = DIGIT,
    ['-'] = DASH,       ['+'] = PLUS,  ['.'] = DOT,   ['e'] = LETTER_E, ['E'] = LETTER_E,
};

/* RFC 8259, section 6. */
static const unsigned char parts[][CLASSES] = {
    [START] = {[DASH] = MINUS, [ZERO_DIGIT] = ZERO, [DIGIT] = WHOLE},
    [MINUS] = {[ZERO_DIGIT] = ZERO, [DIGIT] = WHOLE},
    [ZERO] = {[DOT] = POINT, [LETTER_E] = POWER},
    [WHOLE] = {[ZERO_DIGIT] = WHOLE, [DIGIT] = WHOLE, [DOT] = POINT, [LETTER_E] = POWER},
    [POINT] = {[ZERO_DIGIT] = FRACTION, [DIGIT] = FRACTION},
    [FRACTION] = {[ZERO_DIGIT] = FRACTION, [DIGIT] = FRACTION, [LETTER_E] = POWER},
    [POWER] = {[DASH] = POWER_SIGN,
               [PLUS] = POWER_SIGN,
               [ZERO_DIGIT] = POWER_DIGITS,
               [DIGIT] = POWER_DIGITS},
    [POWER_SIGN] = {[ZERO_DIGIT] = POWER_DIGITS, [DIGIT] = POWER_DIGITS},
    [POWER_DIGITS] = {[ZERO_DIGIT] = POWER_DIGITS, [DIGIT] = POWER_DIGITS},
};

static unsigned next_part(unsigned part, char c)
{
    return parts[part][classes[(unsigned char)c]];
}

/* False when the next byte begins no number; takes none. */
bool fb_scan_begin_number(struct fb_scan *scan)
{
    if (next_part(START, *scan->at) == STOP)
        return false;
    scan->state = FB_SCAN_IN_NUMBER;
    scan->part = START;
    scan->bytes = 0;
    scan->into = fb_scan_is_named(scan) ? &scan->text : NULL;
    fb_scan_text_clear(&scan->text);
    return true;
}

bool fb_scan_is_number(const struct fb_scan *scan)
{
    return scan->part == ZERO || scan->part == WHOLE || scan->part == FRACTION ||
           scan->part == POWER_DIGITS;
}

/* The byte at scan->at does not go on with the number. */
static enum fb_status end_number(struct fb_scan *scan)
{
    size_t offset = fb_scan_offset(scan, scan->at);

    if (!fb_scan_is_number(scan))
        return fb_scan_fail(scan, offset, FB_EINPUT, "digit expected");
    if (scan->part == ZERO && next_part(WHOLE, *scan->at) == WHOLE)
        return fb_scan_fail(scan, offset, FB_EINPUT, "digit behind a leading 0");
    return fb_scan_deliver(scan, FB_SCAN_NUMBER);
}

enum fb_status fb_scan_step_number(struct fb_scan *scan)
{
    const char *from = scan->at;
    const char *at = from;
    size_t room = scan->limits.number_bytes - scan->bytes;
    const char *stop = (size_t)(scan->end - at) < room ? scan->end : at + room;
    unsigned part = scan->part;

    while (at < stop && next_part(part, *at) != STOP)
        part = next_part(part, *at++);
    scan->at = at;
    scan->part = part;
    scan->bytes += (size_t)(at - from);
    if (scan->into != NULL && !fb_scan_text_add(scan->into, from, (size_t)(at - from)))
        return fb_scan_fail(scan, scan->start, FB_ENOMEM, "out of memory");
    if (at == scan->end)
        return FB_OK;
    if (next_part(part, *at) != STOP)
        return fb_scan_fail_limit(scan, fb_scan_offset(scan, at), "number",
                                  scan->limits.number_bytes, "bytes");
    return end_number(scan);
}

static const struct {
    const char *text;
    const char *wanted;
    enum fb_scan_type type;
} words[] = {
    {"true", "'true' expected", FB_SCAN_TRUE},
    {"false", "'false' expected", FB_SCAN_FALSE},
    {"null", "'null' expected", FB_SCAN_NULL},
};

/* False when the next byte begins no word; takes none. */
bool fb_scan_begin_word(struct fb_scan *scan)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i].text[0] == *scan->at) {
            scan->state = FB_SCAN_IN_WORD;
            scan->word = i;
            scan->bytes = 0;
            return true;
        }
    }
    return false;
}

enum fb_status fb_scan_step_word(struct fb_scan *scan)
{
    const char *text = words[scan->word].text;

    while (text[scan->bytes] != '\0' && scan->at < scan->end) {
        if (*scan->at != text[scan->bytes])
            return fb_scan_fail(scan, fb_scan_offset(scan, scan->at), FB_EINPUT,
                                words[scan->word].wanted);
        scan->at++;
        scan->bytes++;
    }
    if (text[scan->bytes] != '\0')
        return FB_OK;
    return fb_scan_deliver(scan, words[scan->word].type);
}
