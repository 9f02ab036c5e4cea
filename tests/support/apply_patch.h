/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_TESTS_APPLY_PATCH_H
#define FB_TESTS_APPLY_PATCH_H

/**
 * What an API server does with a JSON Patch, as far as patches have "add" only. Strict: the parent
 * of each path has to be there, and list places are 0 to the length, or "-". Of a key given twice
 * the last counts. Source: RFC 6902, RFC 6901.
 *
 * Returns the patched document, compact, of the caller's to free(); NULL when @patch is no such
 * patch or does not apply, with its number in *@ret_failed (-1: it is none).
 */
char *apply_patch(const char *document, const char *patch, int *ret_failed);

/** The value at JSON Pointer @pointer of @document, compact, to free(); NULL: there is none. */
char *find_json(const char *document, const char *pointer);

#endif
