package influx

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/output"
)

const sesame = "open-sesame"

func TestSettings(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	base := Config{
		Address: "http://host:8086", Version: 1, Database: "db", Instance: host, PushInterval: time.Second,
		Timeout: 5 * time.Second, FlushTimeout: 10 * time.Second, BufferSize: 20_000, BatchSize: 1000,
	}
	with := func(change func(*Config)) Config {
		c := base
		change(&c)

		return c
	}
	for name, tt := range map[string]struct {
		json, argument string
		environment    map[string]string
		want           Config
	}{
		"the address alone": {argument: "http://host:8086/db", want: base},
		"a variable":        {environment: map[string]string{"K6_SWEEP_INFLUXDB_URL": "http://host:8086/db", "OTHER": "x"}, want: base},
		"a variable of others": {
			json: `{"url": "http://host:8086/db"}`, environment: map[string]string{"INFLUXDB_URL": "http://other:1/other"}, want: base,
		},
		"each overrides those before": {
			json: `{"url": "http://json:1/json", "instance": "json", "retention": "json", "bufferSize": 7, "insecureSkipTLSVerify": true}`,
			environment: map[string]string{
				"K6_SWEEP_INFLUXDB_URL":      "http://own:3/own",
				"K6_SWEEP_INFLUXDB_INSTANCE": "own", "K6_SWEEP_INFLUXDB_PUSH_INTERVAL": "2s",
				"K6_SWEEP_INFLUXDB_INSECURE_SKIP_TLS_VERIFY": "false",
			},
			argument: "http://host:8086/db?retention=argument&pushInterval=300ms",
			want: with(func(c *Config) {
				c.Instance, c.Retention, c.BufferSize, c.PushInterval = "own", "argument", 7, 300*time.Millisecond
			}),
		},
		"by name before by address": {
			json: `{"url": "http://you:x@host:8086/other", "database": "db", "username": "me", "password": "` + sesame + `"}`,
			want: with(func(c *Config) { c.Username, c.Password = "me", sesame }),
		},
		"nothing is left of another address": {
			environment: map[string]string{"K6_SWEEP_INFLUXDB_URL": "http://me:" + sesame + "@other:8086/other"},
			argument:    "http://host:8086?database=db", want: base,
		},
		"an address before a name": {
			environment: map[string]string{"K6_SWEEP_INFLUXDB_DATABASE": "other", "K6_SWEEP_INFLUXDB_USERNAME": "other"},
			argument:    "http://me:" + sesame + "@host:8086/db",
			want:        with(func(c *Config) { c.Username, c.Password = "me", sesame }),
		},
		"a user": {
			argument: "http://me:" + sesame + "@host:8086/db",
			want:     with(func(c *Config) { c.Username, c.Password = "me", sesame }),
		},
		"behind a proxy": {
			argument: "https://host/in/flux/db",
			want:     with(func(c *Config) { c.Address = "https://host/in/flux" }),
		},
		"behind a proxy, with escapes": {
			argument: "https://host/in%3Fflux%2F%41%25/d%3Fb%2F1",
			want:     with(func(c *Config) { c.Address, c.Database = "https://host/in%3Fflux%2F%41%25", "d?b/1" }),
		},
		"a host with a zone": {
			argument: "http://[fe80::1%25eth0]:8086/db",
			want:     with(func(c *Config) { c.Address = "http://[fe80::1%25eth0]:8086" }),
		},
		"version 2 by its organization": {
			argument:    "http://host:8086/db",
			environment: map[string]string{"K6_SWEEP_INFLUXDB_ORGANIZATION": "us", "K6_SWEEP_INFLUXDB_TOKEN": sesame},
			want: with(func(c *Config) {
				c.Version, c.Database, c.Bucket, c.Organization, c.Token = 2, "", "db", "us", sesame
			}),
		},
		"version 2 in a file": {
			json: `{"version": 2, "url": "http://host:8086", "bucket": "b", "organization": "us", "token": "` + sesame + `"}`,
			want: with(func(c *Config) {
				c.Version, c.Database, c.Bucket, c.Organization, c.Token = 2, "", "b", "us", sesame
			}),
		},
		"version 3 by its token": {
			argument: "http://host:8086/db?token=" + sesame,
			want:     with(func(c *Config) { c.Version, c.Token = 3, sesame }),
		},
		"version 3 without": {argument: "http://host:8086/db?version=3", want: with(func(c *Config) { c.Version = 3 })},
		"nothing in the file": {
			json: "null", argument: "http://host:8086?database=db&timeout=1s&flushTimeout=2s&batchSize=3",
			want: with(func(c *Config) { c.Timeout, c.FlushTimeout, c.BatchSize = time.Second, 2*time.Second, 3 }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := NewConfig(output.Params{
				JSONConfig: json.RawMessage(tt.json), ConfigArgument: tt.argument, Environment: tt.environment,
			})
			require.NoError(t, err)
			require.Equal(t, tt.want, c)
			require.NotContains(t, c.String(), sesame)
		})
	}
}

func TestBadSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		json, argument string
		environment    map[string]string
		want           string
	}{
		"no address":     {want: "no address: use -o sweep-influxdb=http://host:port/database, or set K6_SWEEP_INFLUXDB_URL"},
		"no URL":         {argument: "host:8086/" + sesame, want: "-o sweep-influxdb: must be a URL such as http://host:port/database"},
		"a broken URL":   {argument: "http://me:" + sesame + "@host:x/db", want: "must be a URL"},
		"a broken query": {argument: "http://host/db?token=" + sesame + ";x=%zz", want: "must be a URL"},
		"a fragment":     {argument: "http://host/db#" + sesame, want: "must be a URL"},
		"no URL in a variable": {
			environment: map[string]string{"K6_SWEEP_INFLUXDB_URL": "ftp://host/" + sesame}, want: "K6_SWEEP_INFLUXDB_URL must be a URL such as",
		},
		"no database":     {argument: "http://host", want: "InfluxDB 1 needs database"},
		"no database, 3":  {argument: "http://host?version=3", want: "InfluxDB 3 needs database"},
		"no bucket":       {argument: "http://host?organization=us&token=" + sesame, want: "InfluxDB 2 needs bucket"},
		"no organization": {argument: "http://host/db?version=2", want: "InfluxDB 2 needs organization"},
		"both":            {argument: "http://host/db?database=x&bucket=b", want: "InfluxDB 2 has no database"},
		"no token":        {argument: "http://host/b?version=2&organization=us", want: "InfluxDB 2 needs token"},
		"of another version": {
			argument: "http://me:" + sesame + "@host/db?version=3", want: "InfluxDB 3 has no username",
		},
		"a token for 1":         {argument: "http://host/db?version=1&token=" + sesame, want: "InfluxDB 1 has no token"},
		"a password alone":      {argument: "http://host/db?password=" + sesame, want: "a password needs a username"},
		"an unknown variable":   {environment: map[string]string{"K6_SWEEP_INFLUXDB_TOKENS": sesame}, want: "K6_SWEEP_INFLUXDB_TOKENS: unknown setting; known are K6_SWEEP_INFLUXDB_BATCH_SIZE, "},
		"an unknown setting":    {json: `{"tokens": "` + sesame + `"}`, want: `sweep-influxdb in k6's configuration: unknown setting "tokens"; known are batchSize, `},
		"an unknown parameter":  {argument: "http://host/db?gzip=false", want: `unknown setting "gzip"`},
		"twice":                 {argument: "http://host/db?instance=a&instance=b", want: "each setting once in its query, and no url: instance"},
		"a URL in a URL":        {argument: "http://host/db?url=http://other", want: "each setting once in its query, and no url: url"},
		"version 4":             {argument: "http://host/db?version=4", want: `version must be 1, 2 or 3, but is "4"`},
		"no time":               {environment: map[string]string{"K6_SWEEP_INFLUXDB_TIMEOUT": "5"}, want: `K6_SWEEP_INFLUXDB_TIMEOUT must be a time such as 500ms or 2s, but is "5"`},
		"no number":             {json: `{"bufferSize": 0}`, want: `bufferSize must be an integer from 1 to 10000000, but is "0"`},
		"neither true nor":      {json: `{"insecureSkipTLSVerify": 1}`, want: `insecureSkipTLSVerify must be true or false, but is "1"`},
		"nothing":               {argument: "http://host/db?instance=", want: "instance must be a non-empty text without line ends"},
		"a token of two lines":  {json: `{"token": "` + sesame + `\nX-Header: y"}`, want: "token must be a non-empty text without line ends"},
		"no object":             {json: `["` + sesame + `"]`, want: "it must be an object of settings"},
		"a list":                {json: `{"token": ["` + sesame + `"]}`, want: "token must be a text, a number, true or false"},
		"null":                  {json: `{"database": null}`, want: "database must be a text, a number, true or false"},
		"a broken text in JSON": {json: `{"database": "\ud800x"`, want: "it must be an object of settings"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewConfig(output.Params{
				JSONConfig: json.RawMessage(tt.json), ConfigArgument: tt.argument, Environment: tt.environment,
			})
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), sesame)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestInstanceOfARun(t *testing.T) {
	params := output.Params{
		ConfigArgument: "http://host/db", ScriptOptions: lib.Options{RunTags: map[string]string{"instance": "tuned"}},
	}
	c, err := NewConfig(params)
	require.NoError(t, err)
	require.Equal(t, "tuned", c.Instance)
	params.Environment = map[string]string{"K6_SWEEP_INFLUXDB_INSTANCE": "own"}
	c, err = NewConfig(params)
	require.NoError(t, err)
	require.Equal(t, "own", c.Instance)
}

func TestRedact(t *testing.T) {
	c := Config{Token: sesame, Password: "pass"}
	require.Equal(t, "a *** and a ***", c.redact("a "+sesame+" and a pass"))
	for before := longestReason - len(sesame); before < longestReason; before++ {
		text := c.redact(strings.Repeat("x", before) + sesame + strings.Repeat("y", 1000))
		require.NotContains(t, text, sesame[:1])
		require.Len(t, text, longestReason+len("..."))
	}
	require.True(t, utf8.ValidString(c.redact(strings.Repeat("x", longestReason-1)+"é")))
}

func TestInstanceOfASegment(t *testing.T) {
	names := map[string]bool{}
	for _, segment := range []string{"0:1", "0:1/2", "1/2:1"} {
		part, err := lib.NewExecutionSegmentFromString(segment)
		require.NoError(t, err)
		c, err := NewConfig(output.Params{
			ConfigArgument: "http://host/db", ScriptOptions: lib.Options{ExecutionSegment: part},
		})
		require.NoError(t, err)
		names[c.Instance] = true
	}
	require.Len(t, names, 3)
}
