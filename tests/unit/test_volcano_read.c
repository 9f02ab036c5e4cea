/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_fault.h"
#include "unit.h"
#include "volcano_case.h"

#include <stdlib.h>
#include <string.h>

#define POD "\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\"}}"
#define TASK "\"task\":{\"UID\":\"u\",\"NodeName\":\"\",\"Status\":1," POD "}"
#define SMALL                                                                                      \
    "{" TASK ",\"node\":{\"Name\":\"a\",\"Node\":{\"metadata\":{\"name\":\"a\",\"labels\":{"       \
    "\"k\":\"\\u0026\"}}},\"Idle\":{\"MilliCPU\":1500,\"Memory\":7,\"ScalarResources\":{"          \
    "\"nvidia.com/gpu\":8000,\"pods\":110}},\"Tasks\":{\"n/q\":{\"Status\":32,"                    \
    "\"Pod\":{\"metadata\":{\"name\":\"q\",\"namespace\":\"n\"}}}}}}"

/* Volcano's maps and lists are null where they are empty; amounts can be anything. */
static void test_volcano_read__takes_amounts_as_volcano_writes_them(void **state)
{
    static const struct {
        const char *idle, *want;
    } cases[] = {
        {"{\"MilliCPU\":1500,\"Memory\":7,\"ScalarResources\":{\"a/b\":8000,\"pods\":110}}",
         "cpu=1500 memory=7 a/b=8 pods=110"},
        {"{\"MilliCPU\":0,\"Memory\":0,\"ScalarResources\":null,\"MaxTaskNum\":9}",
         "cpu=0 memory=0"},
        {"{\"ScalarResources\":{\"a\":1.7976931348623157e+308,\"b\":9223372036854775807,"
         "\"c\":-1.7976931348623157e+308}}",
         "a=9223372036854775807 b=9223372036854776 c=-9223372036854775808"},
        {"{\"Memory\":9223372036854775807}", "memory=9223372036854775807"},
        {"{\"ScalarResources\":{\"a\":-8000,\"b\":999,\"c\":-1,\"d\":1500.5,\"e\":null}}",
         "a=-8 b=0 c=-1 d=1 e=0"},
        {"{\"Memory\":1,\"Memory\":2}", "memory=2"},
        {"null", ""},
        {"{}", ""},
    };
    struct fb_volcano_formats *formats = volcano_case_formats();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char body[1024];
        char want[256];
        char *text;

        (void)snprintf(body, sizeof body, "{" TASK ",\"node\":{\"Name\":\"a\",\"Idle\":%s}}",
                       cases[i].idle);
        (void)snprintf(want, sizeof want, "node a idle%s%s releasing pipelined\n",
                       *cases[i].want != '\0' ? " " : "", cases[i].want);
        text = volcano_case_text(
            formats, &(struct volcano_case){FB_VOLCANO_PREDICATE, body, strlen(body), 64, NULL});
        if (strncmp(text, want, strlen(want)) != 0)
            fail_msg("%s: %s", cases[i].idle, text);
        free(text);
    }
    fb_volcano_formats_free(formats);
}

static void test_volcano_read__reads_a_body_in_any_order(void **state)
{
    static const char want[] =
        "node a  labels=1 ready=0 allocatable idle cpu=1500 memory=7 nvidia.com/gpu=8 pods=110 "
        "releasing pipelined on 32 n/q  labels=0 owners=0\n"
        "task u to '' status 1 n/p  labels=0 owners=0\n";
    static const char turned[] =
        "{\"node\":{\"Tasks\":{\"n/q\":{\"Pod\":{\"metadata\":{\"namespace\":\"n\",\"name\":"
        "\"q\"}},\"Status\":32},\"n/r\":{\"Status\":2,\"Pod\":null}},\"Idle\":{\"Memory\":1},"
        "\"Idle\":{\"MilliCPU\":1500,\"Memory\":7,\"ScalarResources\":{\"nvidia.com/gpu\":8000,"
        "\"pods\":110}},\"Node\":{\"metadata\":{\"labels\":{\"k\":\"v\"},\"name\":\"a\"}},"
        "\"Name\":\"a\"},\"task\":{" POD ",\"Status\":1,\"UID\":\"u\"}}";
    struct fb_volcano_formats *formats = volcano_case_formats();

    (void)state;
    for (size_t piece = 1; piece < 80; piece++) {
        char *text = volcano_case_text(formats, &(struct volcano_case){FB_VOLCANO_PREDICATE, SMALL,
                                                                       strlen(SMALL), piece, NULL});
        char *again =
            volcano_case_text(formats, &(struct volcano_case){FB_VOLCANO_PREDICATE, turned,
                                                              strlen(turned), piece, NULL});

        assert_string_equal(text, want);
        assert_string_equal(again, want);
        free(text);
        free(again);
    }
    fb_volcano_formats_free(formats);
}

