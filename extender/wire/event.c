/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/event.h"

#include "fabricbind/jsontext.h"
#include "fabricbind/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CONTROLLER "fabricbind.io/fabricbind"
#define ACTION "Observed"   /* it must be there */
#define ELSEWHERE "default" /* where Events go whose object has no namespace */
#define OBJECT_BYTES 220    /* of the object's name in the Event's */

static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";

static bool is_empty(const char *text)
{
    return text == NULL || text[0] == '\0';
}

/* A DNS label: what a namespace is called. */
static bool is_label(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

    return len > 0 && len <= 63 && text[len] == '\0';
}

enum fb_status fb_event_check(const struct fb_event *event, struct fb_error *err)
{
    const struct fb_pair needed[] = {
        {"kind", event->kind}, {"api_version", event->api_version},
        {"name", event->name}, {"reason", event->reason},
        {"note", event->note},
    };

    for (size_t i = 0; i < COUNT(needed); i++) {
        if (is_empty(needed[i].value))
            return fb_error_set(err, FB_EINPUT, "%s: missing", needed[i].key);
    }
    if (!is_empty(event->space) && !is_label(event->space))
        return fb_error_set(err, FB_EINPUT, "space: '%s' is no name", event->space);
    if (strlen(event->reason) > FB_EVENT_REASON_BYTES)
        return fb_error_set(err, FB_EINPUT, "reason: more than %d bytes", FB_EVENT_REASON_BYTES);
    return FB_OK;
}

/* FNV-1a, with the NUL: "ab", "c" is not "a", "bc". */
static uint64_t mix(uint64_t hash, const char *text)
{
    for (text = text != NULL ? text : ""; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3U;
    return hash * 0x100000001b3U;
}

uint64_t fb_event_hash(const struct fb_event *event)
{
    uint64_t hash = 0xcbf29ce484222325U;

    hash = mix(hash, event->kind);
    hash = mix(hash, event->api_version);
    hash = mix(hash, event->space);
    hash = mix(hash, event->name);
    hash = mix(hash, event->uid);
    return mix(hash, event->reason);
}

void fb_event_name(const struct fb_event *event, int64_t window, char ret[FB_EVENT_NAME_BYTES])
{
    char number[32];
    size_t len = 0;

    for (; event->name[len] != '\0' && len < OBJECT_BYTES; len++) {
        ret[len] = '-';
        if (strchr(name_bytes, event->name[len]) != NULL)
            ret[len] = event->name[len];
    }
    /* Each part between dots begins and ends with a letter or a digit. */
    while (len > 0 && strchr("-.", ret[len - 1]) != NULL)
        len--;
    (void)snprintf(number, sizeof number, "%" PRId64, window);
    (void)snprintf(ret + len, FB_EVENT_NAME_BYTES - len, "%s%016" PRIx64, len > 0 ? "." : "",
                   mix(fb_event_hash(event), number));
}

static const char *space_of(const struct fb_event *event)
{
    return is_empty(event->space) ? ELSEWHERE : event->space;
}

const char *fb_event_path(struct fb_arena *arena, const struct fb_event *event, const char *name)
{
    return fb_arena_print(arena, "/apis/events.k8s.io/v1/namespaces/%s/events%s%s", space_of(event),
                          name != NULL ? "/" : "", name != NULL ? name : "");
}

static void put_text(struct fb_jsontext *text, const char *key, const char *value)
{
    fb_jsontext_raw(text, key);
    fb_jsontext_string(text, value);
}

/* RFC 3339 with microseconds, as MicroTime wants it. */
static void put_time(struct fb_jsontext *text, const char *key, int64_t time_us)
{
    time_t seconds = (time_t)(time_us / 1000000);
    struct tm parts = {0};
    char day[32] = "1970-01-01T00:00:00";
    char whole[48];

    if (gmtime_r(&seconds, &parts) != NULL)
        (void)strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(whole, sizeof whole, "%s.%06dZ", day, (int)(time_us % 1000000));
    put_text(text, key, whole);
}

/* Where a text of @most bytes can be cut without breaking a character. */
static size_t cut(const char *text, size_t most)
{
    size_t len = most;

    while (len > 0 && ((unsigned char)text[len] & 0xC0U) == 0x80U)
        len--;
    return len;
}

static void put_note(struct fb_jsontext *text, struct fb_arena *arena, const char *note)
{
    if (strlen(note) > FB_EVENT_NOTE_BYTES)
        note = fb_arena_print(arena, "%.*s...", (int)cut(note, FB_EVENT_NOTE_BYTES - 3), note);
    if (note != NULL)
        put_text(text, ",\"note\":", note);
    else
        text->failed = true;
}

static void put_object(struct fb_jsontext *text, const struct fb_event *event)
{
    put_text(text, ",\"regarding\":{\"kind\":", event->kind);
    put_text(text, ",\"apiVersion\":", event->api_version);
    put_text(text, ",\"name\":", event->name);
    if (!is_empty(event->space))
        put_text(text, ",\"namespace\":", event->space);
    if (!is_empty(event->uid))
        put_text(text, ",\"uid\":", event->uid);
    fb_jsontext_raw(text, "}");
}

const char *fb_event_encode(struct fb_arena *arena, const struct fb_event *event,
                            const struct fb_event_teller *teller)
{
    struct fb_jsontext text = {.arena = arena};

    fb_jsontext_raw(&text, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\"");
    put_text(&text, ",\"metadata\":{\"name\":", teller->name);
    put_text(&text, ",\"namespace\":", space_of(event));
    put_time(&text, "},\"eventTime\":", teller->time_us);
    put_text(&text, ",\"reportingController\":", CONTROLLER);
    put_text(&text, ",\"reportingInstance\":", teller->instance);
    put_text(&text, ",\"action\":", ACTION);
    put_text(&text, ",\"reason\":", event->reason);
    put_text(&text, ",\"type\":", event->warning ? "Warning" : "Normal");
    put_note(&text, arena, event->note);
    put_object(&text, event);
    fb_jsontext_raw(&text, "}");
    return fb_jsontext_done(&text);
}

const char *fb_event_encode_series(struct fb_arena *arena, unsigned count, int64_t time_us)
{
    struct fb_jsontext text = {.arena = arena};

    fb_jsontext_raw(&text, "{\"series\":{\"count\":");
    fb_jsontext_int(&text, (int64_t)count);
    put_time(&text, ",\"lastObservedTime\":", time_us);
    fb_jsontext_raw(&text, "}}");
    return fb_jsontext_done(&text);
}
