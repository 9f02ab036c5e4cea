/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_METRICS_TEXT_H
#define FB_TESTS_METRICS_TEXT_H

#include "metrics.h"

/** The test fails unless @line ("fabricbind_gangs{state=\"running\"} 2") is one of the lines that
 * @metrics print. */
void expect_metric(struct fb_metrics *metrics, const char *line);

/** The test fails when a line begins with @start. */
void expect_no_metric(struct fb_metrics *metrics, const char *start);

#endif
