/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_ALLOC_FAULT_H
#define FB_TESTS_ALLOC_FAULT_H

/**
 * Let @after allocations succeed, then fail each one, until disarmed.
 *
 * Counts malloc, calloc, realloc and strdup of the code under test and of the test itself; link
 * with the ALLOC_FAULT option of fb_unit_test().
 */
void alloc_fault_arm(int after);
void alloc_fault_disarm(void);

#endif
