package deployment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/stretchr/testify/require"
)

func TestComposeFile(t *testing.T) {
	file := filepath.Join(root, "scripts/docker/compose.yaml")
	options, err := cli.NewProjectOptions([]string{file}, cli.WithProfiles([]string{"run"}))
	require.NoError(t, err)
	project, err := options.LoadProject(t.Context()) // validates schema and references
	require.NoError(t, err)

	require.ElementsMatch(t, []string{"grafana", "influxdb", "k6", "memcached", "nats", "redis"}, project.ServiceNames())
	k6 := project.Services["k6"]
	require.FileExists(t, filepath.Join(k6.Build.Context, k6.Build.Dockerfile))
	for name, address := range k6.Environment {
		if *address == "" {
			continue // such as MACHBASE_URL, which the user sets
		}
		host := *address
		if _, after, isURL := strings.Cut(host, "://"); isURL {
			host = after
		}
		host, _, _ = strings.Cut(host, ":")
		require.Contains(t, project.ServiceNames(), host, name)
	}
	for _, service := range project.Services {
		for _, volume := range service.Volumes {
			if volume.Type == "bind" {
				_, err := os.Stat(volume.Source)
				require.NoError(t, err, "%s mounts it", service.Name)
			}
		}
		for _, port := range service.Ports {
			require.Equal(t, "127.0.0.1", port.HostIP, "%s must not be open to everybody", service.Name)
		}
	}
}
