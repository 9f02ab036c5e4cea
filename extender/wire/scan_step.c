/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_state.h"

static enum fb_status call_found(struct fb_scan *scan, enum fb_scan_type type, size_t offset)
{
    struct fb_scan_value value = {.id = scan->here->id, .type = type, .text = "", .key = ""};
    enum fb_status st;

    if (type == FB_SCAN_STRING || type == FB_SCAN_NUMBER) {
        value.text = fb_scan_text_get(&scan->text);
        value.len = scan->text.len;
    }
    if (scan->star != NULL) {
        value.key = fb_scan_text_get(scan->star);
        value.key_len = scan->star->len;
    }
    scan->said.status = FB_OK;
    scan->said.text[0] = '\0';
    st = scan->found(scan->context, &value, &scan->said);
    if (st == FB_OK)
        return FB_OK;
    (void)fb_error_set(&scan->failed, st, "%s",
                       scan->said.text[0] != '\0' ? scan->said.text : "refused");
    return fb_scan_locate(scan, offset, st);
}

/* The value being read is complete, or its container begins or ends: tell who asked for it. */
static inline enum fb_status tell(struct fb_scan *scan, enum fb_scan_type type, size_t offset)
{
    return fb_scan_is_named(scan) ? call_found(scan, type, offset) : FB_OK;
}

static void end_value(struct fb_scan *scan)
{
    scan->here = NULL;
    scan->state = scan->depth == 0 ? FB_SCAN_AT_END : FB_SCAN_AT_NEXT;
}

enum fb_status fb_scan_deliver(struct fb_scan *scan, enum fb_scan_type type)
{
    enum fb_status st = tell(scan, type, scan->start);

    if (st == FB_OK)
        end_value(scan);
    return st;
}

/* The innermost open object or array when it leads to a named path, else NULL. */
static struct fb_scan_frame *top_frame(struct fb_scan *scan)
{
    if (scan->depth == 0 || scan->depth != scan->frames_len)
        return NULL;
    return &scan->frames[scan->frames_len - 1];
}

static void begin_element(struct fb_scan *scan, enum fb_scan_state state)
{
    const struct fb_scan_frame *frame = top_frame(scan);

    scan->state = state;
    scan->here = frame != NULL ? frame->node->element : NULL;
    scan->star = frame != NULL ? frame->star : NULL;
}

static void push_frame(struct fb_scan *scan)
{
    struct fb_scan_frame *frame = &scan->frames[scan->frames_len++];

    frame->node = scan->here;
    frame->star = scan->star;
    frame->child = NULL;
    frame->index = 0;
}

static bool leads_on(const struct fb_scan_node *node, bool is_array)
{
    if (node == NULL)
        return false;
    return is_array ? node->element != NULL : fb_scan_node_has_keys(node);
}

static enum fb_status step_skip(struct fb_scan *scan)
{
    const char *from = scan->at;
    size_t len = (size_t)(scan->end - from);
    size_t taken = scan->kernel->skip(&scan->skip, from, len);

    scan->at = from + taken;
    if (scan->skip.stop == FB_SCAN_STOP_DEPTH)
        return fb_scan_fail_limit(scan, fb_scan_offset(scan, scan->at), "depth", scan->limits.depth,
                                  "levels");
    if (scan->skip.stop == FB_SCAN_STOP_STRING)
        return fb_scan_fail_limit(scan, fb_scan_offset(scan, scan->at), "string",
                                  scan->limits.string_bytes, "bytes");
    if (scan->skip.stop == FB_SCAN_STOP_END)
        scan->state = FB_SCAN_AT_NEXT; /* which closes it, or refuses a bracket of the other kind */
    return FB_OK;
}

/* Behind the bracket that opens: nothing inside is wanted. */
static enum fb_status begin_skip(struct fb_scan *scan)
{
    scan->state = FB_SCAN_IN_SKIP;
    scan->skip =
        fb_scan_skip_begin(scan->limits.depth - scan->depth + 1, scan->limits.string_bytes);
    return scan->at < scan->end ? step_skip(scan) : FB_OK;
}

static enum fb_status open_container(struct fb_scan *scan, bool is_array)
{
    unsigned char bit = (unsigned char)(1U << scan->depth % 8);
    unsigned char *bits = &scan->arrays[scan->depth / 8];
    const struct fb_scan_node *node;
    enum fb_status st;

