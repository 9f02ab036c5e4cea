/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include "fabricbind/check.h"
#include "fabricbind/gang.h"
#include "fabricbind/own.h"

#include <stdlib.h>

static void set_one(struct fb_metrics *metrics, enum fb_metric metric, const char *label,
                    size_t value)
{
    fb_metrics_set(metrics, metric, &label, (double)value);
}

static void measure_nics(struct fb_metrics *metrics, const struct fb_cluster *cluster)
{
    fb_metrics_clear(metrics, FB_METRIC_NICS);
    for (size_t i = 0; i < cluster->sites_len; i++) {
        const struct fb_site *site = &cluster->sites[i];
        const struct fb_resources *units = &site->reading.units;

        for (size_t k = 0; site->reading.policy != NULL && k < units->len; k++) {
            const char *name = units->at[k].name;
            const char *all[] = {site->reading.policy->provider, name, "allocatable"};
            const char *left[] = {site->reading.policy->provider, name, "free"};

            fb_metrics_add(metrics, FB_METRIC_NICS, all,
                           (double)fb_resources_get(&site->allocatable, name));
            fb_metrics_add(metrics, FB_METRIC_NICS, left,
                           (double)fb_resources_get(&site->free, name));
        }
    }
}

/* Where a gang is found to be, pod by pod. */
struct whereabouts {
    bool runs, spans;
    bool is_held; /* to a fabric */
    size_t fabric;
};

static void freep(struct whereabouts **at)
{
    free(*at);
}

static void note_resident(const struct fb_cluster *cluster, const struct fb_resident *resident,
                          struct whereabouts *at)
{
    size_t fabric = fb_gang_fabric(cluster, resident);

    at->runs = true;
    if (fabric == FB_NONE)
        return;
    at->spans = at->spans || (at->is_held && at->fabric != fabric);
    at->is_held = true;
    at->fabric = fabric;
}

static void measure_gangs(struct fb_metrics *metrics, const struct fb_cluster *cluster)
{
    FB_OWNED(freep)
    struct whereabouts *gangs = calloc(cluster->gangs_len + 1, sizeof *gangs);
    size_t running = 0;
    size_t spanning = 0;

    fb_metrics_clear(metrics, FB_METRIC_GANGS);
    if (gangs == NULL)
        return;
    for (size_t i = 0; i < cluster->residents_len; i++) {
        const struct fb_resident *resident = &cluster->residents[i];

        if (resident->gang != FB_NONE && resident->site != FB_NONE)
            note_resident(cluster, resident, &gangs[resident->gang]);
    }
    for (size_t i = 0; i < cluster->gangs_len; i++) {
        running += gangs[i].runs && !gangs[i].spans;
        spanning += gangs[i].spans;
    }
    set_one(metrics, FB_METRIC_GANGS, "running", running);
    set_one(metrics, FB_METRIC_GANGS, "spanning", spanning);
}

static bool is_degraded(const struct fb_reading *reading)
{
    return fb_reading_has(reading, FB_PROBLEM_NICS_BELOW_SHAPE) ||
           fb_reading_has(reading, FB_PROBLEM_NICS_ZERO);
}

void fb_measure_cluster(struct fb_metrics *metrics, const struct fb_cluster *cluster)
{
    size_t degraded = 0;

    for (size_t i = 0; i < cluster->sites_len; i++)
        degraded += is_degraded(&cluster->sites[i].reading);
    measure_nics(metrics, cluster);
    measure_gangs(metrics, cluster);
    fb_metrics_set(metrics, FB_METRIC_DEGRADED, NULL, (double)degraded);
    fb_metrics_set(metrics, FB_METRIC_RATIO_MISMATCH, NULL, (double)fb_check_mismatched(cluster));
}

void fb_measure_inventory(struct fb_metrics *metrics, const struct fb_inventory *inventory)
{
    const struct fb_objects *objects = &inventory->in.objects;

    fb_measure_cluster(metrics, &inventory->in.cluster);
    set_one(metrics, FB_METRIC_OBJECTS, "node", objects->nodes_len);
    set_one(metrics, FB_METRIC_OBJECTS, "pod", objects->pods_len);
    set_one(metrics, FB_METRIC_OBJECTS, "podgroup", objects->podgroups_len);
    set_one(metrics, FB_METRIC_OBJECTS, "job", objects->jobs->len);
    set_one(metrics, FB_METRIC_OBJECTS, "namespace", inventory->in.namespaces.len);
    set_one(metrics, FB_METRIC_BUILD, FB_VERSION, 1);
}

void fb_measure_age(struct fb_metrics *metrics, const struct fb_inventory *inventory,
                    int64_t now_ms)
{
    fb_metrics_clear(metrics, FB_METRIC_AGE);
    if (inventory->has_snapshot || (inventory->live && inventory->synced))
        fb_metrics_set(metrics, FB_METRIC_AGE, NULL, (double)(now_ms - inventory->read_ms) / 1e3);
}
