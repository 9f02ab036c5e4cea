/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_LEDGER_WORK_H
#define FB_LEDGER_WORK_H

#include "fabricbind/cluster.h"
#include "fabricbind/ledger.h"
#include "fabricbind/sight.h"

/* A lack of memory is an answer here, not an exit. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->refused = true)
#define HASH_FUNCTION(key, len, hash) ((hash) = fb_ledger_hash(key, len))
#include <uthash.h>

#include <stdbool.h>

/* FNV-1a; the keys are UIDs and names that the API server gave or checked. */
static inline unsigned fb_ledger_hash(const char *key, size_t len)
{
    uint32_t hash = UINT32_C(2166136261);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)key[i]) * UINT32_C(16777619);
    return hash;
}

/**
 * The inside of the ledger, shared by ledger.c (pods), ledger_gang.c (gangs), ledger_plan.c (what
 * is reserved) and decide*.c.
 */

struct fb_ledger_gang;

/** A pod that the scheduler has placed. */
struct fb_ledger_pod {
    UT_hash_handle hh; /* by uid; in the order of coming */
    bool refused;
    struct fb_arena *arena; /* owned; holds what pod points at */
    struct fb_pod pod;      /* with its node */
    int64_t status;         /* enum fb_task_status */
    const char *fabric;     /* key of its node's; "" unknown */
    uint64_t session;       /* in which it was placed */
    int64_t placed_ms, expires_ms;
    uint64_t seen;               /* generation of the last inventory that tells of it */
    struct fb_ledger_gang *gang; /* NULL: none */
    struct fb_ledger_pod *next;  /* of the gang */
    struct fb_ledger_pod **link; /* what points at this one there */
    uint64_t plan;               /* serial of the plan whose quota it took; 0: none */
    size_t quota;                /* which one */
};

/** Pods of one task that are to go to one node. */
struct fb_quota {
    const char *node;
    size_t task;
    size_t left;
    size_t taken; /* in this session: pods of the task that went there, also for a while */
    bool passed;  /* in this session: one of them was asked about there, and might go */
};

/** Where the pods of a gang are to go. Owned by the gang; all else is in its arena. */
struct fb_ledger_plan {
    struct fb_arena *arena;
    uint64_t serial;         /* 1 and up */
    const char *fabric;      /* key */
    struct fb_job job;       /* of it only the names of tasks are told; quotas count them */
    struct fb_quota *quotas; /* by node, then task */
    size_t quotas_len;
    struct fb_resources *needs; /* by task: what a pod takes there */
    bool *asked;                /* by task: in this session a pod of it was asked about */
    struct fb_site *blocks;     /* sites of which only the tiers are told, one a switch block */
    size_t blocks_len;
    int64_t made_ms, expires_ms;
};

/** A node of a plan that the gang could not have. */
struct fb_ledger_avoid {
    char *node;
    int64_t expires_ms;
};

/** A gang that was asked about. */
struct fb_ledger_gang {
    UT_hash_handle hh; /* by key */
    bool refused;
    char *key;                   /* namespace and key of the gang */
    struct fb_ledger_pod *pods;  /* placed ones */
    struct fb_ledger_plan *plan; /* NULL: none */
    struct fb_ledger_avoid *avoid;
    size_t avoid_len, avoid_size;
    uint64_t generation; /* of the scene that running and least are of */
    size_t running;      /* members that the inventory tells */
    size_t least;        /* of its pods must be placed for the job to start; 0: nobody knows */
    bool asked;          /* in this session */
    int64_t asked_ms;    /* the last time */
    bool planned;        /* in this session it was tried, and need not be again */
    int64_t planned_ms;  /* when */
};

/** A node that the inventory does not tell, and its fabric as a request told it. */
struct fb_ledger_node {
    UT_hash_handle hh; /* by name; in the order of coming */
    bool refused;
    char *fabric;
    char name[];
};

struct fb_ledger {
    struct fb_ledger_limits limits; /* without zeros */
    struct fb_ledger_pod *pods;
    struct fb_ledger_gang *gangs;
    struct fb_ledger_node *nodes;
    uint64_t session;    /* the one that is open */
    uint64_t serial;     /* of the last plan */
    uint64_t generation; /* of the scene that plans are of */
    int64_t expired_ms;  /* when what had expired was last removed */
};

/* ledger.c: pods and nodes. */
struct fb_ledger_pod *fb_ledger_find(struct fb_ledger *ledger, const char *uid);
/** Keep a copy of @pod, on @node, in place of what is kept under @uid. FB_ENOMEM: what was kept is
 * perhaps lost. */
enum fb_status fb_ledger_put(struct fb_ledger *ledger, const char *uid, const struct fb_pod *pod,
                             const char *node, int64_t now_ms, struct fb_ledger_pod **ret) FB_CHECK;
void fb_ledger_remove(struct fb_ledger *ledger, struct fb_ledger_pod *pod);
void fb_ledger_expire(struct fb_ledger *ledger, int64_t now_ms);
/** The fabric of a node that only requests told, or "". */
const char *fb_ledger_fabric(struct fb_ledger *ledger, const char *node);
/** Remember it; without memory it is forgotten. */
void fb_ledger_note(struct fb_ledger *ledger, const char *node, const char *fabric);

/* ledger_gang.c */
/** The gang of this key, made when it is not there. NULL: out of memory. */
struct fb_ledger_gang *fb_ledger_gang_get(struct fb_ledger *ledger, const char *space,
                                          const char *key);
void fb_ledger_gang_join(struct fb_ledger_gang *gang, struct fb_ledger_pod *pod);
void fb_ledger_gang_leave(struct fb_ledger_pod *pod);
void fb_ledger_gang_free(struct fb_ledger *ledger, struct fb_ledger_gang *gang);
/** Placed pods that are not pipelined, of one session or of all (0). */
size_t fb_ledger_gang_placed(const struct fb_ledger_gang *gang, uint64_t session);
/** The fabric that its placed pods are on, or NULL. */
const char *fb_ledger_gang_fabric(const struct fb_ledger_gang *gang);
bool fb_ledger_gang_avoids(const struct fb_ledger_gang *gang, const char *node);
/** Leave @node out of the next plans; without memory it is not. */
void fb_ledger_gang_avoid(struct fb_ledger_gang *gang, const char *node, int64_t expires_ms);
void fb_ledger_gang_forget(struct fb_ledger_gang *gang, int64_t now_ms);

/* ledger_plan.c */
void fb_ledger_plan_free(struct fb_ledger_plan *plan);
/** The quota of @task on @node, or NULL. */
struct fb_quota *fb_ledger_plan_find(const struct fb_ledger_plan *plan, const char *node,
                                     size_t task);
/** The number of the task that a pod of the gang is of. */
size_t fb_ledger_plan_task(const struct fb_ledger_plan *plan, const struct fb_pod *pod);
/** @pod of the gang takes its place: its quota, else room that the plan has elsewhere; a pod on
 * another fabric ends the plan. */
void fb_ledger_plan_take(struct fb_ledger_gang *gang, struct fb_ledger_pod *pod);
void fb_ledger_plan_give_back(struct fb_ledger_pod *pod);
/** A session begins: nothing was asked yet. */
void fb_ledger_plan_open(struct fb_ledger_plan *plan);
/** Pods of @task that the plan has still room for, of all with FB_NONE. */
size_t fb_ledger_plan_room(const struct fb_ledger_plan *plan, size_t task);

#endif
