/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_work.h"

/* Reviews that wait at once; the others go by what is known. */
#define WAITERS 24

void fb_admission_look(struct fb_admission_work *work, struct fb_inventory *inventory)
{
    fb_inventory_release(work->inventory);
    work->inventory = inventory;
    work->cluster = inventory->in.cluster;
    work->cluster.arena = work->arena;
}

bool fb_admission_wait(struct fb_admission_work *work)
{
    uint64_t generation = work->inventory->generation;

    if (!work->inventory->live || fb_inventory_clock_ms() >= work->until_ms)
        return false;
    if (atomic_fetch_add(work->waiting, 1) < WAITERS)
        fb_admission_look(work, fb_inventory_slot_await(work->slot, generation, work->until_ms));
    (void)atomic_fetch_sub(work->waiting, 1);
    return work->inventory->generation != generation;
}
