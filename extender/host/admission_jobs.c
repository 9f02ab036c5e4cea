/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_work.h"

#include "fabricbind/forecast.h"

enum fb_status fb_admission_job(struct fb_admission_work *work, struct fb_error *err)
{
    const struct fb_config *config = &work->inventory->in.config;
    struct fb_forecast_input in = {
        .cluster = &work->cluster,
        .network = config->network_attachment,
        .require_transport = config->transport == FB_TRANSPORT_REQUIRE,
        .level = fb_admission_level(work),
    };
    struct fb_job job;
    struct fb_podspec *specs = NULL;
    struct fb_texts lines;
    enum fb_status st;

    if (!fb_admission_creates(work, "batch.volcano.sh", "Job", "") || fb_admission_leaves(work))
        return FB_OK;
    st = fb_review_read_job(work->formats, work->arena, &work->review, &job, &specs, err);
    if (st != FB_OK)
        return st;
    in.job = &job;
    in.specs = specs;
    st = fb_forecast_make(&in, &lines, err);
    for (size_t i = 0; st == FB_OK && i < lines.len; i++)
        st = fb_admission_warn(work, "fabricbind: %s", lines.at[i]);
    if (st != FB_OK)
        return fb_admission_no_memory(err);
    fb_admission_log(work, job.name, lines.len > 0 ? "warned" : "allowed");
    return FB_OK;
}
