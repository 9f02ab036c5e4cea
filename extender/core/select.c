/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/select.h"

#include <stdint.h>

bool fb_select_labels(const struct fb_pod *pod, const struct fb_node *node)
{
    for (size_t i = 0; i < pod->selector.len; i++) {
        const struct fb_pair *want = &pod->selector.at[i];

        if (!fb_text_equal(fb_pairs_find(&node->labels, want->key), want->value))
            return false;
    }
    return true;
}

/* A sign and digits in the range of int64_t, nothing else. */
static bool whole_number(const char *text, int64_t *ret)
{
    bool negative = *text == '-';
    int64_t value = 0;

    if (*text == '-' || *text == '+')
        text++;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? '0' - *text : *text - '0', &value))
            return false;
    }
    *ret = value;
    return true;
}

/* Gt and Lt compare whole numbers; what is none compares to nothing. */
static bool compare_holds(const char *value, const char *bound, bool greater)
{
    int64_t have;
    int64_t limit;

    if (!whole_number(value, &have) || !whole_number(bound, &limit))
        return false;
    return greater ? have > limit : have < limit;
}

enum op { OP_IN, OP_NOT_IN, OP_EXISTS, OP_ABSENT, OP_GREATER, OP_LESS, OPS };

/* The operator, with as many values as the API allows it; else OPS, and the term selects nothing.
 * Fields know In and NotIn of one value only. */
static enum op op_of(const struct fb_requirement *want)
{
    static const struct {
        const char *text;
        size_t least, most;
    } ops[OPS] = {
        [OP_IN] = {"In", 1, SIZE_MAX},  [OP_NOT_IN] = {"NotIn", 1, SIZE_MAX},
        [OP_EXISTS] = {"Exists", 0, 0}, [OP_ABSENT] = {"DoesNotExist", 0, 0},
        [OP_GREATER] = {"Gt", 1, 1},    [OP_LESS] = {"Lt", 1, 1},
    };
    enum op op = OP_IN;

    while (op < OPS && !fb_text_equal(want->op, ops[op].text))
        op++;
    if (op == OPS || want->values.len < ops[op].least || want->values.len > ops[op].most)
        return OPS;
    if (want->field &&
        (op > OP_NOT_IN || want->values.len != 1 || !fb_text_equal(want->key, "metadata.name")))
        return OPS;
    return op;
}

static bool requirement_holds(const struct fb_requirement *want, const struct fb_node *node)
{
    const char *value = want->field ? node->name : fb_pairs_find(&node->labels, want->key);

    switch (op_of(want)) {
    case OP_IN:
        return value != NULL && fb_texts_has(&want->values, value);
    case OP_NOT_IN:
        return value == NULL || !fb_texts_has(&want->values, value);
    case OP_EXISTS:
        return value != NULL;
    case OP_ABSENT:
        return value == NULL;
    case OP_GREATER:
        return value != NULL && compare_holds(value, want->values.at[0], true);
    case OP_LESS:
        return value != NULL && compare_holds(value, want->values.at[0], false);
    case OPS:
    default:
        return false;
    }
}

static bool term_holds(const struct fb_term *term, const struct fb_node *node)
{
    for (size_t i = 0; i < term->len; i++) {
        if (!requirement_holds(&term->at[i], node))
            return false;
    }
    return term->len > 0; /* an empty term selects nothing */
}

bool fb_select_affinity(const struct fb_pod *pod, const struct fb_node *node)
{
    for (size_t i = 0; i < pod->terms_len; i++) {
        if (term_holds(&pod->terms[i], node))
            return true;
    }
    return !pod->has_affinity;
}

static bool tolerates(const struct fb_toleration *has, const struct fb_taint *taint)
{
    if (*has->effect != '\0' && !fb_text_equal(has->effect, taint->effect))
        return false;
    if (*has->key != '\0' && !fb_text_equal(has->key, taint->key))
        return false;
    if (fb_text_equal(has->op, "Exists"))
        return true;
    if (fb_text_equal(has->op, "Gt") || fb_text_equal(has->op, "Lt"))
        return compare_holds(taint->value, has->value, *has->op == 'G');
    return *has->key != '\0' && (*has->op == '\0' || fb_text_equal(has->op, "Equal")) &&
           fb_text_equal(has->value, taint->value);
}

static bool pod_tolerates(const struct fb_pod *pod, const struct fb_taint *taint)
{
    for (size_t i = 0; i < pod->tolerations_len; i++) {
        if (tolerates(&pod->tolerations[i], taint))
            return true;
    }
    return false;
}

const struct fb_taint *fb_select_taint(const struct fb_pod *pod, const struct fb_node *node)
{
    for (size_t i = 0; i < node->taints_len; i++) {
        const struct fb_taint *taint = &node->taints[i];
        bool hard =
            fb_text_equal(taint->effect, "NoSchedule") || fb_text_equal(taint->effect, "NoExecute");

        if (hard && !pod_tolerates(pod, taint))
            return taint;
    }
    return NULL;
}

bool fb_select_cordon(const struct fb_pod *pod)
{
    static const struct fb_taint cordon = {"node.kubernetes.io/unschedulable", "", "NoSchedule"};

    return pod_tolerates(pod, &cordon);
}
