/* SPDX-License-Identifier: Apache-2.0 */
#include "check_volcano_parts.h"

#include <string.h>

#define PREFIX "extender.urlPrefix"
#define NO_PORT (-1L)

/* "host:port" in pieces; the host without brackets. */
struct address {
    const char *host;
    size_t host_len;
    long port; /* NO_PORT: none is given, or it is no number */
};

/* The number of @len digits, or NO_PORT. */
static long port_of(const char *text, size_t len)
{
    long port = 0;

    if (len == 0 || len > 5)
        return NO_PORT;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return NO_PORT;
        port = port * 10 + (text[i] - '0');
    }
    return port;
}

static struct address address_of(const char *text)
{
    struct address address = {.host = text, .port = NO_PORT};
    size_t len = strcspn(text, "/?#");
    size_t end;

    if (*text == '[') {
        address.host = text + 1;
        address.host_len = strcspn(text + 1, "]/");
        end = address.host_len + 2;
    } else {
        address.host_len = strcspn(text, ":/?#");
        end = address.host_len;
    }
    if (end < len && text[end] == ':')
        address.port = port_of(text + end + 1, len - end - 1);
    return address;
}

static bool is_host(const struct address *address, const char *name)
{
    return strlen(name) == address->host_len &&
           strncmp(name, address->host, address->host_len) == 0;
}

static bool is_loopback(const struct address *address)
{
    return is_host(address, "localhost") || is_host(address, "::1") ||
           (address->host_len > 4 && strncmp(address->host, "127.", 4) == 0);
}

static bool is_everywhere(const struct address *address)
{
    return is_host(address, "0.0.0.0") || is_host(address, "::");
}

/* What is called must be what is listened on; a Service in between may have a port of its own. */
static enum fb_status check_address(struct fb_volcano_check *check, size_t line,
                                    const struct address *called)
{
    const char *listen = check->coupling->listen;
    struct address heard = address_of(listen);
    bool near = is_loopback(called);
    long port = called->port == NO_PORT ? 80 : called->port;

    if (near != is_loopback(&heard) && !(near && is_everywhere(&heard)))
        return fb_volcano_note(check, FB_LEVEL_ERROR, "url-unreachable", "extender",
                               "line %zu: " PREFIX " goes to host %.*s, which does not lead to "
                               "listen.extender %s",
                               line, (int)called->host_len, called->host, listen);
    if (heard.port == port || heard.port == 0)
        return FB_OK;
    return fb_volcano_note(check, near ? FB_LEVEL_ERROR : FB_LEVEL_WARNING, "url-port", "extender",
                           "line %zu: " PREFIX " goes to port %ld, listen.extender is %s%s", line,
                           port, listen, near ? "" : ": fine where a Service leads there");
}

enum fb_status fb_check_volcano_url(struct fb_volcano_check *check)
{
    const struct fb_volcano_setting *set =
        fb_volcano_settings_find(&check->extender->arguments, PREFIX);
    const char *url = fb_volcano_argument(check, PREFIX);
    struct address called;

    if (*url == '\0')
        return fb_volcano_note(check, FB_LEVEL_ERROR, "url-missing", "extender",
                               PREFIX " is missing: every call fails");
    if (fb_text_has_prefix(url, "https:"))
        return fb_volcano_note(check, FB_LEVEL_ERROR, "url-https", "extender",
                               "line %zu: " PREFIX " is https: listen.extender speaks plain HTTP, "
                               "as Volcano can neither be given a CA nor prove who it is",
                               set->line);
    called = address_of(fb_text_has_prefix(url, "http://") ? url + strlen("http://") : "");
    if (called.host_len == 0)
        return fb_volcano_note(check, FB_LEVEL_ERROR, "url-scheme", "extender",
                               "line %zu: " PREFIX " is no http://host:port/path: every call fails",
                               set->line);
    return check_address(check, set->line, &called);
}
