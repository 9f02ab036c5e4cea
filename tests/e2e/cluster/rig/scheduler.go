// SPDX-License-Identifier: Apache-2.0

package rig

import "errors"

// StartScheduler runs kube-scheduler with its own defaults, as an administrator. It ends with the
// returned function.
func (c *Cluster) StartScheduler() (stop func() error, err error) {
	path, err := Binary(Scheduler)
	if err != nil {
		return nil, err
	}
	config, err := c.AdminKubeconfig()
	if err != nil {
		return nil, err
	}
	p, err := start(c.Folder, Scheduler, path, "--kubeconfig", config,
		"--authentication-kubeconfig", config, "--authorization-kubeconfig", config,
		"--leader-elect=false", "--bind-address", "127.0.0.1", "--secure-port", "0")
	if err != nil {
		return nil, err
	}
	return func() error {
		select {
		case <-p.ended:
			return errors.New("kube-scheduler ended:\n" + p.tail())
		default:
			return p.stop()
		}
	}, nil
}
