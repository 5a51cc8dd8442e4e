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

// testRunSchema returns the JSON Schema in k6-operator's CustomResourceDefinition, made strict: an
// unknown key is an error, as with kubectl --validate=strict.
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
	require.NoError(t, yaml.Unmarshal(read(t, "scripts/test/deployment/testdata/k6.io_testruns.yaml"), &crd))
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
		Script      struct {
			LocalFile string
			ConfigMap struct{ Name, File string }
		}
		Runner struct {
			Image        string
			Env          []corev1.EnvVar
			Volumes      []corev1.Volume
			VolumeMounts []corev1.VolumeMount
		}
	}
}

func TestTestRunsFitTheirDefinition(t *testing.T) {
	schema := testRunSchema(t)
	for _, file := range []string{"testrun.yaml", "script.yaml"} {
		raw := read(t, "scripts/k8s/"+file)
		var document any
		require.NoError(t, yaml.UnmarshalStrict(raw, &document))
		require.NoError(t, schema.Validate(document))

		var misspelt map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(strings.Replace(string(raw), "parallelism:", "paralelism:", 1)), &misspelt))
		require.Error(t, schema.Validate(misspelt), "the schema is strict")
	}
}

func TestManifestsFitTogether(t *testing.T) {
	var claim corev1.PersistentVolumeClaim
	require.NoError(t, yaml.UnmarshalStrict(read(t, "scripts/k8s/results.yaml"), &claim))
	require.Equal(t, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, claim.Spec.AccessModes)
	var job batchv1.Job
	require.NoError(t, yaml.UnmarshalStrict(read(t, "scripts/k8s/merge.yaml"), &job))
	pod := job.Spec.Template.Spec
	require.Equal(t, claim.Name, pod.Volumes[0].PersistentVolumeClaim.ClaimName)
	require.Contains(t, pod.Containers[0].Args[0], "cd \"/results/$NAME\"\nk6 x sweep merge */\"$NAME.json\" -o merged.json\n")
	require.Contains(t, pod.Containers[0].Args[0], "test -z \"$GATES\" || k6 x sweep gate merged.json \"$GATES\"\n")

	runs := map[string]testRun{}
	for _, file := range []string{"testrun.yaml", "script.yaml"} {
		var run testRun
		require.NoError(t, yaml.Unmarshal(read(t, "scripts/k8s/"+file), &run))
		runs[file] = run
		runner := run.Spec.Runner
		require.Equal(t, claim.Name, runner.Volumes[0].PersistentVolumeClaim.ClaimName)
		require.Equal(t, runner.VolumeMounts, pod.Containers[0].VolumeMounts)
		require.Equal(t, "/results", runner.VolumeMounts[0].MountPath)
		require.Equal(t, runner.Image, pod.Containers[0].Image)
	}
	sweep := runs["testrun.yaml"].Spec
	require.FileExists(t, root+strings.TrimPrefix(sweep.Script.LocalFile, "/sweep"))
	require.Contains(t, sweep.Args, "PORTABLE=true")
	require.Equal(t, map[string]string{"NAME": "cache-sweep-memcached", "GATES": "/sweep/thresholds/cache-sweep.json"}, values(pod.Containers[0].Env))
	require.FileExists(t, root+"/thresholds/cache-sweep.json")
	require.Equal(t, "/results/cache-sweep-memcached/$(POD)", values(sweep.Runner.Env)["SWEEP_RESULTS"])

	script := runs["script.yaml"].Spec
	require.Equal(t, []string{"-o", "sweep=?name=shop"}, script.Args)
	require.Equal(t, "/results/shop/$(POD)", values(script.Runner.Env)["SWEEP_RESULTS"])
	page := string(read(t, "scripts/k8s/README.md"))
	require.Contains(t, page, "kubectl create configmap "+script.Script.ConfigMap.Name+" --from-file="+script.Script.ConfigMap.File+"\n")
	require.Contains(t, page, "kubectl set env --local -f merge.yaml NAME=shop GATES= -o yaml")
}

func values(env []corev1.EnvVar) map[string]string {
	all := map[string]string{}
	for _, e := range env {
		if e.ValueFrom == nil {
			all[e.Name] = e.Value
		}
	}

	return all
}

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
