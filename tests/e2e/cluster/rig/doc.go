// SPDX-License-Identifier: Apache-2.0

// Package rig runs a real control plane on loopback: etcd and kube-apiserver, and where a test asks
// for them kube-scheduler and kubectl, built from the module's own requirements.
package rig