static void test_volcano_read__leaves_known_nodes_unread(void **state)
{
    struct fb_volcano_formats *formats = volcano_case_formats();
    char *text = volcano_case_text(
        formats, &(struct volcano_case){FB_VOLCANO_PREDICATE, SMALL, strlen(SMALL), 5, "a"});

    (void)state;
    assert_string_equal(text, "node a idle cpu=1500 memory=7 nvidia.com/gpu=8 pods=110 releasing "
                              "pipelined on 32 n/q  labels=0 owners=0\n"
                              "task u to '' status 1 n/p  labels=0 owners=0\n");
    free(text);
    fb_volcano_formats_free(formats);
}

static void refuse(const struct fb_volcano_formats *formats, enum fb_volcano_verb verb,
                   const char *body, const char *want)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct fb_error err = {0};

    assert_non_null(out);
    if (volcano_case_read(formats, &(struct volcano_case){verb, body, strlen(body), 7, NULL}, out,
                          &err) != FB_EINPUT)
        fail_msg("%s: not refused", body);
    if (strstr(err.text, want) == NULL)
        fail_msg("%s: '%s' instead of '%s'", body, err.text, want);
    (void)fclose(out);
    free(text);
}

static void test_volcano_read__refuses_bad_input_and_says_where(void **state)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        {"", "input ends"},
        {"[]", "not an object"},
        {"7", "not an object"},
        {"null", "not an object"},
        {"{}", "task: missing"},
        {"{\"task\":null}", "task: missing"},
        {"{\"task\":[]}", "task: not an object"},
        {"{\"task\":{}}", "task.UID: missing"},
        {"{\"task\":{\"UID\":7}}", "task.UID: not a string"},
        {"{\"task\":{\"UID\":\"u\"}}", "task.Pod: missing"},
        {"{\"task\":{\"UID\":\"u\",\"Pod\":null}}", "task.Pod: missing"},
        {"{\"task\":{\"UID\":\"u\",\"Pod\":7}}", "task.Pod: not an object"},
        {"{\"task\":{\"UID\":\"u\",\"Status\":\"x\"}}", "task.Status: not a number"},
        {"{" TASK "}", "node: missing"},
        {"{" TASK ",\"node\":null}", "node: missing"},
        {"{" TASK ",\"node\":[]}", "node: not an object"},
        {"{" TASK ",\"node\":{}}", "node: Name: missing"},
        {"{" TASK ",\"node\":{\"Name\":[]}}", "node.Name: not a string"},
        {"{" TASK ",\"node\":{\"Idle\":7}}", "node.Idle: not an object"},
        {"{" TASK ",\"node\":{\"Idle\":{\"ScalarResources\":[]}}}",
         "node.Idle.ScalarResources: not an object"},
        {"{" TASK ",\"node\":{\"Idle\":{\"ScalarResources\":{\"a\":\"8\"}}}}",
         "node.Idle.ScalarResources.a: not a number"},
        {"{" TASK ",\"node\":{\"Tasks\":[]}}", "node.Tasks: not an object"},
        {"{" TASK ",\"node\":{\"Tasks\":{\"a\":7}}}", "node.Tasks.a: not an object"},
        {"{" TASK ",\"node\":{\"Tasks\":{\"a\":{\"Status\":{}}}}}",
         "node.Tasks.a.Status: not a number"},
        {"{" TASK ",\"node\":{\"Node\":7}}", "node.Node: not an object"},
        {"{" TASK "}x", "byte"},
    };
    struct fb_volcano_formats *formats = volcano_case_formats();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        refuse(formats, FB_VOLCANO_PREDICATE, cases[i].body, cases[i].want);
    refuse(formats, FB_VOLCANO_PRIORITIZE, "{" TASK ",\"nodes\":[7]}", "nodes[0]: not an object");
    refuse(formats, FB_VOLCANO_ALLOCATE, "{\"task\":{}}", "task.UID: missing");
    fb_volcano_formats_free(formats);
}

