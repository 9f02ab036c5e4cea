/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Numbers of /proc/self/stat, counted as proc(5) counts its fields. */
enum { FIRST = 4, UTIME = 14, STIME = 15, START = 22, VSIZE = 23, RSS = 24, FIELDS };

/* The line of @path that starts with @prefix; false when there is none. */
static bool read_line(const char *path, const char *prefix, char *line, int size)
{
    FILE *file = fopen(path, "re");
    bool found = false;

    if (file == NULL)
        return false;
    while (!found && fgets(line, size, file) != NULL)
        found = strncmp(line, prefix, strlen(prefix)) == 0;
    (void)fclose(file);
    return found;
}

/* The name of the program stands in parentheses and may have blanks and parentheses itself. */
static bool read_stat(uint64_t *fields)
{
    char line[1024];
    char *at;

    if (!read_line("/proc/self/stat", "", line, sizeof line))
        return false;
    at = strrchr(line, ')');
    if (at == NULL || strlen(at) < 4)
        return false;
    at += 3; /* and the state, a letter */
    for (int i = FIRST; i < FIELDS; i++) {
        char *end;

        fields[i] = strtoull(at, &end, 10);
        if (end == at)
            return false;
        at = end;
    }
    return true;
}

/* When the machine was started, in seconds since the Epoch. */
static bool read_boot(double *ret)
{
    char line[256];

    if (!read_line("/proc/stat", "btime ", line, sizeof line))
        return false;
    *ret = strtod(line + strlen("btime "), NULL);
    return true;
}

static uint64_t count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    uint64_t count = 0;
    const struct dirent *entry;

    if (dir == NULL)
        return 0;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): this DIR is nobody else's */
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.')
            count++;
    }
    (void)closedir(dir);
    return count - 1; /* that of the directory itself */
}

static uint64_t max_fds(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

bool fb_process_read(struct fb_process *ret)
{
    double ticks = (double)sysconf(_SC_CLK_TCK);
    uint64_t fields[FIELDS];
    double boot;

    if (!read_stat(fields) || !read_boot(&boot))
        return false;
    ret->cpu_seconds = (double)(fields[UTIME] + fields[STIME]) / ticks;
    ret->start_seconds = boot + (double)fields[START] / ticks;
    ret->virtual_bytes = fields[VSIZE];
    ret->resident_bytes = fields[RSS] * (uint64_t)sysconf(_SC_PAGESIZE);
    ret->open_fds = count_fds();
    ret->max_fds = max_fds();
    return true;
}
