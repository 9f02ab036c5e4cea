// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"context"
	"crypto/x509/pkix"
	"fmt"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Token makes a token for a service account, as a kubelet does for a pod.
func (c *Cluster) Token(ctx context.Context, space, name string, seconds int64) (string, error) {
	client, err := kubernetes.NewForConfig(c.Admin())
	if err != nil {
		return "", err
	}
	request := &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds},
	}
	answer, err := client.CoreV1().ServiceAccounts(space).
		CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return answer.Status.Token, nil
}

// As is a client with a token.
func (c *Cluster) As(token string) *rest.Config {
	config := rest.AnonymousClientConfig(c.Admin())
	config.BearerToken = token
	return config
}

// User is a client with a certificate.
func (c *Cluster) User(name string, groups ...string) (*rest.Config, error) {
	issued, err := c.authority.issue(pkix.Name{CommonName: name, Organization: groups})
	if err != nil {
		return nil, err
	}
	config := rest.AnonymousClientConfig(c.Admin())
	config.CertData, config.KeyData = issued.certificate, issued.key
	return config, nil
}

// AdminKubeconfig writes a file that kubectl and kube-scheduler read, and returns its path.
func (c *Cluster) AdminKubeconfig() (string, error) {
	user := clientcmdapi.NewAuthInfo()
	user.ClientCertificateData, user.ClientKeyData = c.admin.certificate, c.admin.key
	path := filepath.Join(c.Folder, "admin.kubeconfig")
	return path, c.WriteKubeconfig(path, filepath.Join(c.Folder, "ca.crt"), "default", user)
}

// WriteKubeconfig writes a file with one context: this cluster, the user, a namespace. authority is
// the path of a file, which is not read here.
func (c *Cluster) WriteKubeconfig(path, authority, space string, user *clientcmdapi.AuthInfo) error {
	config := clientcmdapi.NewConfig()
	cluster := clientcmdapi.NewCluster()
	cluster.Server = c.URL
	cluster.CertificateAuthority = authority
	context := clientcmdapi.NewContext()
	context.Cluster, context.AuthInfo, context.Namespace = "e2e", "e2e", space
	config.Clusters["e2e"], config.AuthInfos["e2e"], config.Contexts["e2e"] = cluster, user, context
	config.CurrentContext = "e2e"
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
