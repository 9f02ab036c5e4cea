// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// answered is what came back for a review, whoever sent it.
type answered struct {
	code    int
	allowed bool
	patch   string
	body    string
}

// review posts a body to the port as anybody in the cluster could.
func (d *daemon) review(path string, body []byte) answered {
	d.t.Helper()
	client := http.Client{
		Timeout: 20 * time.Second,
		// Who the server is, is looked at elsewhere.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	defer client.CloseIdleConnections()
	got, err := client.Post(fmt.Sprintf("https://127.0.0.1:%d%s", d.admission, path),
		"application/json", bytes.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	answer := answered{code: got.StatusCode, body: string(text)}
	var told admissionv1.AdmissionReview
	if json.Unmarshal(text, &told) == nil && told.Response != nil {
		answer.allowed, answer.patch = told.Response.Allowed, string(told.Response.Patch)
	}
	return answer
}

func encode(version, resource, sub string, meta metav1.ObjectMeta, object any) []byte {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	review := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/" + version},
		Request: &admissionv1.AdmissionRequest{
			UID: "0d3a2a34-8a52-4c33-9d32-5c9f0f0a6c10", Operation: admissionv1.Create,
			Resource:    metav1.GroupVersionResource{Version: "v1", Resource: resource},
			SubResource: sub, Name: meta.Name, Namespace: meta.Namespace,
			Object: runtime.RawExtension{Raw: raw},
		},
	}
	review.Request.Kind = metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}
	if sub == "binding" {
		review.Request.Kind.Kind = "Binding"
	}
	body, err := json.Marshal(review)
	if err != nil {
		panic(err)
	}
	return body
}

func podReview(pod *corev1.Pod) []byte {
	pod = pod.DeepCopy()
	pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	return encode("v1", "pods", "", pod.ObjectMeta, pod)
}

func bindReview(version string, bound *corev1.Binding) []byte {
	bound = bound.DeepCopy()
	bound.TypeMeta = metav1.TypeMeta{Kind: "Binding", APIVersion: "v1"}
	return encode(version, "pods", "binding", bound.ObjectMeta, bound)
}

// signed tells whether a patch has a profile with a signature in it.
func signed(patch string) bool {
	return strings.Contains(patch, `signature\":\"`)
}

// Reviews that no API server sent get no signature, and those that are none get an error; the
// program goes on.
func TestForgedReviews(t *testing.T) {
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	w := newWorld(t, nodes...)
	d := w.serve(auto)
	gang := w.gang(&fixture.Gang{Name: "real", Pods: 2})
	made := w.mustCreate(gang.Pod(0))
	w.awaitInventory(d, "pod")
	genuine := d.review("/admission/bindings", bindReview("v1", binding(made, nodes[0].Name)))
	if !genuine.allowed || !signed(genuine.patch) {
		t.Fatalf("a pod without a node gets no signed profile: %+v", genuine)
	}

	unknown, wrong := binding(made, nodes[0].Name), binding(made, nodes[0].Name)
	unknown.Name, unknown.UID = "nobody", "6d6f6f6e-0000-4000-8000-000000000000"
	wrong.UID = "6d6f6f6e-0000-4000-8000-000000000001"
	for _, forged := range []*corev1.Binding{unknown, wrong} {
		answer := d.review("/admission/bindings", bindReview("v1", forged))
		if answer.code != 200 || !answer.allowed || signed(answer.patch) {
			t.Errorf("%s %s: %+v", forged.Name, forged.UID, answer)
		}
	}
	bound := w.bindAndWatch(made, nodes[0].Name)
	if !strings.Contains(bound.Annotations[profileKey], `"signature":"`) {
		t.Errorf("the profile that was bound is not signed: %s", bound.Annotations[profileKey])
	}
	awaitFor(t, "no signature for another node", func() error {
		answer := d.review("/admission/bindings", bindReview("v1", binding(bound, nodes[1].Name)))
		if signed(answer.patch) {
			return fmt.Errorf("a bound pod is signed for again: %+v", answer)
		}
		return nil
	})
}

// What is no review is answered with an error, whose line says what is wrong, and counted.
func TestWhatIsNoReview(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	d := w.serve(auto)
	old := bindReview("v1beta1", binding(plainPod(w.space, "a"), "p5-0000"))
	huge := append([]byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","fill":"`),
		bytes.Repeat([]byte("x"), 10<<20)...)
	huge = append(huge, []byte(`"}`)...)
	cases := []struct {
		what string
		body []byte
		code int
	}{
		{"v1beta1", old, 400},
		{"not a review", []byte(`{"kind":"Pod","apiVersion":"v1"}`), 400},
		{"not JSON", []byte(`{"kind`), 400},
		{"nothing", nil, 400},
		{"10 MB", huge, 413},
	}
	for _, path := range []string{"/admission/pods", "/admission/bindings", "/admission/jobs"} {
		for _, one := range cases {
			answer := d.review(path, one.body)
			if answer.code != one.code || !strings.Contains(answer.body, `"error"`) {
				t.Errorf("%s: %s: %d %.200s", path, one.what, answer.code, answer.body)
			}
		}
	}
	if got := d.metric("faults_total", `where="admission"`); got < 15 {
		t.Errorf("faults_total is %g", got)
	}
	w.awaitWebhooks() // it goes on
}
