package influx

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

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

// settings is a Config while it is read. A setting has the same name in k6's configuration file and
// in the URL's query; environment variables have it in capitals after environmentPrefix.
type settings struct {
	Config

	path string        // last part of the address's path, unescaped: the database or bucket
	user *url.Userinfo // user in the address; may be nil
}

const environmentPrefix = "K6_SWEEP_INFLUXDB_"

func (s *settings) setters() map[string]func(string) error {
	return map[string]func(string) error{
		"url":                   s.setURL,
		"version":               s.setVersion,
		"database":              text(&s.Database),
		"retention":             text(&s.Retention),
		"organization":          text(&s.Organization),
		"bucket":                text(&s.Bucket),
		"username":              text(&s.Username),
		"password":              text(&s.Password),
		"token":                 text(&s.Token),
		"instance":              text(&s.Instance),
		"pushInterval":          duration(&s.PushInterval),
		"timeout":               duration(&s.Timeout),
		"flushTimeout":          duration(&s.FlushTimeout),
		"bufferSize":            count(&s.BufferSize),
		"batchSize":             count(&s.BatchSize),
		"insecureSkipTLSVerify": flag(&s.InsecureSkipTLSVerify),
	}
}

// read sets settings: the address first, so that separate settings override its database and user.
// shown returns a setting's name in errors.
func (s *settings) read(given map[string]string, shown func(name string) string) error {
	setters := s.setters()
	names := slices.Sorted(maps.Keys(given))
	if at := slices.Index(names, "url"); at > 0 {
		names = slices.Insert(slices.Delete(names, at, at+1), 0, "url")
	}
	for _, name := range names {
		set := setters[name]
		if set == nil {
			return fmt.Errorf("unknown setting %q; known are %s", name, strings.Join(slices.Sorted(maps.Keys(setters)), ", "))
		}
		if err := set(given[name]); err != nil {
			return fmt.Errorf("%s %w", shown(name), err)
		}
	}

	return nil
}

func asItIs(name string) string { return name }

func (s *settings) readJSON(raw json.RawMessage) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	var given map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&given) != nil {
		return errors.New("it must be an object of settings")
	}
	texts := map[string]string{}
	for name, value := range given {
		switch value.(type) {
		case string, json.Number, bool:
			texts[name] = fmt.Sprint(value)
		default:
			return fmt.Errorf("%s must be a text, a number, true or false", name)
		}
	}

	return s.read(texts, asItIs)
}

func (s *settings) readEnvironment(environment map[string]string) error {
	given, variables := map[string]string{}, map[string]string{}
	for name := range s.setters() {
		variable := environmentPrefix + snake(name)
		variables[name] = variable
		if value, set := environment[variable]; set {
			given[name] = value
		}
	}
	known := slices.Sorted(maps.Values(variables))
	for _, variable := range slices.Sorted(maps.Keys(environment)) {
		if strings.HasPrefix(variable, environmentPrefix) && !slices.Contains(known, variable) {
			return fmt.Errorf("%s: unknown setting; known are %s", variable, strings.Join(known, ", "))
		}
	}

	return s.read(given, func(name string) string { return variables[name] })
}

var wordEnds = regexp.MustCompile("([a-z])([A-Z])|([A-Z])([A-Z][a-z])")

func snake(name string) string {
	return strings.ToUpper(wordEnds.ReplaceAllString(name, "${1}${3}_${2}${4}"))
}

var errURL = errors.New("must be a URL such as http://host:port/database")

// setURL reads an address with optional user:password, a database or bucket as its path, and
// settings as its query. It replaces the user and database of an earlier address. Errors do not
// show the address, which may contain a secret.
func (s *settings) setURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.Fragment != "" {
		return errURL
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errURL
	}
	s.Address = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	path := strings.Trim(u.EscapedPath(), "/")
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 { // a proxy's path, which may distinguish %2F from /
		s.Address += "/" + path[:slash]
		path = path[slash+1:]
	}
	if s.path, _ = url.PathUnescape(path); path != "" { // url.Parse has checked it
		s.Database, s.Bucket = "", ""
	}
	if s.user = u.User; u.User != nil {
		s.Username, s.Password = "", ""
	}
	given := map[string]string{}
	for name, values := range query {
		if name == "url" || len(values) != 1 {
			return fmt.Errorf("must have each setting once in its query, and no url: %s", name)
		}
		given[name] = values[0]
	}

	return s.read(given, asItIs)
}

func (s *settings) setVersion(value string) error {
	version, err := strconv.Atoi(value)
	if err != nil || version < 1 || version > 3 {
		return fmt.Errorf("must be 1, 2 or 3, but is %q", value)
	}
	s.Version = version

	return nil
}

// text sets a text, which may go into a header, and never shows it in an error.
func text(into *string) func(string) error {
	return func(value string) error {
		if value == "" || strings.ContainsFunc(value, unicode.IsControl) {
			return errors.New("must be a non-empty text without line ends")
		}
		*into = value

		return nil
	}
}

func duration(into *time.Duration) func(string) error {
	return func(value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return fmt.Errorf("must be a time such as 500ms or 2s, but is %q", value)
		}
		*into = d

		return nil
	}
}

const most = 10_000_000

func count(into *int) func(string) error {
	return func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("must be an integer from 1 to %d, but is %q", most, value)
		}
		*into = n

		return nil
	}
}

func flag(into *bool) func(string) error {
	return func(value string) error {
		if value != "true" && value != "false" {
			return fmt.Errorf("must be true or false, but is %q", value)
		}
		*into = value == "true"

		return nil
	}
}
