/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_DECIDE_WORK_H
#define FB_DECIDE_WORK_H

#include "fabricbind/decide.h"
#include "fabricbind/gang.h"
#include "ledger_work.h"

/** The inside of decisions, shared by decide.c, decide_plan.c, decide_score.c, decide_session.c. */

/** A pod on its way to an answer. */
struct fb_asked {
    const struct fb_pod *pod;
    struct fb_gang gang;
    enum fb_networking networking;
    struct fb_ledger_gang *in; /* NULL: of no gang of two or more */
    const char *fabric;        /* key of the one that members are on; NULL: none is placed */
    const char *own;           /* its uid */
};

/** Who asks: looks up the gang, and forgets what the ledger holds of a pod that is asked about
 * again. FB_ENOMEM. */
enum fb_status fb_decide_ask(struct fb_ledger *ledger, const struct fb_scene *scene,
                             const struct fb_sight_task *task, struct fb_asked *ret) FB_CHECK;

/** Take over another inventory: plans end, and entries that it confirms. What has expired goes,
 * from time to time; so gangs of the ledger are to be looked up after this. */
void fb_decide_turn(struct fb_ledger *ledger, const struct fb_scene *scene);

/** Plan the gang of @asked if that is due; on the nodes of @view where the scene has none, or not
 * at all with @view NULL. FB_ENOMEM. */
enum fb_status fb_decide_plan(struct fb_ledger *ledger, const struct fb_scene *scene,
                              const struct fb_view *view, const struct fb_asked *asked) FB_CHECK;

/** Needs of one pod by fabric of a view, made when asked for. */
struct fb_needs {
    struct fb_arena *arena;
    const struct fb_cluster *cluster;
    const struct fb_asked *asked;
    struct fb_need *at; /* fabrics, and behind them one for nodes of none */
    bool *made;
};

enum fb_status fb_needs_init(struct fb_needs *needs, const struct fb_view *view,
                             const struct fb_asked *asked) FB_CHECK;
/** NULL: out of memory. */
const struct fb_need *fb_needs_get(struct fb_needs *needs, size_t fabric);

/** The verdict on @site of the view, the gang's plan taken into account. */
enum fb_status fb_decide_at(const struct fb_view *view, size_t site, const struct fb_asked *asked,
                            struct fb_needs *needs, struct fb_verdict *ret) FB_CHECK;

#endif
