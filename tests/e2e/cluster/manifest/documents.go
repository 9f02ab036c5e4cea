// SPDX-License-Identifier: Apache-2.0

// Package manifest reads deploy/install.yaml and puts it, or other objects, into a cluster.
package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/fabricbind/tests/e2e/cluster/rig"
)

// What install.yaml names.
const (
	Space   = "fabricbind"
	Account = "fabricbind"
	Config  = "fabricbind.yaml" // key of the ConfigMap
	Webhook = "fabricbind"
	Secret  = "fabricbind-tls"
)

// Install returns the documents of install.yaml, in order.
func Install() ([][]byte, error) {
	root, err := rig.Repository()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "deploy", "install.yaml"))
	if err != nil {
		return nil, err
	}
	return Split(text)
}

// Split cuts YAML into its documents. Those without a line that is no comment are left out.
func Split(text []byte) ([][]byte, error) {
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var documents [][]byte
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(document)) > 0 {
			documents = append(documents, document)
		}
	}
}

// Strict decodes a document into the type of the API that it names. An unknown field, or one that
// is given twice, is an error.
func Strict(document []byte) (runtime.Object, error) {
	codecs := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict)
	object, _, err := codecs.UniversalDeserializer().Decode(document, nil, nil)
	return object, err
}

// Loose decodes a document without its type.
func Loose(document []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(document, object); err != nil {
		return nil, fmt.Errorf("%.60q: %w", document, err)
	}
	return object, nil
}

// One returns the only object of install.yaml that has this type.
func One[T runtime.Object]() (T, error) {
	var found []T
	var none T
	documents, err := Install()
	if err != nil {
		return none, err
	}
	for _, document := range documents {
		object, err := Strict(document)
		if err != nil {
			return none, err
		}
		if typed, is := object.(T); is {
			found = append(found, typed)
		}
	}
	if len(found) != 1 {
		return none, fmt.Errorf("install.yaml has %d objects of type %T, not one", len(found), none)
	}
	return found[0], nil
}
