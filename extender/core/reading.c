/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/reading.h"

#include "detect.h"
#include "hardware.h"

static const char *const codes[FB_PROBLEMS] = {
    [FB_PROBLEM_NICS_BELOW_SHAPE] = "nics-below-shape",
    [FB_PROBLEM_NICS_ZERO] = "nics-zero",
    [FB_PROBLEM_NICS_ABOVE_SHAPE] = "nics-above-shape",
    [FB_PROBLEM_NICS_UNKNOWN] = "nics-unknown",
    [FB_PROBLEM_NO_NIC_RESOURCE] = "no-nic-resource",
    [FB_PROBLEM_GPUS_BELOW_SHAPE] = "gpus-below-shape",
    [FB_PROBLEM_GPUS_SHARED] = "gpus-shared",
    [FB_PROBLEM_GPUS_MIG] = "gpus-mig",
    [FB_PROBLEM_NO_GPU] = "no-gpu",
    [FB_PROBLEM_CORDONED] = "cordoned",
    [FB_PROBLEM_NOT_READY] = "not-ready",
    [FB_PROBLEM_NOT_INITIALISED] = "not-initialised",
    [FB_PROBLEM_LABELS_PLACEHOLDER] = "labels-placeholder",
    [FB_PROBLEM_SHAPE_UNKNOWN] = "shape-unknown",
    [FB_PROBLEM_BOUNDARY_UNKNOWN] = "boundary-unknown",
};

const char *fb_problem_code(enum fb_problem problem)
{
    return codes[problem];
}

bool fb_reading_has(const struct fb_reading *reading, enum fb_problem problem)
{
    return (reading->problems >> problem & 1U) != 0;
}

int64_t fb_reading_shape_nics(const struct fb_reading *reading)
{
    return reading->shape != NULL ? reading->shape->nics : -1;
}

static void note(struct fb_reading *reading, enum fb_problem problem, bool is)
{
    if (is)
        reading->problems |= UINT32_C(1) << problem;
}

static void note_nics(struct fb_reading *reading)
{
    int64_t shape = fb_reading_shape_nics(reading);
    int64_t units = 0;
    bool wanted = reading->gpus > 0 || shape > 0;

    for (size_t i = 0; i < reading->units.len; i++)
        units = fb_amount_add(units, reading->units.at[i].amount);
    if (!reading->has_nics) {
        note(reading, FB_PROBLEM_NO_NIC_RESOURCE, wanted);
        return;
    }
    note(reading, FB_PROBLEM_NICS_ZERO, units == 0);
    note(reading, FB_PROBLEM_NICS_UNKNOWN, reading->nics < 0 && reading->gpus > 0);
    if (reading->kind == FB_NIC_SLOT || shape < 0)
        return;
    if (reading->kind == FB_NIC_EACH)
        units = (int64_t)reading->units.len;
    note(reading, FB_PROBLEM_NICS_BELOW_SHAPE, reading->nics > 0 && reading->nics < shape);
    note(reading, FB_PROBLEM_NICS_ABOVE_SHAPE, units > shape);
}

static void note_gpus(struct fb_reading *reading)
{
    bool cut = fb_reading_has(reading, FB_PROBLEM_GPUS_SHARED) ||
               fb_reading_has(reading, FB_PROBLEM_GPUS_MIG);
    bool expected = reading->shape != NULL && reading->shape->gpus > 0;

    note(reading, FB_PROBLEM_NO_GPU, reading->gpus == 0 && !cut && !expected);
    note(reading, FB_PROBLEM_GPUS_BELOW_SHAPE,
         !cut && expected && reading->gpus < reading->shape->gpus);
}

/* A zone or a node of nobody's making promises nothing; of CPU nodes nobody asks. */
static void note_place(struct fb_reading *reading, bool placeholder)
{
    bool networked = reading->gpus > 0 && reading->has_nics;
    bool nowhere = reading->boundary.key == NULL && reading->tiers.len == 0;

    note(reading, FB_PROBLEM_LABELS_PLACEHOLDER, placeholder);
    note(reading, FB_PROBLEM_BOUNDARY_UNKNOWN, networked && nowhere && !placeholder);
    note(reading, FB_PROBLEM_SHAPE_UNKNOWN,
         networked && reading->shape == NULL && reading->nics >= 0);
}

static struct fb_ratio ratio_of(const struct fb_reading *reading)
{
    const struct fb_shape *shape = reading->shape;

    if (shape != NULL && shape->nics >= 0)
        return fb_ratio_of(shape->nics, shape->gpus);
    /* Of a node with sick GPUs too, NICs over those left would be nobody's ratio. */
    return fb_ratio_of(reading->nics, reading->gpus_full);
}

enum fb_status fb_reading_make(struct fb_arena *arena, const struct fb_node *node,
                               const struct fb_policies *policies,
                               const struct fb_settings *settings, struct fb_reading *ret)
{
    struct fb_reading reading = {.instance = ""};
    bool placeholder = false;
    enum fb_status st;

    reading.detected = fb_detect_provider(node, policies);
    reading.policy = settings->provider != NULL ? fb_policies_find(policies, settings->provider)
                                                : reading.detected;
    fb_detect_shape(node, &reading);
    reading.schedulable = fb_detect_health(node, &reading);
    if (node->allocatable.len == 0) {
        reading.problems = UINT32_C(1) << FB_PROBLEM_NOT_INITIALISED;
        reading.schedulable = false;
        *ret = reading;
        return FB_OK;
    }
    fb_hardware_gpus(node, settings, &reading);
    st = fb_hardware_nics(arena, node, settings, &reading);
    if (st == FB_OK)
        st = fb_detect_place(arena, node, settings, &reading, &placeholder);
    if (st != FB_OK)
        return st;
    reading.ratio = ratio_of(&reading);
    note_gpus(&reading);
    note_nics(&reading);
    note_place(&reading, placeholder);
    *ret = reading;
    return FB_OK;
}
