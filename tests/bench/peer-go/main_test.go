// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAnswers(t *testing.T) {
	const task = `"task":{"UID":"u","InitResreq":{"ScalarResources":{"nvidia.com/gpu":8000}}}`
	const full = `{"Name":"full","Idle":{"ScalarResources":{"nvidia.com/gpu":0}}}`
	const free = `{"Name":"free","Idle":{"ScalarResources":{"nvidia.com/gpu":8000}},
		"Allocatable":{"ScalarResources":{"nvidia.com/gpu":8000}}}`
	for _, c := range []struct{ path, body, want string }{
		{"/volcano/predicate", `{` + task + `,"node":` + free + `}`,
			`{"errorMessage":"","status":"","code":0}`},
		{"/volcano/predicate", `{` + task + `,"node":` + full + `}`,
			`{"errorMessage":"","status":"too few free nvidia.com/gpu","code":2}`},
		{"/volcano/prioritize", `{` + task + `,"nodes":[` + free + `,` + full + `]}`,
			`{"nodeScore":{"free":0},"errorMessage":""}`},
	} {
		recorder := httptest.NewRecorder()
		handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body)))
		if got := strings.TrimSpace(recorder.Body.String()); got != c.want {
			t.Errorf("%s: %s instead of %s", c.path, got, c.want)
		}
	}
}
