// SPDX-License-Identifier: Apache-2.0

package program

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
	"example.com/fabricbind/tests/e2e/cluster/manifest"
)

// boundToken is a token that ends when the Secret does that is returned with it.
func (w *world) boundToken(name string) string {
	w.t.Helper()
	secret, err := w.admin.CoreV1().Secrets(manifest.Space).Create(w.t.Context(),
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.endToken(name) })
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		BoundObjectRef: &authenticationv1.BoundObjectReference{
			Kind: "Secret", APIVersion: "v1", Name: name, UID: secret.UID,
		},
	}}
	answer, err := w.admin.CoreV1().ServiceAccounts(manifest.Space).
		CreateToken(w.t.Context(), manifest.Account, request, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.Status.Token
}

func (w *world) endToken(name string) {
	// Gone already, or with the cluster: both are fine.
	_ = w.admin.CoreV1().Secrets(manifest.Space).
		Delete(w.t.Context(), name, metav1.DeleteOptions{})
}

// The token's file is replaced and the old token ends: the next choice of a gang is written with
// the new one.
func TestTokenIsReplaced(t *testing.T) {
	w := newWorld(t, twoZones(t, 2)...)
	d := newDaemon(t, w.cluster, w.service, auto+"wiring: score\n")
	d.write("token", w.boundToken("first"))
	w.use(d.start().awaitReady())
	w.awaitWebhooks()
	d.write("token", w.boundToken("second"))
	w.endToken("first")
	awaitFor(t, "a choice with the new token", func() error {
		w.gangs++
		gang := w.gang(&fixture.Gang{Name: fmt.Sprintf("after-%d", w.gangs), Pods: 2})
		w.mustCreate(gang.Pod(0))
		if w.choice(gang) == "" {
			return fmt.Errorf("nothing was written")
		}
		return nil
	})
	w.awaitInventory(d, "pod")
}

// The API server comes back with a certificate of another authority. While the file has the old one
// the program keeps what it knows; when it has the new one it goes on.
func TestAuthorityIsReplaced(t *testing.T) {
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	w := ownWorld(t, nodes[:4]...)
	d := w.serve(auto)
	if err := w.cluster.StopServer(); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.NewAuthority(); err != nil {
		t.Fatal(err)
	}
	before := d.metric("watch_restarts_total")
	if err := w.cluster.StartServer(); err != nil {
		t.Fatal(err)
	}
	w.connect()
	w.addNodes(nodes[4:]...)
	awaitFor(t, "a watch that fails", func() error {
		if now := d.metric("watch_restarts_total"); now <= before {
			return fmt.Errorf("watch_restarts_total is %g", now)
		}
		return nil
	})
	if got := d.metric("inventory_objects", `kind="node"`); got != 4 {
		t.Errorf("%g nodes are known from a server that nobody knows", got)
	}
	d.renewAuthority(w.cluster)
	w.awaitInventory(d, "node")
}

// bundle is what the API server verifies the webhooks' server with; it must be one for all.
func (w *world) bundle() *x509.CertPool {
	w.t.Helper()
	hooks, err := w.admin.AdmissionregistrationV1().MutatingWebhookConfigurations().
		Get(w.t.Context(), manifest.Webhook, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(hooks.Webhooks) == 0 {
		w.t.Fatal("no webhook is registered")
	}
	first := hooks.Webhooks[0].ClientConfig.CABundle
	for _, hook := range hooks.Webhooks {
		if string(hook.ClientConfig.CABundle) != string(first) {
			w.t.Errorf("%s has a bundle of its own", hook.Name)
		}
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(first) {
		w.t.Fatalf("caBundle: %q", first)
	}
	return pool
}

// verify connects to a replica as the API server does.
func (d *daemon) verify(pool *x509.CertPool) error {
	connection, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", d.admission),
		&tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
	if err != nil {
		return err
	}
	return connection.Close()
}

// Replicas that start together agree on one authority, and either shows a certificate of it.
func TestReplicasRaceForTheSecret(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	replicas := w.serveReplicas(3, auto)
	for i, replica := range replicas {
		awaitFor(t, fmt.Sprintf("certificate of replica %d", i), func() error {
			return replica.verify(w.bundle())
		})
		expiry := replica.metric("certificate_expiry_timestamp_seconds")
		if left := time.Until(time.Unix(int64(expiry), 0)); left < 24*time.Hour {
			t.Errorf("replica %d: the certificate is good for %s", i, left)
		}
	}
	// Each in turn answers alone, and no admission fails.
	for _, replica := range replicas {
		w.use(replica)
		gang := fixture.Gang{Name: "turn", Space: w.space, Pods: 1,
			Annotations: map[string]string{fixture.Networking: "true"}}
		pod := gang.Pod(0)
		pod.OwnerReferences = nil
		if _, err := w.create(pod, true); err != nil {
			t.Error(err)
		}
	}
}

// What is no certificate in the Secret is replaced, before the start and while the program runs;
// no admission fails.
func TestSecretIsSpoilt(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	spoilt := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: manifest.Secret},
		StringData: map[string]string{"tls.crt": "none", "tls.key": "none", "ca.crt": "none"},
		Type:       corev1.SecretTypeOpaque,
	}
	secrets := w.admin.CoreV1().Secrets(manifest.Space)
	if _, err := secrets.Create(t.Context(), spoilt, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	d := w.serve(auto)
	awaitFor(t, "a certificate", func() error { return d.verify(w.bundle()) })
	secret, err := secrets.Get(t.Context(), manifest.Secret, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for key := range secret.Data {
		secret.Data[key] = []byte("none")
	}
	spoiltVersion, err := secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gang := fixture.Gang{Name: "meanwhile", Space: w.space, Pods: 1,
		Annotations: map[string]string{fixture.Networking: "true"}}
	pod := gang.Pod(0)
	pod.OwnerReferences = nil
	awaitFor(t, "a Secret that is written anew", func() error {
		if _, err := w.create(pod, true); err != nil {
			t.Fatalf("an admission failed: %v", err)
		}
		now, err := secrets.Get(t.Context(), manifest.Secret, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if now.ResourceVersion == spoiltVersion.ResourceVersion {
			return fmt.Errorf("it is as it was spoilt")
		}
		return nil
	})
	awaitFor(t, "a certificate of the new bundle", func() error { return d.verify(w.bundle()) })
	if _, err := w.create(pod, true); err != nil {
		t.Errorf("an admission failed: %v", err)
	}
}
