/* SPDX-License-Identifier: Apache-2.0 */
#include "extender_case.h"
#include "log.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char body[] =
    "{\"task\":{\"UID\":\"u-1\",\"Pod\":{\"metadata\":{\"namespace\":\"team\",\"name\":\"p\"},"
    "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}},"
    "\"node\":{\"Name\":\"a\"}}";

/* What the handler logs at @level while it answers one predicate; to be freed. */
static char *logged(enum fb_mode mode, enum fb_log_level level)
{
    struct fb_inventory *inventory = extender_case_read(NULL);
    struct extender_case run;
    FILE *out = tmpfile();
    char *text = calloc(1, 4096);

    assert_non_null(out);
    assert_non_null(text);
    inventory->in.config.mode = mode;
    extender_case_start(&run, inventory);
    fb_log_setup(fileno(out), level, true);
    free(extender_case_say(&run, FB_VOLCANO_PREDICATE, body));
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    extender_case_stop(&run);
    rewind(out);
    assert_true(fread(text, 1, 4095, out) < 4095);
    (void)fclose(out);
    return text;
}

static void test_extender_log__tells_each_verdict_to_those_who_debug(void **state)
{
    static const enum fb_mode modes[] = {FB_MODE_ENFORCE, FB_MODE_OBSERVE};

    (void)state;
    for (size_t i = 0; i < COUNT(modes); i++) {
        char *text = logged(modes[i], FB_LOG_DEBUG);

        assert_non_null(strstr(text, "\"message\":\"decided\""));
        assert_non_null(strstr(text, "\"namespace\":\"team\",\"pod\":\"p\",\"node\":\"a\","
                                     "\"verdict\":\"excluded\",\"reason\":\"too-few\","
                                     "\"resource\":\"cpu\""));
        free(text);
    }
}

static void test_extender_log__says_nothing_of_verdicts_otherwise(void **state)
{
    char *text = logged(FB_MODE_ENFORCE, FB_LOG_INFO);

    (void)state;
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extender_log__tells_each_verdict_to_those_who_debug),
        cmocka_unit_test(test_extender_log__says_nothing_of_verdicts_otherwise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
