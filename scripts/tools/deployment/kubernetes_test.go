package deployment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// testRunSchema is the JSON Schema in k6-operator's CustomResourceDefinition, made strict: a key
// that it does not name is an error, as kubectl's --validate=strict has it.
func testRunSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema struct{ OpenAPIV3Schema map[string]any }
			}
		}
	}
	// config/crd/bases/k6.io_testruns.yaml of github.com/grafana/k6-operator v1.6.0 (Apache-2.0),
	// unchanged.
	require.NoError(t, yaml.Unmarshal(read(t, "scripts/tools/deployment/testdata/k6.io_testruns.yaml"), &crd))
	require.Len(t, crd.Spec.Versions, 1)
	require.Equal(t, "v1alpha1", crd.Spec.Versions[0].Name)
	schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	closeObjects(schema)
	schema["properties"].(map[string]any)["metadata"] = map[string]any{"type": "object", "required": []any{"name"}}

	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("testrun.json", schema))
	compiled, err := compiler.Compile("testrun.json")
	require.NoError(t, err)

	return compiled
}

// closeObjects lets no object have other properties than the schema names, and translates what JSON
// Schema does not know.
func closeObjects(schema map[string]any) {
	if schema["x-kubernetes-int-or-string"] == true {
		delete(schema, "anyOf")
		schema["type"] = []any{"integer", "string"}
	}
	if schema["properties"] != nil && schema["additionalProperties"] == nil && schema["x-kubernetes-preserve-unknown-fields"] != true {
		schema["additionalProperties"] = false
	}
	if format, _ := schema["format"].(string); strings.HasPrefix(format, "int") {
		delete(schema, "format")
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, isSchema := schema[key].(map[string]any); isSchema {
			closeObjects(below)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, below := range properties {
		closeObjects(below.(map[string]any))
	}
}

type testRun struct {
	Spec struct {
		Parallelism int
		Args        []string
		Script      struct{ LocalFile string }
		Runner      struct {
			Image        string
			Env          []corev1.EnvVar
			Volumes      []corev1.Volume
			VolumeMounts []corev1.VolumeMount
		}
	}
}

func TestTestRunFitsItsDefinition(t *testing.T) {
	raw := read(t, "scripts/k8s/testrun.yaml")
	var document any
	require.NoError(t, yaml.UnmarshalStrict(raw, &document))
	schema := testRunSchema(t)
	require.NoError(t, schema.Validate(document))

	var misspelt map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(strings.Replace(string(raw), "parallelism:", "paralelism:", 1)), &misspelt))
	require.Error(t, schema.Validate(misspelt), "the schema is strict")
}

// The three manifests fit each other, and the image.
func TestManifestsFitTogether(t *testing.T) {
	var run testRun
	require.NoError(t, yaml.Unmarshal(read(t, "scripts/k8s/testrun.yaml"), &run))
	var claim corev1.PersistentVolumeClaim
	require.NoError(t, yaml.UnmarshalStrict(read(t, "scripts/k8s/results.yaml"), &claim))
	var job batchv1.Job
	require.NoError(t, yaml.UnmarshalStrict(read(t, "scripts/k8s/merge.yaml"), &job))

	runner, pod := run.Spec.Runner, job.Spec.Template.Spec
	require.Equal(t, claim.Name, runner.Volumes[0].PersistentVolumeClaim.ClaimName)
	require.Equal(t, claim.Name, pod.Volumes[0].PersistentVolumeClaim.ClaimName)
	require.Equal(t, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, claim.Spec.AccessModes)
	require.Equal(t, runner.VolumeMounts, pod.Containers[0].VolumeMounts)
	require.Equal(t, runner.Image, pod.Containers[0].Image)
	require.FileExists(t, root+strings.TrimPrefix(run.Spec.Script.LocalFile, "/sweep"))
	require.Contains(t, run.Spec.Args, "PORTABLE=true")

	env := map[string]string{}
	for _, e := range runner.Env {
		env[e.Name] = e.Value
	}
	folder, found := strings.CutSuffix(env["SWEEP_RESULTS"], "/$(POD)")
	require.True(t, found, env["SWEEP_RESULTS"])
	require.Contains(t, pod.Containers[0].Args[0], "k6 x sweep merge "+folder+"/*/cache-sweep.json -o "+folder+"/merged.json\n")
	require.FileExists(t, root+"/thresholds/cache-sweep.json")
	require.Contains(t, pod.Containers[0].Args[0], "k6 x sweep gate "+folder+"/merged.json thresholds/cache-sweep.json\n")
}

// A gate of a step that the run does not have is crossed, so that the job and the command of the
// page would always fail.
func TestStepsOfGatesAreRun(t *testing.T) {
	var gates struct{ Absolute []struct{ Clients int } }
	require.NoError(t, yaml.Unmarshal(read(t, "thresholds/cache-sweep.json"), &gates))
	clients := regexp.MustCompile(`CLIENTS=([0-9,]+)`)
	for page, command := range map[string]string{
		"scripts/k8s/testrun.yaml": `(?m)^  args: .*$`,
		"scripts/README.md":        `(?m)^.*scripts/distributed\.sh --parts.*$`,
	} {
		line := regexp.MustCompile(command).Find(read(t, page))
		found := clients.FindSubmatch(line)
		require.NotNil(t, found, page)
		steps := strings.Split(string(found[1]), ",")
		for _, gate := range gates.Absolute {
			if gate.Clients != 0 {
				require.True(t, slices.Contains(steps, fmt.Sprint(gate.Clients)), "%s has no step of %d clients, of which a gate is", page, gate.Clients)
			}
		}
	}
}
