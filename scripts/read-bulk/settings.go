package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostTags limits the list to the size of an environment variable.
const mostTags = 1000

// settings come from options or from the variables of scenarios/read-bulk.js.
type settings struct {
	clients  []client
	duration time.Duration
	warmup   time.Duration
	slack    time.Duration
	bulk     int    // tags per call
	address  string // host:port

	pattern   string // pattern of the tags' names
	tags      []string
	tls       bool
	tlsCA     string // file; "" for the system's authorities
	tlsName   string // server name to verify; "" for the address's host
	key       string
	artifacts string // folder of the reports
}

func (s settings) timeout() time.Duration { return s.duration + s.warmup + s.slack }

// environment returns the additional variables of the clients. Durations are in seconds (90s for
// 1m30s), and TAGS is a list of names, so clients need no other parser. The key (MXGW_KEY) is
// inherited, and in no argument.
func (s settings) environment() []string {
	return []string{
		"MXGW_URL=" + s.address,
		"BULK=" + strconv.Itoa(s.bulk),
		"DURATION=" + inSeconds(s.duration),
		"WARMUP=" + inSeconds(s.warmup),
		"CLIENT_TIMEOUT=" + inSeconds(s.timeout()),
		"TAGS=" + strings.Join(s.tags, ","),
		"TLS=" + strconv.FormatBool(s.tls),
		"TLS_CA=" + s.tlsCA,
		"TLS_SERVER_NAME=" + s.tlsName,
	}
}

func inSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s" }

// variables are the defaults of options.
//
//nolint:gochecknoglobals // a table
var variables = map[string]string{
	"duration": "SWEEP_DURATION", "warmup": "SWEEP_WARMUP", "bulk": "SWEEP_BULK", "url": "MXGW_URL", "tags": "SWEEP_TAGS",
	"tls": "SWEEP_TLS", "tls-ca": "SWEEP_TLS_CA", "tls-server-name": "SWEEP_TLS_SERVER_NAME",
}

func parse(args []string, getenv func(string) string) (settings, error) {
	var s settings
	var url, secure string
	flags := flag.NewFlagSet("read-bulk", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.DurationVar(&s.duration, "duration", 30*time.Second, "measured time of each client")
	flags.DurationVar(&s.warmup, "warmup", 2*time.Second, "time of identical calls before it")
	flags.DurationVar(&s.slack, "slack", 30*time.Second, "additional time before a client is killed")
	flags.IntVar(&s.bulk, "bulk", 6, "tags per call")
	flags.StringVar(&url, "url", "", "gateway: host:port, or grpcs://host:port for TLS")
	flags.StringVar(&s.pattern, "tags", "TestMachine_%03d.TestChangingInt", "their names, or a list with commas")
	flags.StringVar(&secure, "tls", "", "true: use TLS, as do --tls-ca and --tls-server-name")
	flags.StringVar(&s.tlsCA, "tls-ca", "", "file of the authorities to trust")
	flags.StringVar(&s.tlsName, "tls-server-name", "", "server name to verify")
	flags.StringVar(&s.artifacts, "artifacts", "artifacts/bench", "folder of the report")
	flags.Func("client", "name=command: a client; as often as there are clients", s.addClient)
	flags.Func("about", "name=text: versions and build of a client, for the report", s.describe)
	for option, variable := range variables {
		if value := getenv(variable); value != "" {
			if err := flags.Set(option, value); err != nil {
				return s, fmt.Errorf("%s is %q: %w", variable, value, err)
			}
		}
	}
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	var err error
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("%q is no option: all of them begin with --", flags.Arg(0))
	case min(s.duration, s.slack) < time.Millisecond || s.warmup < 0:
		return s, errors.New("--duration and --slack must be at least 1ms, and --warmup at least 0s")
	case s.bulk < 1 || s.bulk > mostTags:
		return s, fmt.Errorf("--bulk is %d: it must be from 1 to %d", s.bulk, mostTags)
	case url == "":
		return s, errors.New("where is the gateway? Give --url or MXGW_URL, " +
			"or start the emulator: scripts/servers.sh with mxgateway -- scripts/read-bulk.sh")
	}
	if s.tags, err = expand(s.pattern, s.bulk); err != nil {
		return s, err
	}
	byTLS, err := s.locate(url)
	if err != nil {
		return s, err
	}
	if err := s.secure(secure, byTLS); err != nil {
		return s, err
	}
	s.key = getenv("MXGW_KEY")

	return s, s.check()
}

