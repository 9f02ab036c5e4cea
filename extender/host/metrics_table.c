/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics_table.h"

static const struct fb_metric_row rows[FB_METRICS] = {
    [FB_METRIC_REQUESTS] = {"fabricbind_requests_total",
                            FB_METRIC_COUNTER,
                            "Requests by the status that answered them; 0 is none.",
                            {"api", "verb", "code"}},
    [FB_METRIC_DURATION] = {"fabricbind_request_duration_seconds",
                            FB_METRIC_HISTOGRAM,
                            "From the request line to the last byte of the answer.",
                            {"api", "verb"}},
    [FB_METRIC_BYTES] = {"fabricbind_request_bytes_total",
                         FB_METRIC_COUNTER,
                         "Bytes of request bodies that were read.",
                         {"api", "verb"}},
    [FB_METRIC_DECISIONS] = {"fabricbind_decisions_total",
                             FB_METRIC_COUNTER,
                             "Nodes judged for a pod.",
                             {"verdict", "reason"}},
    [FB_METRIC_INJECTIONS] = {"fabricbind_injections_total",
                              FB_METRIC_COUNTER,
                              "GPU pods looked at when they were created.",
                              {"provider", "result"}},
    [FB_METRIC_BINDS] = {"fabricbind_binds_total",
                         FB_METRIC_COUNTER,
                         "Bindings looked at.",
                         {"result"}},
    [FB_METRIC_NICS] = {"fabricbind_nics",
                        FB_METRIC_GAUGE,
                        "NICs of the nodes that are known.",
                        {"provider", "resource", "state"}},
    [FB_METRIC_GANGS] = {"fabricbind_gangs", FB_METRIC_GAUGE, "Gangs that are known.", {"state"}},
    [FB_METRIC_RATIO_MISMATCH] = {"fabricbind_ratio_mismatch_nodes",
                                  FB_METRIC_GAUGE,
                                  "Nodes whose NICs do not match the configured ratio.",
                                  {NULL}},
    [FB_METRIC_DEGRADED] = {"fabricbind_degraded_nodes",
                            FB_METRIC_GAUGE,
                            "Nodes with fewer NICs than their instance type has.",
                            {NULL}},
    [FB_METRIC_OBJECTS] = {"fabricbind_inventory_objects",
                           FB_METRIC_GAUGE,
                           "Objects in the inventory.",
                           {"kind"}},
    [FB_METRIC_AGE] = {"fabricbind_inventory_age_seconds",
                       FB_METRIC_GAUGE,
                       "Since the inventory was read.",
                       {NULL}},
    [FB_METRIC_LEDGER] = {"fabricbind_ledger_entries",
                          FB_METRIC_GAUGE,
                          "Entries of the ledger.",
                          {"kind"}},
    [FB_METRIC_FAULTS] = {"fabricbind_faults_total",
                          FB_METRIC_COUNTER,
                          "Requests answered without a decision, for a fault.",
                          {"where"}},
    [FB_METRIC_API_CALLS] = {"fabricbind_apiserver_requests_total",
                             FB_METRIC_COUNTER,
                             "Calls of the API server by the status that answered; 0 is none.",
                             {"method", "code"}},
    [FB_METRIC_EVENTS] = {"fabricbind_events_total",
                          FB_METRIC_COUNTER,
                          "Events of Kubernetes by what became of them.",
                          {"result"}},
    [FB_METRIC_API_FILES] = {"fabricbind_apiserver_files_total",
                             FB_METRIC_COUNTER,
                             "Files of the access that were read anew: changed, or not readable.",
                             {"what", "result"}},
    [FB_METRIC_CHOICES] = {"fabricbind_gang_choices_total",
                           FB_METRIC_COUNTER,
                           "Fabrics told for gangs whose pods are created, by who said so.",
                           {"result"}},
    [FB_METRIC_CERTIFICATE_EXPIRY] = {"fabricbind_certificate_expiry_timestamp_seconds",
                                      FB_METRIC_GAUGE,
                                      "When the certificate that is shown ends, since 1970.",
                                      {NULL}},
    [FB_METRIC_CERTIFICATES] = {"fabricbind_certificates_total",
                                FB_METRIC_COUNTER,
                                "Certificates made, shown or refused, and sources that failed.",
                                {"source", "result"}},
    [FB_METRIC_REGISTRATIONS] = {"fabricbind_registrations_total",
                                 FB_METRIC_COUNTER,
                                 "Webhook configurations made or repaired, and failures to.",
                                 {"result"}},
    [FB_METRIC_WATCH_RESTARTS] = {"fabricbind_watch_restarts_total",
                                  FB_METRIC_COUNTER,
                                  "Lists and watches of the API server that came to an end.",
                                  {"kind", "reason"}},
    [FB_METRIC_UNINJECTED] = {"fabricbind_uninjected_pods",
                              FB_METRIC_GAUGE,
                              "Pods for several nodes that were created without a network.",
                              {NULL}},
    [FB_METRIC_COMPLAINTS] = {"fabricbind_complaints",
                              FB_METRIC_GAUGE,
                              "Gangs and nodes that Events are due of.",
                              {"reason"}},
    [FB_METRIC_BUILD] = {"fabricbind_build_info",
                         FB_METRIC_GAUGE,
                         "Always 1; the version that runs.",
                         {"version"}},
};

const struct fb_metric_row *fb_metric_row_get(enum fb_metric family)
{
    return &rows[family];
}

size_t fb_metric_row_labels(const struct fb_metric_row *row)
{
    size_t count = 0;

    while (count < FB_METRIC_LABELS && row->labels[count] != NULL)
        count++;
    return count;
}

const double *fb_metric_bounds_get(void)
{
    static const double bounds[FB_METRIC_BUCKETS] = {
        0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
        0.05,    0.1,    0.25,    0.5,    1.0,   2.5,    5.0,   10.0,
    };

    return bounds;
}