    if (scan->depth == scan->limits.depth)
        return fb_scan_fail_limit(scan, scan->start, "depth", scan->limits.depth, "levels");
    st = tell(scan, is_array ? FB_SCAN_ARRAY : FB_SCAN_OBJECT, scan->start);
    if (st != FB_OK)
        return st;
    *bits = (unsigned char)(is_array ? *bits | bit : *bits & ~bit);
    scan->depth++;
    scan->in_array = is_array;
    node = scan->here;
    if (node != NULL)
        push_frame(scan);
    scan->here = NULL;
    scan->at++;
    if (!scan->limits.strict && !leads_on(node, is_array))
        return begin_skip(scan);
    if (is_array)
        begin_element(scan, FB_SCAN_AT_FIRST_VALUE);
    else
        scan->state = FB_SCAN_AT_FIRST_KEY;
    return FB_OK;
}

static enum fb_status close_container(struct fb_scan *scan)
{
    const struct fb_scan_frame *frame = top_frame(scan);
    size_t offset = fb_scan_offset(scan, scan->at++);
    enum fb_status st = FB_OK;

    scan->depth--;
    if (scan->depth > 0)
        scan->in_array = (scan->arrays[(scan->depth - 1) / 8] >> (scan->depth - 1) % 8 & 1) != 0;
    if (frame != NULL) {
        scan->frames_len--;
        scan->here = frame->node;
        scan->star = frame->star;
        st = tell(scan, FB_SCAN_END, offset);
    }
    if (st == FB_OK)
        end_value(scan);
    return st;
}

/* The first test is enough for most bytes. */
static inline bool is_space(char c)
{
    return (unsigned char)c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
}

/* False when the piece ends before anything but white space. */
static inline bool skip_space(struct fb_scan *scan)
{
    while (scan->at < scan->end && is_space(*scan->at))
        scan->at++;
    return scan->at < scan->end;
}

static enum fb_status fail_here(struct fb_scan *scan, const char *text)
{
    return fb_scan_fail(scan, fb_scan_offset(scan, scan->at), FB_EINPUT, text);
}

/* A string that is a value, behind its '"'. */
static enum fb_status begin_text(struct fb_scan *scan)
{
    bool is_named = fb_scan_is_named(scan);
    const char *at = scan->at;
    size_t len;

    if (!fb_scan_find_whole(scan, at, &len)) {
        scan->in_key = false;
        fb_scan_begin_string(scan, is_named ? &scan->text : NULL);
        return FB_OK;
    }
    scan->at = at + len + 1;
    if (is_named) {
        enum fb_status st = fb_scan_put(scan, &scan->text, at, len);

        if (st != FB_OK)
            return st;
    }
    return fb_scan_deliver(scan, FB_SCAN_STRING);
}

static enum fb_status begin_value(struct fb_scan *scan, const char *wanted)
{
    scan->start = fb_scan_offset(scan, scan->at);
    if (*scan->at == '{' || *scan->at == '[')
        return open_container(scan, *scan->at == '[');
    if (*scan->at == '"') {
        scan->at++;
        return begin_text(scan);
    }
    if (fb_scan_begin_number(scan))
        return fb_scan_step_number(scan);
    if (fb_scan_begin_word(scan))
        return fb_scan_step_word(scan);
    return fail_here(scan, wanted);
}

static enum fb_status step_value(struct fb_scan *scan)
{
    return skip_space(scan) ? begin_value(scan, "value expected") : FB_OK;
}

static enum fb_status step_first_value(struct fb_scan *scan)
{
    if (!skip_space(scan))
        return FB_OK;
    if (*scan->at == ']')
        return close_container(scan);
    return begin_value(scan, "value or ']' expected");
}

static void aim(struct fb_scan *scan, struct fb_scan_frame *frame, const struct fb_scan_node *node)
{
    frame->child = node;
    scan->state = FB_SCAN_AT_COLON;
    scan->here = node;
    scan->star = node == frame->node->star ? &frame->key : frame->star;
}

/* The key of a member is complete: is the value behind it on the way to a named path? */
enum fb_status fb_scan_end_key(struct fb_scan *scan)
{
    struct fb_scan_frame *frame = top_frame(scan);

    scan->state = FB_SCAN_AT_COLON;
    scan->here = NULL;
    if (frame != NULL)
        aim(scan, frame,
            fb_scan_node_find(frame->node, fb_scan_text_get(&frame->key), frame->key.len));
    return FB_OK;
}

