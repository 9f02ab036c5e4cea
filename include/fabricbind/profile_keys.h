/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FB_PROFILE_KEYS_H
#define FB_PROFILE_KEYS_H

/** The three annotations of a Binding that are the profile of its node; see profile.h. */
#define FB_PROFILE_KEY "fabricbind.io/profile"
#define FB_PROFILE_CONF_KEY "fabricbind.io/nccl.conf"
#define FB_PROFILE_TOPO_KEY "fabricbind.io/nccl-topo.xml"

/** What injection marks a pod with ("true"), and what it says of what it left out. */
#define FB_MANAGED_KEY "fabricbind.io/managed"
#define FB_DEGRADED_KEY "fabricbind.io/degraded"

#endif
