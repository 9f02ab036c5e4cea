/* SPDX-License-Identifier: Apache-2.0 */
#include "admission_case.h"

#include "log.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* JSON is written with ' for ". */

static const char denied[] =
    "{'metadata':{'generateName':'p-','annotations':{'fabricbind.io/networking':'true',"
    "'password':'secret'}},'spec':{'containers':[{'name':'c','env':[{'name':'TOKEN','value':"
    "'secret'}],'resources':{'limits':{'nvidia.com/gpu':8}}}]}}";
static const char plain[] = "{'metadata':{'name':'q'},'spec':{'containers':[{'name':'c'}]}}";

/* What is logged at @level while the creation of @pod is reviewed @times; to be freed. */
static char *logged(enum fb_mode mode, enum fb_log_level level, const char *pod, int times)
{
    struct fb_inventory *inventory = admission_case_read(NULL);
    char *object = admission_case_quote(pod);
    struct admission_case run;
    FILE *out = tmpfile();
    char *text = calloc(1, 8192);

    assert_non_null(out);
    assert_non_null(text);
    inventory->in.config.mode = mode;
    admission_case_start(&run, inventory, NULL);
    fb_log_setup(fileno(out), level, true);
    for (int i = 0; i < times; i++)
        free(admission_case_say(&run, "Pod", object));
    fb_log_setup(STDERR_FILENO, FB_LOG_ERROR, true);
    admission_case_stop(&run);
    rewind(out);
    assert_true(fread(text, 1, 8191, out) < 8191);
    (void)fclose(out);
    free(object);
    return text;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (const char *at = strchr(text, '\n'); at != NULL; at = strchr(at + 1, '\n'))
        lines++;
    return lines;
}

static void test_admission_log__has_a_line_for_each_pod_that_is_denied(void **state)
{
    static const struct {
        enum fb_mode mode;
        const char *want;
    } cases[] = {
        {FB_MODE_ENFORCE, "\"message\":\"a pod is denied: "},
        {FB_MODE_OBSERVE, "\"message\":\"a pod would be denied: "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = logged(cases[i].mode, FB_LOG_INFO, denied, 2);

        assert_int_equal(count_lines(text), 2);
        assert_non_null(strstr(text, cases[i].want));
        assert_non_null(strstr(text, "\"request\":1,\"namespace\":\"team\",\"pod\":\"p-\","
                                     "\"reason\":\"fabricbind: no node is there "));
        assert_null(strstr(text, "secret"));
        free(text);
    }
}

static void test_admission_log__tells_those_who_debug_of_each_review(void **state)
{
    char *text = logged(FB_MODE_ENFORCE, FB_LOG_DEBUG, plain, 1);

    (void)state;
    assert_int_equal(count_lines(text), 1);
    assert_non_null(strstr(text, "\"message\":\"reviewed\",\"request\":1,\"review\":\"u-1\","
                                 "\"kind\":\"Pod\",\"namespace\":\"team\",\"name\":\"q\","
                                 "\"result\":\"not-networked\""));
    free(text);
    text = logged(FB_MODE_ENFORCE, FB_LOG_INFO, plain, 1);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission_log__has_a_line_for_each_pod_that_is_denied),
        cmocka_unit_test(test_admission_log__tells_those_who_debug_of_each_review),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