static enum fb_status step_colon(struct fb_scan *scan)
{
    if (!skip_space(scan))
        return FB_OK;
    if (*scan->at != ':')
        return fail_here(scan, "':' expected");
    scan->at++;
    scan->state = FB_SCAN_AT_VALUE;
    return step_value(scan);
}

/* A key of an object on the way, all of it in this piece. Only one that "*" stands for is kept. */
static enum fb_status take_key(struct fb_scan *scan, struct fb_scan_frame *frame, const char *key,
                               size_t len)
{
    const struct fb_scan_node *node = fb_scan_node_find(frame->node, key, len);

    if (node != NULL && node == frame->node->star) {
        enum fb_status st = fb_scan_put(scan, &frame->key, key, len);

        if (st != FB_OK)
            return st;
    }
    scan->at = key + len + 1;
    aim(scan, frame, node);
    return step_colon(scan);
}

static enum fb_status begin_key(struct fb_scan *scan, const char *wanted)
{
    struct fb_scan_frame *frame = top_frame(scan);
    bool wants;
    size_t len;

    if (*scan->at != '"')
        return fail_here(scan, wanted);
    scan->at++;
    wants = frame != NULL && fb_scan_node_has_keys(frame->node);
    if (wants && fb_scan_find_whole(scan, scan->at, &len))
        return take_key(scan, frame, scan->at, len);
    scan->in_key = true;
    fb_scan_begin_string(scan, wants ? &frame->key : NULL);
    return FB_OK;
}

static enum fb_status step_key(struct fb_scan *scan)
{
    return skip_space(scan) ? begin_key(scan, "'\"' of a key expected") : FB_OK;
}

static enum fb_status step_first_key(struct fb_scan *scan)
{
    if (!skip_space(scan))
        return FB_OK;
    if (*scan->at == '}')
        return close_container(scan);
    return begin_key(scan, "'\"' of a key or '}' expected");
}

static enum fb_status step_next(struct fb_scan *scan)
{
    struct fb_scan_frame *frame = top_frame(scan);

    if (!skip_space(scan))
        return FB_OK;
    if (*scan->at == (scan->in_array ? ']' : '}'))
        return close_container(scan);
    if (*scan->at != ',')
        return fail_here(scan, scan->in_array ? "',' or ']' expected" : "',' or '}' expected");
    scan->at++;
    if (!scan->in_array) {
        scan->state = FB_SCAN_AT_KEY;
        return step_key(scan);
    }
    if (frame != NULL)
        frame->index++;
    begin_element(scan, FB_SCAN_AT_VALUE);
    return step_value(scan);
}

static enum fb_status step_end(struct fb_scan *scan)
{
    if (scan->one && skip_space(scan)) {
        scan->end = scan->at;
        return FB_OK;
    }
    return skip_space(scan) ? fail_here(scan, "more behind the document") : FB_OK;
}

static enum fb_status (*const steps[])(struct fb_scan *scan) = {
    [FB_SCAN_AT_VALUE] = step_value,
    [FB_SCAN_AT_FIRST_VALUE] = step_first_value,
    [FB_SCAN_AT_KEY] = step_key,
    [FB_SCAN_AT_FIRST_KEY] = step_first_key,
    [FB_SCAN_AT_COLON] = step_colon,
    [FB_SCAN_AT_NEXT] = step_next,
    [FB_SCAN_AT_END] = step_end,
    [FB_SCAN_IN_STRING] = fb_scan_step_string,
    [FB_SCAN_IN_ESCAPE] = fb_scan_step_escape,
    [FB_SCAN_IN_HEX] = fb_scan_step_hex,
    [FB_SCAN_AT_LOW] = fb_scan_step_low,
    [FB_SCAN_AT_LOW_U] = fb_scan_step_low,
    [FB_SCAN_IN_NUMBER] = fb_scan_step_number,
    [FB_SCAN_IN_WORD] = fb_scan_step_word,
    [FB_SCAN_IN_SKIP] = step_skip,
};

/* Each step takes a byte, fails, or goes to a state whose step does: the loop ends. */
enum fb_status fb_scan_step_all(struct fb_scan *scan)
{
    enum fb_status st = FB_OK;

    while (st == FB_OK && scan->at < scan->end)
        st = steps[scan->state](scan);
    return st;
}
