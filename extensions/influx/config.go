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

// Config holds the settings of the output.
type Config struct {
	Address string // scheme://host:port and an escaped path of a proxy, without credentials
	Version int

	Database  string // InfluxDB 1 and 3
	Retention string // retention policy of InfluxDB 1; "" for the default

	Organization, Bucket string // InfluxDB 2

	Username, Password string // InfluxDB 1; may be empty
	Token              string // InfluxDB 2 and 3; may be empty

	Instance string // tag that distinguishes concurrent k6 processes

	PushInterval time.Duration
	Timeout      time.Duration
	FlushTimeout time.Duration // maximum wait for the last points at the end of the test
	BufferSize   int           // maximum number of points waiting to be written
	BatchSize    int           // maximum number of points in a request

	InsecureSkipTLSVerify bool
}

const (
	defaultPushInterval = time.Second
	defaultTimeout      = 5 * time.Second
	defaultFlushTimeout = 10 * time.Second
	defaultBufferSize   = 20_000 // 10 MB
	defaultBatchSize    = 1000
)

// NewConfig reads the settings from k6's configuration file, then K6_SWEEP_INFLUXDB_*, then the
// argument of -o; later ones override earlier ones. An error names the setting that is unknown,
// invalid, missing, or for another version, and contains no secret.
func NewConfig(params output.Params) (Config, error) {
	s := settings{Config: Config{
		PushInterval: defaultPushInterval, Timeout: defaultTimeout, FlushTimeout: defaultFlushTimeout,
		BufferSize: defaultBufferSize, BatchSize: defaultBatchSize,
		Instance: instance(params),
	}}
	if err := s.readJSON(params.JSONConfig); err != nil {
		return Config{}, fmt.Errorf("%s in k6's configuration: %w", Name, err)
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

// instance returns the run's tag instance (k6 run --tag instance=...), or else the host name with
// the execution segment, if any.
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

func (s *settings) check() error {
	if s.Address == "" {
		return fmt.Errorf("no address: use -o %s=http://host:port/database, or set %sURL", Name, environmentPrefix)
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
		return errors.New("a password needs a username")
	}

	return nil
}

// likely returns the version that the settings suggest: only 2 has organizations and buckets, only
// 2 and 3 have tokens.
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

// String describes the destination, without secrets.
func (c *Config) String() string {
	if c.Version == 2 {
		return fmt.Sprintf("InfluxDB 2 at %s, bucket %s of %s", c.Address, c.Bucket, c.Organization)
	}

	return fmt.Sprintf("InfluxDB %d at %s, database %s", c.Version, c.Address, c.Database)
}

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

// longestReason limits server messages in logs, in bytes.
const longestReason = 200

func (c *Config) redact(text string) string {
	for _, secret := range []string{c.Token, c.Password} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	if len(text) > longestReason { // after the removal, because a cut secret would not match
		text = strings.ToValidUTF8(text[:longestReason], "") + "..."
	}

	return text
}
