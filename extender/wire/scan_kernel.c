/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_kernel.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi");
}

const struct fb_scan_kernel *const *fb_scan_kernels(size_t *ret_len)
{
    static const struct fb_scan_kernel *const all[] = {&fb_scan_avx2, &fb_scan_sse2,
                                                       &fb_scan_plain};
    size_t first = has_avx2() ? 0 : 1;

    *ret_len = COUNT(all) - first;
    return all + first;
}
#else
const struct fb_scan_kernel *const *fb_scan_kernels(size_t *ret_len)
{
    static const struct fb_scan_kernel *const all[] = {
#if defined(__aarch64__)
        &fb_scan_neon,
#endif
        &fb_scan_plain,
    };

    *ret_len = COUNT(all);
    return all;
}
#endif
