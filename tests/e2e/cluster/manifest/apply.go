// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// Applier puts objects of any kind into a cluster, by server-side apply.
type Applier struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

// NewApplier makes one that acts as config.
func NewApplier(config *rest.Config) (*Applier, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))
	return &Applier{client: client, mapper: mapper}, nil
}

// Apply creates or changes an object, with strict validation of its fields. dryRun: the server does
// all but keep it.
func (a *Applier) Apply(ctx context.Context, object *unstructured.Unstructured, dryRun bool) error {
	resource, err := a.resource(object)
	if err != nil {
		return err
	}
	text, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	force := true
	options := metav1.PatchOptions{
		FieldManager: "e2e", Force: &force, FieldValidation: metav1.FieldValidationStrict,
	}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	_, err = resource.Patch(ctx, object.GetName(), types.ApplyPatchType, text, options)
	if err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

func (a *Applier) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		// It may be of a definition that is newer than what was discovered.
		a.mapper.Reset()
		mapping, err = a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	resource := a.client.Resource(mapping.Resource)
	if mapping.Scope.Name() == "namespace" {
		return resource.Namespace(object.GetNamespace()), nil
	}
	return resource, nil
}

// ApplyInstall puts the objects of install.yaml into a cluster: all, or those of the given kinds.
func (a *Applier) ApplyInstall(ctx context.Context, dryRun bool, kinds ...string) error {
	documents, err := Install()
	if err != nil {
		return err
	}
	for _, document := range documents {
		object, err := Loose(document)
		if err != nil {
			return err
		}
		if !among(kinds, object.GetKind()) {
			continue
		}
		if err := a.Apply(ctx, object, dryRun); err != nil {
			return err
		}
	}
	return nil
}

// Identity are the kinds that say who the program is and what it may do.
var Identity = []string{
	"Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding",
}

func among(kinds []string, kind string) bool {
	for _, one := range kinds {
		if one == kind {
			return true
		}
	}
	return len(kinds) == 0
}
