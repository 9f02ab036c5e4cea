/* SPDX-License-Identifier: Apache-2.0 */
#include "injection_work.h"

#define AFFINITY "/spec/affinity"
#define NODE_AFFINITY AFFINITY "/nodeAffinity"
#define REQUIRED NODE_AFFINITY "/requiredDuringSchedulingIgnoredDuringExecution"
#define TERMS REQUIRED "/nodeSelectorTerms"

/* The selector says the same. */
static bool is_selected(const struct fb_injection_work *work, const struct fb_pair *pin)
{
    return fb_text_equal(fb_pairs_find(&work->in->pod->selector, pin->key), pin->value);
}

/* So does the term. */
static bool is_pinned(const struct fb_term *term, const struct fb_pair *pin)
{
    for (size_t i = 0; i < term->len; i++) {
        const struct fb_requirement *at = &term->at[i];

        if (!at->field && fb_text_equal(at->key, pin->key) && fb_text_equal(at->op, "In") &&
            at->values.len == 1 && fb_text_equal(at->values.at[0], pin->value))
            return true;
    }
    return false;
}

static void add_requirement(struct fb_injection_work *work, size_t term, const struct fb_pair *pin)
{
    struct fb_jsontext path = fb_injection_at(work, TERMS "/");
    struct fb_jsontext value = {.arena = work->arena};

    fb_jsontext_int(&path, (int64_t)term);
    fb_jsontext_raw(&path, "/matchExpressions/-");
    fb_jsontext_raw(&value, "{\"key\":");
    fb_jsontext_string(&value, pin->key);
    fb_jsontext_raw(&value, ",\"operator\":\"In\",\"values\":[");
    fb_jsontext_string(&value, pin->value);
    fb_jsontext_raw(&value, "]}");
    fb_injection_add(work, &path, &value);
}

/* @known: what the term says already, NULL when it is new. */
static void pin_term(struct fb_injection_work *work, const struct fb_spec_term *term,
                     const struct fb_term *known)
{
    struct fb_jsontext list = fb_injection_at(work, TERMS "/");
    bool has_list = term->has_expressions;

    fb_jsontext_int(&list, (int64_t)term->index);
    fb_jsontext_raw(&list, "/matchExpressions");
    for (size_t i = 0; i < work->in->pins.len; i++) {
        const struct fb_pair *pin = &work->in->pins.at[i];

        if (is_selected(work, pin) || (known != NULL && is_pinned(known, pin)))
            continue;
        if (!has_list)
            fb_injection_add_text(work, &list, "[]");
        has_list = true;
        add_requirement(work, term->index, pin);
    }
}

static bool all_selected(const struct fb_injection_work *work)
{
    for (size_t i = 0; i < work->in->pins.len; i++) {
        if (!is_selected(work, &work->in->pins.at[i]))
            return false;
    }
    return true;
}

static void make_term(struct fb_injection_work *work)
{
    static const struct fb_spec_term first = {.index = 0};
    const struct fb_podspec *spec = work->in->spec;

    if (!spec->has_affinity)
        fb_injection_put(work, AFFINITY, "{}");
    if (!spec->has_node_affinity)
        fb_injection_put(work, NODE_AFFINITY, "{}");
    fb_injection_put(work, REQUIRED, "{\"nodeSelectorTerms\":[{}]}");
    pin_term(work, &first, NULL);
}

/* A requirement of every term, for they are alternatives; but of none that matches no node: it
   would match some then. */
void fb_injection_pins(struct fb_injection_work *work)
{
    const struct fb_podspec *spec = work->in->spec;
    const struct fb_pod *pod = work->in->pod;

    if (all_selected(work))
        return;
    if (!spec->has_required) {
        make_term(work);
        return;
    }
    for (size_t i = 0; i < spec->terms_len && i < pod->terms_len; i++) {
        if (!spec->terms[i].empty)
            pin_term(work, &spec->terms[i], &pod->terms[i]);
    }
}
