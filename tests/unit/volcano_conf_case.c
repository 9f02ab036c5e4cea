/* SPDX-License-Identifier: Apache-2.0 */
#include "volcano_conf_case.h"

#include "unit.h"

#include "fabricbind/volcanofile.h"

#include <stdio.h>
#include <string.h>

const char conf_sound[] = "actions: \"enqueue, allocate, backfill\"\n"
                          "tiers:\n"
                          "- plugins:\n"
                          "  - name: gang\n"
                          "    enablePreemptable: false\n"
                          "- plugins:\n"
                          "  - name: predicates\n"
                          "  - name: extender\n"
                          "    arguments:\n"
                          "      extender.urlPrefix: http://127.0.0.1:9712/volcano\n"
                          "      extender.httpTimeout: 2s\n"
                          "      extender.ignorable: \"true\"\n"
                          "      extender.predicateVerb: predicate\n"
                          "      extender.prioritizeVerb: prioritize\n"
                          "      extender.allocateFuncVerb: allocate\n"
                          "      extender.deallocateFuncVerb: deallocate\n"
                          "      extender.onSessionCloseVerb: sessionclose\n"
                          "      extender.managedResources: [nvidia.com/gpu, amd.com/gpu]\n"
                          "  - name: nodeorder\n"
                          "    arguments:\n"
                          "      leastrequested.weight: 0\n"
                          "      balancedresource.weight: 0\n"
                          "      nodeaffinity.weight: 1\n"
                          "      podaffinity.weight: 1\n"
                          "      tainttoleration.weight: 1\n"
                          "      imagelocality.weight: 0\n"
                          "      podtopologyspread.weight: 0\n";

const struct fb_volcano_coupling conf_full = {"full", true, true, "127.0.0.1:9712"};
const struct fb_volcano_coupling conf_score = {"score", false, true, "127.0.0.1:9712"};
const struct fb_volcano_coupling conf_lean = {"lean", false, false, "127.0.0.1:9712"};

struct builder *conf_builder(void)
{
    struct builder *builder = builder_new();
    struct fb_policy *policy = make_policy(builder, "cloud", NIC, FB_NIC_EXCLUSIVE);

    (void)make_shape(builder, policy, "full-8", 8, 8);
    (void)make_node(builder, "a", "full-8", 8, NIC, 8);
    return builder;
}

static void change(const struct conf_case *at, char *text, size_t size)
{
    const char *place = at->old == NULL ? NULL : strstr(conf_sound, at->old);
    int len;

    if (at->old == NULL) {
        len = snprintf(text, size, "%s", conf_sound);
    } else {
        if (place == NULL)
            fail_msg("%s: no '%s'", at->name, at->old);
        len = snprintf(text, size, "%.*s%s%s", (int)(place - conf_sound), conf_sound, at->new,
                       place + strlen(at->old));
    }
    assert_in_range(len, 1, size - 1);
}

static void tell(const struct fb_findings *findings, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < findings->len; i++) {
        const struct fb_finding *at = &findings->at[i];
        size_t len = strlen(text);

        (void)snprintf(text + len, size - len, "%s %s %s %zu: %s\n", fb_level_name(at->level),
                       at->code, at->subject, at->count, at->message);
    }
}

struct fb_findings conf_check(struct builder *builder, const struct fb_volcano_coupling *coupling,
                              const char *yaml)
{
    struct fb_cluster cluster = build_cluster(builder);
    struct fb_volcano_conf conf = {0};
    struct fb_findings findings = {0};
    struct fb_error err = {0};

    if (fb_volcanofile_read(builder->arena, yaml, strlen(yaml), &conf, &err) != FB_OK)
        fail_msg("%s: %s", yaml, err.text);
    assert_int_equal(fb_check_volcano(&cluster, coupling, &conf, &findings), FB_OK);
    return findings;
}

void conf_expect(struct builder *builder, const struct fb_volcano_coupling *coupling,
                 const struct conf_case *at)
{
    struct fb_findings findings;
    char yaml[4096];
    char text[4096];

    change(at, yaml, sizeof yaml);
    findings = conf_check(builder, coupling, yaml);
    tell(&findings, text, sizeof text);
    if (strcmp(text, at->want) != 0)
        fail_msg("%s:\nwant %sgot  %s", at->name, at->want, text);
}
