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
