/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_fault.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int left = INT_MAX;

void alloc_fault_arm(int after)
{
    left = after;
}

void alloc_fault_disarm(void)
{
    left = INT_MAX;
}

static bool due(void)
{
    return left == 0 || (left != INT_MAX && left-- == 0);
}

/*
 * The linker sends the calls of all that is linked statically here:
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup.
 */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__wrap_realloc(void *at, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return due() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return due() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *at, size_t size)
{
    return due() ? NULL : __real_realloc(at, size);
}

char *__wrap_strdup(const char *text)
{
    return due() ? NULL : __real_strdup(text);
}
