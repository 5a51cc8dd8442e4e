package chaos

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func echo(t *testing.T) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()

	return &server{name: "echo", network: "tcp", address: listener.Addr().String()}
}

func reportOf(done, failed int, complete bool) string {
	return fmt.Sprintf(`{"interrupted":false,"steps":[{"op":"write","ops":%d,"failed":%d,"complete":%t}]}`, done, failed, complete)
}

func judged(t *testing.T, k6 string, stored int, stacks string, f *fault) []string {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "k6")
	program := "#!/bin/bash\nif [[ $1 == x ]]; then grep -q '}$' \"$4\"; exit; fi\n" +
		"for each; do case $each in RESULTS=* | CONTROL=* | ADDRESS=*) declare \"$each\" ;; esac; done\n" +
		"ended() { exec 4<>\"/dev/tcp/127.0.0.1/${CONTROL##*:}\"; printf 'GET /ended HTTP/1.0\\r\\n\\r\\n' >&4; cat <&4 >/dev/null; exec 4>&-; }\n" +
		"report() { printf '%s' \"$1\" >\"$RESULTS/chaos.json\"; }\n" + k6
	if err := os.WriteFile(binary, []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &protocol{name: "echo", writes: "write", most: 1, rooms: []string{"extensions/echo"}, stored: func(*cell) (int, error) { return stored, nil }}
	c := &cell{
		table:    &table{binary: binary, scripts: dir, certificates: map[string]tls.Certificate{}},
		stacks:   func() (string, error) { return stacks, nil },
		protocol: p, fault: f, server: echo(t), id: "a-cell", folder: filepath.Join(dir, "cell"),
	}

	return c.run()
}

func TestForbiddenBehaviourIsDetected(t *testing.T) {
	good := "report '" + reportOf(160, 0, true) + "'\n"
	failing := "report '" + reportOf(100, 60, true) + "'\n"
	for name, one := range map[string]struct {
		k6     string
		stored int
		stacks string
		fault  fault
		short  string // "" for none
	}{
		"good":             {k6: good + "exit 0", stored: 160},
		"wrong exit code":  {k6: good + "exit 99", stored: 160, short: "the exit code is 99, not 0"},
		"green failures":   {k6: failing + "exit 0", stored: 100, short: "the exit code is 0, not 99"},
		"failures":         {k6: failing + "exit 99", stored: 130},
		"no report":        {k6: "exit 0", short: "the report: "},
		"no report asked":  {k6: "exit 99", fault: fault{lost: []int{99}}},
		"silently none":    {k6: "exit 0", fault: fault{lost: []int{99}}, short: "the exit code is 0, not 99"},
		"half a report":    {k6: "report '{\"schema\":'\nexit 0", fault: fault{lost: []int{99}}, short: "the report: "},
		"lost":             {k6: good + "exit 0", stored: 159, short: "160 of write were acknowledged, and the server has 159"},
		"twice":            {k6: failing + "exit 99", stored: 161, short: "the server has 161 of write"},
		"counted too few":  {k6: "report '" + reportOf(159, 0, true) + "'\nexit 0", stored: 159, short: "159 operations are done and 0 failed, of 160"},
		"counted too many": {k6: "report '" + reportOf(160, 1, true) + "'\nexit 99", stored: 160, short: "of 160"},
		"incomplete":       {k6: "report '" + reportOf(100, 1, false) + "'\nexit 99", stored: 100, short: "not complete"},
		"none may fail":    {k6: failing + "exit 99", stored: 100, fault: fault{failures: noneFails}, short: "60 operations failed"},
		"some must fail":   {k6: good + "exit 0", stored: 160, fault: fault{failures: someFail}, short: "there are to be both"},
		"all must fail":    {k6: failing + "exit 99", stored: 100, fault: fault{failures: allFail}, short: "100 operations are done"},
		"none recovers":    {k6: "report '" + reportOf(0, 160, true) + "'\nexit 99", short: "k6 does not recover"},
		"panics":           {k6: good + "echo 'panic: oh'\nexit 0", stored: 160, short: "k6 has broken down: panic:"},
		"races":            {k6: good + "echo 'WARNING: DATA RACE'\nexit 0", stored: 160, short: "k6 has broken down: DATA RACE"},
		"dumps":            {k6: good + "echo 'goroutine 7 [running]:'\nexit 0", stored: 160, short: "k6 has broken down"},
		"another's answer": {k6: good + "echo 'level=error msg=\"CHAOS: the answer for a is that of b\"'\nexit 0", stored: 160, short: "that of b"},
		"hangs":            {k6: good + "sleep 60", stored: 160, fault: fault{limit: time.Second}, short: "k6 has not ended within 1s"},
		"leaves a process": {k6: good + "sleep 8 >/dev/null 2>&1 </dev/null & exit 0", stored: 160, short: "a process of k6 is left"},
		"leaves a goroutine": {
			k6: good + "exit 0", stored: 160, stacks: "goroutine profile: total 1\n\n1 @ 0x1\n# 0x1 extensions/echo.read", short: "1 goroutines are left",
		},
		"no fault": {k6: good + "exit 0", stored: 160, fault: fault{tamper: cuts(resets)}, short: "the fault was applied to none of 0 connections"},
		"not interrupted": {
			k6: good + "exit 105", stored: 160, fault: fault{interrupts: []int{exitInterrupted}}, short: "does not say that the run was interrupted",
		},
		"leaves a connection": {
			k6: "exec 3<>/dev/tcp/${ADDRESS/:/\\/}; echo a >&3; read -u 3; ended\n" + good + "exit 0", stored: 160, short: "1 connections are open after the step",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k6 := one.k6
			if !strings.Contains(k6, "ended") {
				k6 = "ended\n" + k6
			}
			short := strings.Join(judged(t, k6, one.stored, one.stacks, &one.fault), "\n")
			if one.short == "" && short != "" || !strings.Contains(short, one.short) {
				t.Errorf("what fell short is %q, not %q", short, one.short)
			}
		})
	}
}
