/* SPDX-License-Identifier: Apache-2.0 */
#include "fabricbind/outfit_pod.h"

#include "fabricbind/creation.h"

/* The provider's equipment with the shape's on top. */
static enum fb_status equip_of(struct fb_arena *arena, const struct fb_fabric *fabric,
                               struct fb_equip *ret)
{
    return fb_equip_merge(arena, fabric->policy != NULL ? &fabric->policy->equip : NULL,
                          fabric->shape != NULL ? &fabric->shape->equip : NULL, ret);
}

static enum fb_status inject(const struct fb_outfit_new *in, const struct fb_creation *creation,
                             struct fb_injection *ret)
{
    struct fb_equip equip = {0};
    struct fb_injection_input input = {
        .pod = in->pod,
        .spec = in->spec,
        .networking = in->networking,
        .fabric = creation->fabric,
        .equip = &equip,
        .policies = in->cluster->policies,
        .settings = in->cluster->settings,
        .network = in->network,
        .require_transport = in->require_transport,
        .level = in->level,
        .pins = creation->pins,
    };
    enum fb_status st = equip_of(in->cluster->arena, creation->fabric, &equip);

    return st == FB_OK ? fb_injection_make(in->cluster->arena, &input, ret) : st;
}

enum fb_status fb_outfit_create(const struct fb_outfit_new *in, struct fb_outfit_task *ret)
{
    struct fb_creation creation = {0};
    struct fb_outfit_task made = {0};
    enum fb_status st = FB_OK;

    if (in->networking != FB_NETWORKING_NO)
        st = fb_creation_choose(in->cluster, in->pod, in->networking, in->planned, in->gang,
                                &creation);
    made.fabric = creation.fabric;
    made.denied = creation.reason;
    made.partial = creation.partial;
    if (st == FB_OK && made.fabric != NULL)
        st = inject(in, &creation, &made.injection);
    if (st != FB_OK)
        return st;
    if (made.injection.refused != NULL)
        made.denied = made.injection.refused;
    *ret = made;
    return FB_OK;
}

enum fb_status fb_outfit_bind(const struct fb_outfit_bound *in, struct fb_profile *ret,
                              struct fb_error *err)
{
    const struct fb_cluster *cluster = in->cluster;
    const struct fb_site *site = in->site != FB_NONE ? &cluster->sites[in->site] : NULL;
    struct fb_equip equip = {0};
    struct fb_need need;
    struct fb_profile_input input = {
        .site = site,
        .need = &need,
        .equip = &equip,
        .degraded = in->degraded,
        .pod_annotations_bytes = in->annotations_bytes,
    };
    enum fb_status st;

    if (in->networking == FB_NETWORKING_NO || site == NULL || site->fabric == FB_NONE) {
        *ret = (struct fb_profile){0};
        return FB_OK;
    }
    input.fabric = &cluster->fabrics[site->fabric];
    st = equip_of(cluster->arena, input.fabric, &equip);
    if (st == FB_OK)
        st = fb_need_make(cluster->arena, in->pod, in->networking, input.fabric,
                          &(struct fb_rules){cluster->policies, cluster->settings}, &need);
    if (st != FB_OK)
        return fb_error_set(err, st, "out of memory");
    return fb_profile_make(cluster->arena, &input, ret, err);
}
