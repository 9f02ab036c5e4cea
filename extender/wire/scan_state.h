/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_WIRE_SCAN_STATE_H
#define FB_WIRE_SCAN_STATE_H

#include "scan_kernel.h"
#include "scan_paths.h"

/**
 * The inside of the reader, shared by scan.c (life and pieces), scan_step.c (structure),
 * scan_string.c, scan_number.c and scan_error.c; the loops over many bytes are in scan_kernel.h.
 * Whatever must survive a cut of the input is in struct fb_scan.
 */

/** What the next byte is read as; each has one step function that takes bytes or fails. */
enum fb_scan_state {
    FB_SCAN_AT_VALUE,
    FB_SCAN_AT_FIRST_VALUE, /* or ']' */
    FB_SCAN_AT_KEY,
    FB_SCAN_AT_FIRST_KEY, /* or '}' */
    FB_SCAN_AT_COLON,
    FB_SCAN_AT_NEXT, /* ',' or the end of the object or array */
    FB_SCAN_AT_END,  /* behind the document */
    FB_SCAN_IN_STRING,
    FB_SCAN_IN_ESCAPE, /* behind '\' */
    FB_SCAN_IN_HEX,    /* in the four digits behind '\u' */
    FB_SCAN_AT_LOW,    /* behind a high surrogate: '\' */
    FB_SCAN_AT_LOW_U,  /* and then 'u' */
    FB_SCAN_IN_NUMBER,
    FB_SCAN_IN_WORD, /* true, false, null */
    FB_SCAN_IN_SKIP, /* in an object or array that no path leads into */
};

/** Text that grows; NUL-ended. */
struct fb_scan_text {
    char *at; /* owned when size is more than FB_SCAN_TEXT_FIRST, else the reader's */
    size_t len, size;
};

#define FB_SCAN_TEXT_FIRST 64

/** An object or array on the way to a named path. These are the outermost ones that are open. */
struct fb_scan_frame {
    const struct fb_scan_node *node;
    const struct fb_scan_text *star;  /* key that the last "*" up to here stands for; NULL: none */
    size_t index;                     /* array: of the element being read */
    const struct fb_scan_node *child; /* object: the node of the member being read */
    struct fb_scan_text key;          /* its key where that is not the node's own */
};

/** A UTF-8 sequence under way: bytes to come, and the range of the next one. */
struct fb_scan_utf8 {
    unsigned char left, low, high;
};

struct fb_scan {
    const struct fb_scan_paths *paths;
    const struct fb_scan_kernel *kernel;
    struct fb_scan_limits limits; /* without zeros */
    fb_scan_found found;
    void *context;
    struct fb_error failed; /* what every call repeats */
    struct fb_error said;   /* by the callback, which may write to it and yet go on */
    enum fb_scan_state state;
    bool one; /* what is behind the document is not for this one */

    const char *base, *at, *end; /* the piece being read; at is the next byte of it */
    size_t offset;               /* of base in the input */
    size_t start;                /* offset of the value, or of the escape in it, being read */

    size_t depth;             /* open objects and arrays */
    unsigned char *arrays;    /* a bit a level: it is an array */
    bool in_array;            /* the bit of the innermost level */
    size_t frames_len;        /* <= depth; less: in what is skipped */
    struct fb_scan_skip skip; /* what is inside the innermost of these and is not read */

    const struct fb_scan_node *here; /* node of the value being read; NULL: skipped, or none */
    const struct fb_scan_text *star; /* the "*" on the way to here */
    struct fb_scan_text text;        /* the value being read when its path is named */

    bool in_key;               /* the string being read is a key */
    struct fb_scan_text *into; /* where the string or number goes; NULL: nowhere */
    size_t bytes;              /* of it so far, also when it goes nowhere */
    size_t escape;             /* offset of the last '\' */
    unsigned code, high;       /* of the escape under way; its high surrogate or 0 */
    unsigned digits;           /* hexadecimal digits of it so far */
    struct fb_scan_utf8 utf8;

    unsigned part; /* of the number, see scan_number.c */
    size_t word;   /* which one, see scan_number.c; bytes counts what was read of it */

    struct fb_scan_frame frames[]; /* paths->longest + 1 */
};

static inline const char *fb_scan_text_get(const struct fb_scan_text *text)
{
    return text->at;
}

/** Offset in the input of @at, a byte of the piece being read. */
static inline size_t fb_scan_offset(const struct fb_scan *scan, const char *at)
{
    return scan->offset + (size_t)(at - scan->base);
}

/**
 * Whether the string behind the '"' before @at is in this piece to its end, and plain ASCII within
 * bounds: most are. All others are read byte by byte.
 */
static inline bool fb_scan_find_whole(const struct fb_scan *scan, const char *at, size_t *ret_len)
{
    const char *stop = scan->kernel->run(at, scan->end);

    *ret_len = (size_t)(stop - at);
    return stop < scan->end && *stop == '"' && *ret_len <= scan->limits.string_bytes;
}

/** Whether the value being read is at a named path. */
static inline bool fb_scan_is_named(const struct fb_scan *scan)
{
    return scan->here != NULL && scan->here->id != FB_SCAN_UNNAMED;
}

/* scan_step.c: run the steps to the end of the piece; what strings, numbers and words end in. */
enum fb_status fb_scan_step_all(struct fb_scan *scan);
enum fb_status fb_scan_deliver(struct fb_scan *scan, enum fb_scan_type type);
enum fb_status fb_scan_end_key(struct fb_scan *scan);

/* scan_string.c: steps, and the text that strings and numbers go to. */
enum fb_status fb_scan_put(struct fb_scan *scan, struct fb_scan_text *into, const char *bytes,
                           size_t len);
void fb_scan_begin_string(struct fb_scan *scan, struct fb_scan_text *into);
enum fb_status fb_scan_step_string(struct fb_scan *scan);
enum fb_status fb_scan_step_escape(struct fb_scan *scan);
enum fb_status fb_scan_step_hex(struct fb_scan *scan);
enum fb_status fb_scan_step_low(struct fb_scan *scan);
void fb_scan_text_init(struct fb_scan_text *text, char *room);
void fb_scan_text_fini(struct fb_scan_text *text);
bool fb_scan_text_add(struct fb_scan_text *text, const char *bytes, size_t len);
void fb_scan_text_clear(struct fb_scan_text *text);

/* scan_number.c: numbers and words. */
bool fb_scan_begin_number(struct fb_scan *scan);
enum fb_status fb_scan_step_number(struct fb_scan *scan);
bool fb_scan_is_number(const struct fb_scan *scan);
bool fb_scan_begin_word(struct fb_scan *scan);
enum fb_status fb_scan_step_word(struct fb_scan *scan);

/**
 * scan_error.c: record @text as the failure at @offset, with the path of the value being read when
 * that is named. Returns @status.
 */
enum fb_status fb_scan_fail(struct fb_scan *scan, size_t offset, enum fb_status status,
                            const char *text);
/** The same for a bound that was reached: "@noun over @bound @unit". */
enum fb_status fb_scan_fail_limit(struct fb_scan *scan, size_t offset, const char *noun,
                                  size_t bound, const char *unit);
/** Put offset and path in front of what is recorded already. */
enum fb_status fb_scan_locate(struct fb_scan *scan, size_t offset, enum fb_status status);

#endif
