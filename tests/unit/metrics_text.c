/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics_text.h"

#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Is there a line that begins with @start, or with @whole is it. */
static bool has_line(const char *text, const char *start, bool whole)
{
    size_t len = strlen(start);

    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strncmp(line, start, len) == 0 && (!whole || line[len] == '\n'))
            return true;
        if (strchr(line, '\n') == NULL)
            return false;
    }
    return false;
}

static void expect(struct fb_metrics *metrics, const char *start, bool whole, bool want)
{
    size_t len = 0;
    char *text = fb_metrics_print(metrics, &len);

    assert_non_null(text);
    assert_int_equal(len, strlen(text));
    if (has_line(text, start, whole) != want)
        fail_msg("%s '%s' in:\n%s", want ? "no" : "there is", start, text);
    free(text);
}

void expect_metric(struct fb_metrics *metrics, const char *line)
{
    expect(metrics, line, true, true);
}

void expect_no_metric(struct fb_metrics *metrics, const char *start)
{
    expect(metrics, start, false, false);
}
