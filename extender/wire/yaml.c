/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/yaml.h"

#include "fabricbind/own.h"
#include "yaml_tree.h"

#include <string.h>
#include <yaml.h>

#define TAG_PREFIX "tag:yaml.org,2002:"

static size_t line_of(const yaml_event_t *event)
{
    return event->start_mark.line + 1;
}

static enum fb_status check_anchor(const yaml_char_t *anchor, size_t line, struct fb_error *err)
{
    if (anchor == NULL)
        return FB_OK;
    return fb_error_set(err, FB_EINPUT, "line %zu: anchors and aliases are not taken: '%s'", line,
                        (const char *)anchor);
}

/* The standard tag's own word ("str"), "" without a tag and for the plain "!"; NULL: not ours. */
static const char *tag_word(const yaml_char_t *tag)
{
    static const char *const words[] = {"str", "int", "float", "bool", "null", "seq", "map"};
    const char *text = (const char *)tag;

    if (text == NULL || strcmp(text, "!") == 0)
        return "";
    if (!fb_text_has_prefix(text, TAG_PREFIX))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text + strlen(TAG_PREFIX), words[i]) == 0)
            return words[i];
    }
    return NULL;
}

static enum fb_status refuse_tag(const yaml_char_t *tag, size_t line, struct fb_error *err)
{
    return fb_error_set(err, FB_EINPUT, "line %zu: tag '%s' is not taken here", line,
                        (const char *)tag);
}

/* Seen from a scalar "seq" and "map" are as wrong as an unknown tag. */
static bool is_scalar_tag(const yaml_char_t *tag)
{
    const char *word = tag_word(tag);

    return word != NULL && strcmp(word, "seq") != 0 && strcmp(word, "map") != 0;
}

/* A text by its quotes or its tag: "5" and !!str 5, but not !!int "5". */
static bool is_string(const yaml_event_t *event)
{
    const char *word = tag_word(event->data.scalar.tag);

    if (event->data.scalar.tag != NULL)
        return word == NULL || word[0] == '\0' || strcmp(word, "str") == 0;
    return event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

static enum fb_status on_scalar(struct fb_yaml_tree *tree, const yaml_event_t *event,
                                struct fb_error *err)
{
    size_t line = line_of(event);
    enum fb_status st = check_anchor(event->data.scalar.anchor, line, err);

    if (st != FB_OK)
        return st;
    if (!is_scalar_tag(event->data.scalar.tag))
        return refuse_tag(event->data.scalar.tag, line, err);
    return fb_yaml_tree_scalar(tree, (const char *)event->data.scalar.value,
                               event->data.scalar.length, is_string(event), line, err);
}

static enum fb_status on_open(struct fb_yaml_tree *tree, const yaml_event_t *event,
                              struct fb_error *err)
{
    bool map = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *anchor =
        map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    const yaml_char_t *tag = map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    const char *word = tag_word(tag);
    size_t line = line_of(event);
    enum fb_status st = check_anchor(anchor, line, err);

    if (st != FB_OK)
        return st;
    if (word == NULL || (word[0] != '\0' && strcmp(word, map ? "map" : "seq") != 0))
        return refuse_tag(tag, line, err);
    return fb_yaml_tree_open(tree, map ? FB_YAML_MAP : FB_YAML_LIST, line, err);
}

static enum fb_status on_event(struct fb_yaml_tree *tree, const yaml_event_t *event,
                               struct fb_error *err)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(tree, event, err);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return on_open(tree, event, err);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return fb_yaml_tree_close(tree, err);
    case YAML_DOCUMENT_END_EVENT:
        return fb_yaml_tree_end(tree, err);
    case YAML_ALIAS_EVENT:
        return check_anchor(event->data.alias.anchor, line_of(event), err);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    default:
        return FB_OK;
    }
}

/* libyaml tells a line for all but bytes that it cannot read; these come with their offset. */
static enum fb_status explain(const yaml_parser_t *parser, const char *text, size_t len,
                              struct fb_error *err)
{
    const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
    size_t line = parser->problem_mark.line + 1;

    if (parser->error == YAML_MEMORY_ERROR)
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (size_t i = 0; i < len && i < parser->problem_offset; i++)
            line += text[i] == '\n' ? 1 : 0;
    }
    return fb_error_set(err, FB_EINPUT, "line %zu: %s", line, problem);
}

static enum fb_status read_events(yaml_parser_t *parser, struct fb_yaml_tree *tree,
                                  const char *text, size_t len, struct fb_error *err)
{
    enum fb_status st = FB_OK;
    bool ended = false;

    while (st == FB_OK && !ended) {
        FB_OWNED(yaml_event_delete) yaml_event_t event = {.type = YAML_NO_EVENT};

        if (!yaml_parser_parse(parser, &event))
            return explain(parser, text, len, err);
        ended = event.type == YAML_STREAM_END_EVENT;
        st = on_event(tree, &event, err);
    }
    return st;
}

enum fb_status fb_yaml_parse(struct fb_arena *arena, const char *text, size_t len,
                             struct fb_yaml_documents *ret, struct fb_error *err)
{
    struct fb_yaml_tree tree = {.arena = arena, .root = {.text = ""}};
    yaml_parser_t parser;
    enum fb_status st;

    if (!yaml_parser_initialize(&parser))
        return fb_error_set(err, FB_ENOMEM, "out of memory");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    st = read_events(&parser, &tree, text, len, err);
    yaml_parser_delete(&parser);
    if (st == FB_OK)
        *ret = tree.documents;
    return st;
}
