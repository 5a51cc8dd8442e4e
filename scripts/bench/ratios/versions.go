package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// versionOf is the name and the version of a server or a program that a part was measured with.
func versionOf(server string) (string, error) {
	switch server {
	case "machbase":
		return pinned("machbase-neo", `github\.com/machbase/neo-server/v8 (v\S+)`)
	case "ghz":
		return pinned("ghz", `github\.com/bojand/ghz (v\S+)`)
	case "memcached":
		return told(server, os.Getenv("MEMCACHED_URL"), "version\r\n", `VERSION (\S+)`)
	case "redis":
		return told(server, host(os.Getenv("REDIS_URL")), "INFO server\r\n", `redis_version:(\S+)`)
	case memtier, mutilate, redisBenchmark, pgbench:
		return installed(server)
	case mcCrusher: // it does not tell its version
		return mcCrusher, nil
	case "nats bench":
		return pinned("natscli", `github\.com/nats-io/natscli (v\S+)`)
	case "nats":
		return told("nats-server", host(os.Getenv("NATS_URL")), "", `"version":"([^"]+)"`)
	default:
		return influxVersion()
	}
}

// installed is what a program says of itself that is not there everywhere, its first words.
func installed(program string) (string, error) {
	if _, err := exec.LookPath(program); err != nil {
		return "no " + program, nil //nolint:nilerr // that it is not there is an answer
	}
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	words := strings.Fields(string(out))

	return strings.Join(words[:min(len(words), 3)], " "), nil
}

// host is the address in a URL, the first one in a list of them.
func host(list string) string {
	first, _, _ := strings.Cut(list, ",")
	u, err := url.Parse(first)
	if err != nil {
		return ""
	}

	return u.Host
}

// pinned is the version of a tool in its go.mod.
func pinned(tool, pattern string) (string, error) {
	file := "scripts/tools/" + tool + "/go.mod"
	version := field(file, `.*`+pattern)
	if version == "" {
		return "", fmt.Errorf("%s does not have it", file)
	}

	return tool + " " + version, nil
}

// told is what a server says of itself, asked or not.
func told(server, address, question, pattern string) (string, error) {
	const patience = 5 * time.Second
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return "", err
	}
	defer conn.Close() //nolint:errcheck // over
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := conn.Write([]byte(question)); err != nil {
		return "", err
	}
	answer := regexp.MustCompile(pattern)
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if found := answer.FindStringSubmatch(lines.Text()); found != nil {
			return server + " " + found[1], nil
		}
	}

	if err := lines.Err(); err != nil {
		return "", err
	}

	return "", fmt.Errorf("%s does not tell it", address)
}

// influxVersion is what an InfluxDB answers to a ping. Its URL has the database behind the host,
// and maybe a password.
func influxVersion() (string, error) {
	u, err := url.Parse(os.Getenv("INFLUXDB_URL"))
	if err != nil {
		return "", fmt.Errorf("INFLUXDB_URL is no URL")
	}
	answer, err := http.Get("http://" + u.Host + "/ping")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close() //nolint:errcheck // over

	return "InfluxDB " + answer.Header.Get("X-Influxdb-Version"), nil
}
