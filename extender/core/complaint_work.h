/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_COMPLAINT_WORK_H
#define FB_COMPLAINT_WORK_H

#include "fabricbind/complaint.h"

/** The inside of complaints, shared by complaint.c and complaint_gang.c. */

struct fb_complaining {
    struct fb_arena *arena;   /* of what is made */
    struct fb_arena *scratch; /* reset when one pod or gang was judged */
    const struct fb_complaint_input *in;
    struct fb_complaints *made;
};

/** One more complaint of which only reason and note are left to be set; beyond the bound it is
 * dropped. A @note that is NULL was out of memory. */
enum fb_status fb_complain(struct fb_complaining *work, struct fb_complaint of, const char *reason,
                           const char *note) FB_CHECK;

/** The owner of @gang as the object of a complaint. */
struct fb_complaint fb_complaint_of_gang(const struct fb_gang *gang);

/** Of gangs that wait: too large for every fabric, or held to one that is full. */
enum fb_status fb_complain_gangs(struct fb_complaining *work) FB_CHECK;

#endif
