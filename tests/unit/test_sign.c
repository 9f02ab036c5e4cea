/* SPDX-License-Identifier: Apache-2.0 */
#include "sign.h"

#include "alloc_fault.h"
#include "tls.h"
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct fb_sign_subject subject = {"0c7d-uid", "node-1", "{\"nics\":32}"};
static struct fb_arena *arena;
static char *key, *public;

static int set_up(void **state)
{
    (void)state;
    arena = fb_arena_new(0);
    return arena == NULL || fb_sign_make(&key, NULL) != FB_OK ||
           fb_sign_public(key, &public, NULL) != FB_OK;
}

static int tear_down(void **state)
{
    (void)state;
    free(key);
    free(public);
    fb_arena_free(arena);
    return 0;
}

static struct fb_sign *signer(void)
{
    struct fb_sign *sign = fb_sign_new();

    assert_non_null(sign);
    assert_int_equal(fb_sign_set(sign, key, NULL), FB_OK);
    return sign;
}

static void test_sign_text__holds_for_its_own_subject_only(void **state)
{
    static const struct fb_sign_subject others[] = {
        {"0c7d-uie", "node-1", "{\"nics\":32}"}, {"0c7d-uid", "node-2", "{\"nics\":32}"},
        {"0c7d-uid", "node-1", "{\"nics\":33}"}, {"0c7d-uidn", "ode-1", "{\"nics\":32}"},
        {"0c7d-uid", "node-1{", "\"nics\":32}"}, {"", "", ""},
    };
    struct fb_sign *sign = signer();
    const char *text = fb_sign_text(sign, arena, &subject);

    (void)state;
    assert_non_null(text);
    assert_int_equal(strlen(text), 88);
    assert_true(fb_sign_holds(public, &subject, text));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(fb_sign_holds(public, &others[i], text));
    fb_sign_free(sign);
}

static void test_sign_holds__is_false_for_anything_else(void **state)
{
    struct fb_sign *sign = signer();
    char *text = strdup(fb_sign_text(sign, arena, &subject));
    char *other = NULL;
    char *other_public = NULL;

    (void)state;
    assert_int_equal(fb_sign_make(&other, NULL), FB_OK);
    assert_int_equal(fb_sign_public(other, &other_public, NULL), FB_OK);
    assert_false(fb_sign_holds(other_public, &subject, text));
    assert_false(fb_sign_holds("", &subject, text));
    assert_false(fb_sign_holds(key, &subject, text));
    assert_false(fb_sign_holds(public, &subject, ""));
    assert_false(fb_sign_holds(public, &subject, "AAAA"));
    text[3] = text[3] == 'A' ? 'B' : 'A';
    assert_false(fb_sign_holds(public, &subject, text));
    free(text);
    free(other);
    free(other_public);
    fb_sign_free(sign);
}

static void test_sign_set__refuses_other_keys_and_keeps_its_own(void **state)
{
    struct fb_sign *sign = fb_sign_new();
    struct fb_tls_pair authority = {0};
    struct fb_error err = {0};

    (void)state;
    assert_non_null(sign);
    assert_null(fb_sign_text(sign, arena, &subject));
    assert_int_equal(fb_sign_set(sign, key, NULL), FB_OK);
    assert_int_equal(fb_sign_set(sign, "garbage", &err), FB_EINPUT);
    assert_string_equal(err.text, "signing key: unsupported");
    assert_int_equal(fb_tls_make_authority(0, 1, &authority, NULL), FB_OK);
    assert_int_equal(fb_sign_set(sign, authority.key_pem, &err), FB_EINPUT);
    assert_string_equal(err.text, "signing key: is not Ed25519");
    assert_true(fb_sign_holds(public, &subject, fb_sign_text(sign, arena, &subject)));
    fb_tls_pair_fini(&authority);
    fb_sign_free(sign);
}

static void *sign_many(void *context)
{
    struct fb_sign *sign = context;
    struct fb_arena *own = fb_arena_new(0);
    size_t bad = own == NULL;

    for (int i = 0; i < 50 && bad == 0; i++) {
        const char *text = fb_sign_text(sign, own, &subject);

        bad += text == NULL || !fb_sign_holds(public, &subject, text);
    }
    fb_arena_free(own);
    return bad == 0 ? context : NULL;
}

static void test_sign_text__works_while_the_key_is_replaced(void **state)
{
    struct fb_sign *sign = signer();
    pthread_t threads[4];

    (void)state;
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, sign_many, sign), 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(fb_sign_set(sign, key, NULL), FB_OK);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *done = NULL;

        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_ptr_equal(done, sign);
    }
    fb_sign_free(sign);
}

static bool sign_once(void)
{
    struct fb_sign *sign = fb_sign_new();
    struct fb_arena *own = fb_arena_new(0);
    char *made = NULL;
    char *shown = NULL;
    bool done = sign != NULL && own != NULL && fb_sign_make(&made, NULL) == FB_OK &&
                fb_sign_public(made, &shown, NULL) == FB_OK &&
                fb_sign_set(sign, made, NULL) == FB_OK && fb_sign_text(sign, own, &subject) != NULL;

    free(made);
    free(shown);
    fb_arena_free(own);
    fb_sign_free(sign);
    return done;
}

static void test_sign__survives_a_lack_of_memory(void **state)
{
    bool done = false;
    int after = 0;

    (void)state;
    for (; !done && after < 100; after++) {
        alloc_fault_arm(after);
        done = sign_once();
        alloc_fault_disarm();
    }
    assert_true(done);
    assert_true(after > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sign_text__holds_for_its_own_subject_only),
        cmocka_unit_test(test_sign_holds__is_false_for_anything_else),
        cmocka_unit_test(test_sign_set__refuses_other_keys_and_keeps_its_own),
        cmocka_unit_test(test_sign_text__works_while_the_key_is_replaced),
        cmocka_unit_test(test_sign__survives_a_lack_of_memory),
    };

    return cmocka_run_group_tests_name("sign", tests, set_up, tear_down);
}