// expand returns the tags of a pattern with %03d or similar for the number, starting from 1, or of
// a list with commas.
func expand(pattern string, bulk int) ([]string, error) {
	if strings.Contains(pattern, ",") {
		tags := strings.Split(pattern, ",")
		for i := range tags {
			tags[i] = strings.TrimSpace(tags[i])
		}
		if len(tags) != bulk || slices.Contains(tags, "") {
			return nil, fmt.Errorf("--tags lists %d tags, and --bulk is %d", len(tags), bulk)
		}
		return tags, nil
	}
	place := regexp.MustCompile(`%0?([0-9]?)d`).FindStringSubmatch(pattern)
	if place == nil && bulk > 1 {
		return nil, fmt.Errorf("--tags is %q: it must hold %%03d or the like in the place of the tag's number", pattern)
	}
	tags := make([]string, bulk)
	for i := range tags {
		tags[i] = pattern
		if place != nil {
			width, _ := strconv.Atoi(place[1]) // a digit or nothing
			tags[i] = strings.Replace(pattern, place[0], fmt.Sprintf("%0*d", width, i+1), 1)
		}
	}

	return tags, nil
}

// locate parses the gateway's URL, and reports whether it requires TLS. Clients get host:port.
func (s *settings) locate(url string) (byTLS bool, err error) {
	s.address = url
	if scheme, rest, found := strings.Cut(url, "://"); found {
		s.address, byTLS = strings.TrimSuffix(rest, "/"), scheme == "grpcs" || scheme == "https"
		if !byTLS && scheme != "grpc" && scheme != "http" {
			s.address = ""
		}
	}
	if host, port, err := net.SplitHostPort(s.address); err != nil || host == "" || port == "" {
		return false, fmt.Errorf("--url is %q: it must be host:port or grpc://host:port, with grpcs:// for TLS", url)
	}

	return byTLS, nil
}

func (s *settings) secure(given string, byURL bool) error {
	hasOptions := s.tlsCA != "" || s.tlsName != ""
	var err error
	if s.tls = hasOptions || byURL; given != "" {
		s.tls, err = strconv.ParseBool(given)
	}
	switch {
	case err != nil:
		return fmt.Errorf("--tls is %q: it must be true or false", given)
	case byURL && !s.tls:
		return errors.New("--url stands for TLS, and --tls is false")
	case hasOptions && !s.tls:
		return errors.New("--tls-ca and --tls-server-name are for TLS, and --tls is false")
	case s.tlsCA == "":
		return nil
	}
	if s.tlsCA, err = filepath.Abs(s.tlsCA); err == nil {
		_, err = os.Stat(s.tlsCA)
	}

	return err
}

func (s *settings) check() error {
	if len(s.clients) == 0 {
		return errors.New("no client is given: --client 'name=command'")
	}
	if s.key == "" {
		return errors.New("MXGW_KEY is not set: it is the key that the gateway asks for, mxgw_<keyId>_<secret>")
	}
	for _, c := range s.clients {
		if hider(s.key)(c.command) != c.command {
			return fmt.Errorf("the command of client %s holds the key, which everybody on this machine can see: write \"$MXGW_KEY\" instead", c.name)
		}
	}

	return nil
}

func (s *settings) addClient(text string) error {
	name, command, found := strings.Cut(text, "=")
	if !found || strings.TrimSpace(command) == "" || !regexp.MustCompile(`^[\w.+-]{1,32}$`).MatchString(name) {
		return errors.New("it must be name=command, with a name of at most 32 letters, digits and . + - _")
	}
	if s.find(name) != nil {
		return fmt.Errorf("there are two clients of the name %s", name)
	}
	s.clients = append(s.clients, client{name: name, command: command})

	return nil
}

func (s *settings) describe(text string) error {
	name, about, _ := strings.Cut(text, "=")
	c := s.find(name)
	if c == nil {
		return fmt.Errorf("there is no client %q before it", name)
	}
	c.about = about

	return nil
}

func (s *settings) find(name string) *client {
	for i := range s.clients {
		if s.clients[i].name == name {
			return &s.clients[i]
		}
	}

	return nil
}
