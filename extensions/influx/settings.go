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

// inOrder returns the names with the address first, so that separate settings override its database
// and user.
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

func (s *settings) set(name, value string) error {
	setters := s.setters()
	setter, known := setters[name]
	if !known {
		return fmt.Errorf("unknown setting %q; known are %s", name, strings.Join(slices.Sorted(maps.Keys(setters)), ", "))
	}
	if err := setter(value); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}

	return nil
}

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
				return fmt.Errorf("%s in k6's configuration: %s is not a text", Name, name)
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
			return fmt.Errorf("%s: unknown setting; known are %s", variable, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
		}
		if err := s.setters()[name](environment[variable]); err != nil {
			return fmt.Errorf("%s %w", variable, err)
		}
	}

	return nil
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

// secret sets text for a header, and never shows it in an error.
func secret(into *string) func(string) error {
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
