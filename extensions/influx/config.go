package influx

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"go.k6.io/k6/v2/output"
)

// Config is where points go, and how.
type Config struct {
	Address string // scheme://host:port, and a path, escaped, where a proxy has put the server under one; no credentials
	Version int    // of InfluxDB: 1, 2 or 3

	Database  string // of InfluxDB 1 and 3
	Retention string // policy of InfluxDB 1; "" for the database's own

	Organization, Bucket string // of InfluxDB 2

	Username, Password string // of InfluxDB 1; "" for none
	Token              string // of InfluxDB 2 and 3; "" for none

	Instance string // tag that tells this k6 from others that write at the same time

	PushInterval time.Duration // how often points are written
	Timeout      time.Duration // of a request
	FlushTimeout time.Duration // how long the end of the test may wait for the last points
	BufferSize   int           // points that are kept while the server takes none
	BatchSize    int           // points of one request, at most

	InsecureSkipTLSVerify bool
}

const (
	defaultPushInterval = time.Second
	defaultTimeout      = 5 * time.Second
	defaultFlushTimeout = 10 * time.Second
	defaultBufferSize   = 20_000 // 10 MB
	defaultBatchSize    = 1000
)

// NewConfig reads the settings of an output, each overriding those before: k6's configuration file,
// K6_SWEEP_INFLUXDB_*, and the argument of -o. The error names a setting that is unknown,
// malformed, missing or of another version; it never holds a secret.
func NewConfig(params output.Params) (Config, error) {
	s := settings{Config: Config{
		PushInterval: defaultPushInterval, Timeout: defaultTimeout, FlushTimeout: defaultFlushTimeout,
		BufferSize: defaultBufferSize, BatchSize: defaultBatchSize,
		Instance: instance(params),
	}}
	if err := s.readJSON(params.JSONConfig); err != nil {
		return Config{}, err
	}
	if err := s.readEnvironment(params.Environment); err != nil {
		return Config{}, err
	}
	if params.ConfigArgument != "" {
		if err := s.setURL(params.ConfigArgument); err != nil {
			return Config{}, fmt.Errorf("-o %s: %w", Name, err)
		}
	}
	if err := s.resolve(); err != nil {
		return Config{}, fmt.Errorf("-o %s: %w", Name, err)
	}

	return s.Config, nil
}

// instance is what the run's tag of that name says (k6 run --tag instance=...) or else the
// machine's name and, where this k6 runs one segment of a test, which.
func instance(params output.Params) string {
	name := params.ScriptOptions.RunTags["instance"]
	if name == "" {
		name, _ = os.Hostname()
	}
	name = cmp.Or(name, "k6")
	if segment := params.ScriptOptions.ExecutionSegment; segment != nil && segment.String() != "0:1" {
		name += " " + segment.String()
	}

	return name
}

// resolve finds out the version, and reads of the address what is not set by its name.
func (s *settings) resolve() error {
	if s.Version == 0 {
		s.Version = s.likely()
	}
	if s.path != "" && s.Database == "" && s.Bucket == "" {
		if s.Version == 2 {
			s.Bucket = s.path
		} else {
			s.Database = s.path
		}
	}
	if s.user != nil && s.Username == "" && s.Password == "" {
		s.Username = s.user.Username()
		s.Password, _ = s.user.Password()
	}

	return s.check()
}

// check checks that all is there that the version needs, and nothing that it does not know.
func (s *settings) check() error {
	if s.Address == "" {
		return fmt.Errorf("there is no address: give -o %s=http://host:port/database, or set %sURL", Name, environmentPrefix)
	}
	for _, rule := range s.rules() {
		switch {
		case rule.value == "" && rule.needed:
			return fmt.Errorf("InfluxDB %d needs %s", s.Version, rule.name)
		case rule.value != "" && !rule.allowed:
			return fmt.Errorf("InfluxDB %d has no %s", s.Version, rule.name)
		}
	}
	if s.Password != "" && s.Username == "" {
		return errors.New("there is a password, and no username")
	}

	return nil
}

// likely is the version that the settings are of: only 2 has organizations and buckets, and only 2
// and 3 have tokens.
func (s *settings) likely() int {
	switch {
	case s.Bucket != "" || s.Organization != "":
		return 2
	case s.Token != "":
		return 3
	default:
		return 1
	}
}

// rule says whether a version needs a setting, or knows it.
type rule struct {
	name, value     string
	needed, allowed bool
}

func (s *settings) rules() []rule {
	one, two, three := s.Version == 1, s.Version == 2, s.Version == 3

	return []rule{
		{"database", s.Database, !two, !two},
		{"retention", s.Retention, false, one},
		{"username", s.Username, false, one},
		{"password", s.Password, false, one},
		{"organization", s.Organization, two, two},
		{"bucket", s.Bucket, two, two},
		{"token", s.Token, two, two || three},
	}
}

// String describes where points go, without secrets.
func (c *Config) String() string {
	if c.Version == 2 {
		return fmt.Sprintf("InfluxDB 2 at %s, bucket %s of %s", c.Address, c.Bucket, c.Organization)
	}

	return fmt.Sprintf("InfluxDB %d at %s, database %s", c.Version, c.Address, c.Database)
}

// endpoint is the URL that points are written to.
func (c *Config) endpoint() string {
	query := url.Values{}
	path := ""
	switch c.Version {
	case 1:
		path = "/write"
		query.Set("db", c.Database)
		query.Set("precision", "ns")
		if c.Retention != "" {
			query.Set("rp", c.Retention)
		}
	case 2:
		path = "/api/v2/write"
		query.Set("org", c.Organization)
		query.Set("bucket", c.Bucket)
		query.Set("precision", "ns")
	default:
		path = "/api/v3/write_lp"
		query.Set("db", c.Database)
		query.Set("precision", "nanosecond")
	}

	return c.Address + path + "?" + query.Encode()
}

// longestReason is how much is told of a text that somebody else has written, in bytes.
const longestReason = 200

// redact takes the secrets out of a text that somebody else has written, and what is too long.
func (c *Config) redact(text string) string {
	for _, secret := range []string{c.Token, c.Password} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	if len(text) > longestReason { // not before: half a secret would not be found
		text = strings.ToValidUTF8(text[:longestReason], "") + "..."
	}

	return text
}