/* Cut at every byte it is refused, or is as whole as it was when only white space is missing. */
static void test_volcano_read__refuses_a_body_cut_anywhere(void **state)
{
    struct fb_volcano_formats *formats = volcano_case_formats();

    (void)state;
    for (size_t len = 0; len < strlen(SMALL); len++) {
        char body[sizeof SMALL];

        memcpy(body, SMALL, len);
        body[len] = '\0';
        refuse(formats, FB_VOLCANO_PREDICATE, body, "");
    }
    fb_volcano_formats_free(formats);
}

static void test_volcano_read__has_limits(void **state)
{
    struct fb_volcano_formats *formats = volcano_case_formats();
    char *body = malloc(400000);
    size_t len;
    FILE *out = tmpfile();
    struct fb_error err = {0};

    (void)state;
    assert_non_null(body);
    assert_non_null(out);
    len = (size_t)sprintf(body, "{" TASK ",\"node\":{\"Name\":\"a\",\"Tasks\":{");
    for (int i = 0; i < 4097; i++)
        len += (size_t)sprintf(body + len, "%s\"%d\":{\"Pod\":{}}", i > 0 ? "," : "", i);
    (void)sprintf(body + len, "}}}");
    assert_int_equal(volcano_case_read(formats,
                                       &(struct volcano_case){FB_VOLCANO_PREDICATE, body,
                                                              strlen(body), 4096, NULL},
                                       out, &err),
                     FB_ELIMIT);
    assert_non_null(strstr(err.text, "node.Tasks.4096: more than 4096 tasks of one node"));
    memset(body, '[', 10000);
    memcpy(body, "{\"x\":", 5);
    body[10000] = '\0';
    assert_int_equal(
        volcano_case_read(formats,
                          &(struct volcano_case){FB_VOLCANO_PREDICATE, body, 10000, 4096, NULL},
                          out, &err),
        FB_ELIMIT);
    (void)fclose(out);
    free(body);
    fb_volcano_formats_free(formats);
}

/* What bodies are read as must not depend on how they are cut. */
struct pieces {
    const struct fb_volcano_formats *formats;
    enum fb_volcano_verb verb;
    size_t nodes;
};

static void read_in_pieces(const char *path, void *context)
{
    struct pieces *pieces = context;
    static const size_t sizes[] = {997, 7};
    size_t len;
    char *body = volcano_case_load(path, &len);
    char *whole = volcano_case_text(pieces->formats,
                                    &(struct volcano_case){pieces->verb, body, len, len, NULL});

    for (size_t i = 0; i < COUNT(sizes); i++) {
        char *text = volcano_case_text(
            pieces->formats, &(struct volcano_case){pieces->verb, body, len, sizes[i], NULL});

        assert_string_equal(text, whole);
        free(text);
    }
    for (const char *at = whole; (at = strstr(at, "node ")) != NULL; at++)
        pieces->nodes++;
    free(whole);
    free(body);
}

