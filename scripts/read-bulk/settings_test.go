package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	pattern = "TestMachine_%03d.TestChangingInt"
	six     = "TestMachine_001.TestChangingInt,TestMachine_002.TestChangingInt,TestMachine_003.TestChangingInt," +
		"TestMachine_004.TestChangingInt,TestMachine_005.TestChangingInt,TestMachine_006.TestChangingInt"
)

func getenv(more ...string) func(string) string {
	values := map[string]string{"MXGW_URL": "127.0.0.1:5001", "MXGW_KEY": testKey}
	for i := 0; i < len(more); i += 2 {
		values[more[i]] = more[i+1]
	}

	return func(name string) string { return values[name] }
}

func TestSettingsAreThoseOfTheScenario(t *testing.T) {
	t.Parallel()
	s, err := parse([]string{"--client", "a=true"}, getenv())
	require.NoError(t, err)
	assert.Equal(t, []string{
		"MXGW_URL=127.0.0.1:5001", "BULK=6", "DURATION=30s", "WARMUP=2s", "CLIENT_TIMEOUT=62s", "TAGS=" + six, "TLS=false", "TLS_CA=",
		"TLS_SERVER_NAME=",
	}, s.environment())

	s, err = parse([]string{"--client", "a=true", "--duration", "90s"},
		getenv("SWEEP_DURATION", "1s", "SWEEP_WARMUP", "0s", "SWEEP_BULK", "20", "SWEEP_TLS", "1", "SWEEP_TAGS", "T%d",
			"BULK", "7", "TLS", "of somebody else"))
	require.NoError(t, err)
	assert.Equal(t, 2*time.Minute, s.timeout(), "an option counts more than a variable")
	assert.Equal(t, 20, s.bulk)
	assert.True(t, s.tls)
	assert.Equal(t, "T1", s.tags[0])
	assert.Equal(t, "T20", s.tags[19])
}

func TestURLOfTheGateway(t *testing.T) {
	t.Parallel()
	for url, byTLS := range map[string]bool{"gateway:1": false, "grpc://gateway:1": false, "grpcs://gateway:1/": true, "https://gateway:1": true} {
		s, err := parse([]string{"--client", "a=true", "--url", url}, getenv())
		require.NoError(t, err)
		assert.Contains(t, s.environment(), "MXGW_URL=gateway:1")
		assert.Equal(t, byTLS, s.tls, url)
	}
}

func TestTagsAreAPatternOrAList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given string
		want  []string
	}{
		{"M%03d.Int", []string{"M001.Int", "M002.Int"}},
		{"M%d.%d", []string{"M1.%d", "M2.%d"}},
		{"b,a", []string{"b", "a"}},
		{" b , a ", []string{"b", "a"}},
	} {
		s, err := parse([]string{"--client", "a=true", "--bulk", "2", "--tags", c.given}, getenv())
		require.NoError(t, err)
		assert.Equal(t, c.want, s.tags)
	}
	s, err := parse([]string{"--client", "a=true", "--bulk", "1", "--tags", "Only"}, getenv())
	require.NoError(t, err)
	assert.Equal(t, []string{"Only"}, s.tags)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		args []string
		tls  bool
	}{
		{nil, false},
		{[]string{"--tls", "false"}, false},
		{[]string{"--tls", "true"}, true},
		{[]string{"--tls-ca", file}, true},
		{[]string{"--tls-server-name", "gw"}, true},
	} {
		s, err := parse(append(c.args, "--client", "a=true"), getenv())
		require.NoError(t, err)
		assert.Equal(t, c.tls, s.tls, c.args)
	}
}

func TestWrongSettingsAreNamedInOneLine(t *testing.T) {
	t.Parallel()
	client := []string{"--client", "a=true"}
	for _, c := range []struct {
		args []string
		env  []string
		says string
	}{
		{nil, nil, "no client is given: --client 'name=command'"},
		{[]string{"--client", "a"}, nil, "it must be name=command"},
		{[]string{"--client", "a="}, nil, "it must be name=command"},
		{[]string{"--client", "a b=true"}, nil, "it must be name=command"},
		{append(client, "--client", "a=false"), nil, "there are two clients of the name a"},
		{append(client, "--about", "b=x"), nil, `there is no client "b" before it`},
		{append(client, "--duration", "30"), nil, `invalid value "30" for flag -duration: parse error`},
		{append(client, "--duration", "0s"), nil, "--duration and --slack must be at least 1ms"},
		{append(client, "--warmup", "-1s"), nil, "--warmup at least 0s"},
		{append(client, "--slack", "x"), nil, `invalid value "x" for flag -slack`},
		{append(client, "--bulk", "0"), nil, "--bulk is 0: it must be from 1 to 1000"},
		{append(client, "--bulk", "1001"), nil, "from 1 to 1000"},
		{append(client, "--tags", "T"), nil, `--tags is "T": it must hold %03d`},
		{append(client, "--tags", "a,b"), nil, "--tags lists 2 tags, and --bulk is 6"},
		{append(client, "--tags", "a,b,,", "--bulk", "4"), nil, "--tags lists 4 tags"},
		{append(client, "--tags", "a, ", "--bulk", "2"), nil, "--tags lists 2 tags"},
		{append(client, "--tls", "false", "--tls-ca", "x"), nil, "--tls-ca and --tls-server-name are for TLS"},
		{append(client, "--tls-ca", "/no/such/file"), nil, "/no/such/file: no such file"},
		{append(client, "--bulk", "6.5"), nil, `invalid value "6.5" for flag -bulk`},
		{append(client, "--tls", "maybe"), nil, `--tls is "maybe": it must be true or false`},
		{append(client, "--nonsense"), nil, "-nonsense"},
		{append(client, "30s"), nil, `"30s" is no option`},
		{client, []string{"MXGW_URL", ""}, "where is the gateway?"},
		{client, []string{"MXGW_URL", "gateway"}, `--url is "gateway": it must be host:port or grpc://host:port`},
		{append(client, "--url", "tcp://gateway:1"), nil, `--url is "tcp://gateway:1": it must be host:port`},
		{append(client, "--url", "grpcs://gateway:1", "--tls", "false"), nil, "--url stands for TLS, and --tls is false"},
		{client, []string{"SWEEP_BULK", "many"}, `SWEEP_BULK is "many": parse error`},
		{client, []string{"MXGW_KEY", ""}, "MXGW_KEY is not set"},
		{[]string{"--client", "a=mxgw --key " + testKey}, nil, `the command of client a holds the key`},
		{[]string{"--client", "a=mxgw --secret s3cr3t-of-this-test"}, nil, `the command of client a holds the key`},
	} {
		_, err := parse(c.args, getenv(c.env...))
		require.ErrorContains(t, err, c.says)
		assert.NotContains(t, err.Error(), "\n")
		assert.NotContains(t, err.Error(), "s3cr3t")
	}
}
