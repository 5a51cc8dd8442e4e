package influx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// settings are a Config while it is read. Each setting has one name: as it is in k6's configuration
// file and in the URL's query, and in capitals behind environmentPrefix in the environment.
type settings struct {
	Config

	path string        // the last part of the address's, unescaped: the database or bucket, unless that is set by its name
	user *url.Userinfo // of the address; nil for none
}

const environmentPrefix = "K6_SWEEP_INFLUXDB_"

// setters are what sets each setting, by its name.
func (s *settings) setters() map[string]func(string) error {
	return map[string]func(string) error{
		"url":                   s.setURL,
		"version":               s.setVersion,
		"database":              text(&s.Database),
		"retention":             text(&s.Retention),
		"organization":          text(&s.Organization),
		"bucket":                text(&s.Bucket),
		"username":              text(&s.Username),
		"password":              secret(&s.Password),
		"token":                 secret(&s.Token),
		"instance":              text(&s.Instance),
		"pushInterval":          duration(&s.PushInterval),
		"timeout":               duration(&s.Timeout),
		"flushTimeout":          duration(&s.FlushTimeout),
		"bufferSize":            count(&s.BufferSize),
		"batchSize":             count(&s.BatchSize),
		"insecureSkipTLSVerify": flag(&s.InsecureSkipTLSVerify),
	}
}

// inOrder are the names of settings, the address first: what it says of the database and the user
// is less than what is set by its name.
func inOrder[V any](given map[string]V) []string {
	isURL := func(name string) bool { return strings.EqualFold(strings.TrimPrefix(name, environmentPrefix), "url") }

	return slices.SortedFunc(maps.Keys(given), func(a, b string) int {
		switch {
		case isURL(a) == isURL(b):
			return strings.Compare(a, b)
		case isURL(a):
			return -1
		default:
			return 1
		}
	})
}

// set sets one setting. The error begins with its name.
func (s *settings) set(name, value string) error {
	setters := s.setters()
	setter, known := setters[name]
	if !known {
		return fmt.Errorf("there is no setting %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(setters)), ", "))
	}
	if err := setter(value); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}

	return nil
}

// readJSON reads the output's part of k6's configuration file.
func (s *settings) readJSON(raw json.RawMessage) error {
	if len(bytes.TrimSpace(raw)) == 0 || string(raw) == "null" {
		return nil
	}
	given := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &given) != nil {
		return fmt.Errorf("%s in k6's configuration: it must be an object of settings", Name)
	}
	for _, name := range inOrder(given) {
		value := string(given[name])
		switch value[0] {
		case '"':
			if json.Unmarshal(given[name], &value) != nil {
				return fmt.Errorf("%s in k6's configuration: %s is no text", Name, name)
			}
		case '{', '[', 'n':
			return fmt.Errorf("%s in k6's configuration: %s must be a text, a number, true or false", Name, name)
		}
		if err := s.set(name, value); err != nil {
			return fmt.Errorf("%s in k6's configuration: %w", Name, err)
		}
	}

	return nil
}

func (s *settings) readEnvironment(environment map[string]string) error {
	names := map[string]string{}
	for name := range s.setters() {
		names[environmentPrefix+snake(name)] = name
	}
	for _, variable := range inOrder(environment) {
		if !strings.HasPrefix(variable, environmentPrefix) {
			continue
		}
		name, known := names[variable]
		if !known {
			return fmt.Errorf("%s: there is no such setting; there are %s", variable, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
		}
		if err := s.setters()[name](environment[variable]); err != nil {
			return fmt.Errorf("%s %w", variable, err)
		}
	}

	return nil
}

var wordEnds = regexp.MustCompile("([a-z])([A-Z])|([A-Z])([A-Z][a-z])")

// snake is a name as environment variables have it: PUSH_INTERVAL of pushInterval.
func snake(name string) string {
	return strings.ToUpper(wordEnds.ReplaceAllString(name, "${1}${3}_${2}${4}"))
}

var errURL = errors.New("must be a URL such as http://host:port/database")

// setURL reads an address with, all optional, user:password, the name of the database (or the
// bucket) as its path, and settings as its query. Nothing is left of an address before: what that
// said of user and database was its own. The error does not repeat the address: it may hold a
// secret.
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
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 { // a proxy's, which may tell %2F from /
		s.Address += "/" + path[:slash]
		path = path[slash+1:]
	}
	if s.path, _ = url.PathUnescape(path); path != "" { // which url.Parse has seen to
		s.Database, s.Bucket = "", ""
	}
	if s.user = u.User; u.User != nil {
		s.Username, s.Password = "", ""
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name == "url" || len(query[name]) != 1 {
			return fmt.Errorf("must have each setting once in its query, and no url: %s", name)
		}
		if err := s.set(name, query[name][0]); err != nil {
			return err
		}
	}

	return nil
}

func (s *settings) setVersion(value string) error {
	version, err := strconv.Atoi(value)
	if err != nil || version < 1 || version > 3 {
		return fmt.Errorf("must be 1, 2 or 3, but is %q", value)
	}
	s.Version = version

	return nil
}

func text(into *string) func(string) error {
	return func(value string) error {
		if value == "" {
			return errors.New("must not be empty")
		}
		*into = value

		return nil
	}
}

// secret is a text that goes into a header, and never into an error.
func secret(into *string) func(string) error {
	return func(value string) error {
		if value == "" || strings.ContainsFunc(value, unicode.IsControl) {
			return errors.New("must be a text without line ends, and not empty")
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

const most = 10_000_000 // points

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