static void test_volcano_read__reads_all_that_was_recorded(void **state)
{
    struct fb_volcano_formats *formats = volcano_case_formats();
    struct pieces pieces = {formats, FB_VOLCANO_PREDICATE, 0};

    (void)state;
    assert_int_equal(volcano_case_each("predicate", read_in_pieces, &pieces), 391);
    assert_int_equal(pieces.nodes, 391);
    pieces.verb = FB_VOLCANO_PRIORITIZE;
    assert_int_equal(volcano_case_each("prioritize", read_in_pieces, &pieces), 60);
    pieces.verb = FB_VOLCANO_ALLOCATE;
    assert_int_equal(volcano_case_each("allocateFunc", read_in_pieces, &pieces), 40);
    fb_volcano_formats_free(formats);
}

static void test_volcano_read__reads_what_a_recorded_body_says(void **state)
{
    struct fb_volcano_formats *formats = volcano_case_formats();
    size_t len;
    char *body = volcano_case_load("aws/0005-predicate.json", &len);
    char *text = volcano_case_text(
        formats, &(struct volcano_case){FB_VOLCANO_PREDICATE, body, len, 65536, NULL});

    (void)state;
    assert_non_null(strstr(text, "node p5-0002 p5.48xlarge labels="));
    assert_non_null(strstr(text, " ready=1 allocatable "));
    assert_non_null(strstr(text, " idle cpu=190000 memory=2147483648000 "
                                 "ephemeral-storage=536870912000 hugepages-2Mi=10754195456 "
                                 "nvidia.com/gpu=8 pods=110 vpc.amazonaws.com/efa=32 releasing"));
    assert_non_null(strstr(text, "task 2c43081b-d63d-466f-93b1-6422dcd60d55 to '' status 1 "
                                 "default/llama-sft-leader-0 "));
    assert_non_null(strstr(text, "nvidia.com/gpu=8 vpc.amazonaws.com/efa=32"));
    free(text);
    free(body);
    fb_volcano_formats_free(formats);
}

static void survive(enum fb_volcano_verb verb, const char *path)
{
    struct fb_volcano_formats *formats = volcano_case_formats();
    FILE *out = tmpfile();
    size_t len;
    char *body = volcano_case_load(path, &len);
    enum fb_status st = FB_ENOMEM;

    assert_non_null(out);
    for (int after = 0; st != FB_OK; after += after < 200 ? 1 : 37) {
        alloc_fault_arm(after);
        st = volcano_case_read(formats, &(struct volcano_case){verb, body, len, 65536, NULL}, out,
                               NULL);
        alloc_fault_disarm();
        assert_true(st == FB_OK || st == FB_ENOMEM);
        assert_true(after < 100000);
    }
    (void)fclose(out);
    free(body);
    fb_volcano_formats_free(formats);
}

static void test_volcano_read__survives_every_failed_allocation(void **state)
{
    bool made = false;

    (void)state;
    survive(FB_VOLCANO_PREDICATE, "aws/0005-predicate.json");
    survive(FB_VOLCANO_PRIORITIZE, "aws/0013-prioritize.json");
    for (int after = 0; !made; after++) {
        struct fb_volcano_formats *formats = NULL;
        enum fb_status st;

        alloc_fault_arm(after);
        st = fb_volcano_formats_new(&formats, NULL);
        alloc_fault_disarm();
        made = st == FB_OK;
        assert_true(made || st == FB_ENOMEM);
        fb_volcano_formats_free(formats);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volcano_read__takes_amounts_as_volcano_writes_them),
        cmocka_unit_test(test_volcano_read__reads_a_body_in_any_order),
        cmocka_unit_test(test_volcano_read__leaves_known_nodes_unread),
        cmocka_unit_test(test_volcano_read__refuses_bad_input_and_says_where),
        cmocka_unit_test(test_volcano_read__refuses_a_body_cut_anywhere),
        cmocka_unit_test(test_volcano_read__has_limits),
        cmocka_unit_test(test_volcano_read__reads_all_that_was_recorded),
        cmocka_unit_test(test_volcano_read__reads_what_a_recorded_body_says),
        cmocka_unit_test(test_volcano_read__survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
