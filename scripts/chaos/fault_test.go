package chaos

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"
)

type failures int

const (
	mayFail   failures = iota // some may fail; all are counted
	noneFails                 // the fault makes no operation fail
	someFail
	allFail
)

type fault struct {
	name     string
	what     string
	fast     bool
	failures failures

	tamper  func(p *protocol) tamperer
	wrap    func(net.Conn) net.Conn
	refused bool
	// tls is the name of the proxy's certificate, if k6 uses TLS.
	tls      string
	disturbs bool
	kills    bool
	cluster  bool
	// names returns the DNS server of a cell; nil for a numeric address.
	names    func(c *cell) (*nameService, error)
	during   func(c *cell) error
	shell    string
	clock    time.Duration
	settings map[string]string
	// interrupts are k6's exit codes if the fault ends it; empty if it does not.
	interrupts []int
	// lost are k6's exit codes without a report; empty if there must be one.
	lost []int
	// garbles means that values can differ from those written.
	garbles bool
	limit   time.Duration
}

const (
	exitOK          = 0
	exitThreshold   = 99
	exitInterrupted = 105
	exitFailed      = 110
	exitKilled      = -1 // killed by a signal
)

func paced() map[string]string { return map[string]string{"PACE": "0.02", "ITERATIONS": "160"} }

func untroubled() map[string]string {
	return map[string]string{"PACE": "0.02", "ITERATIONS": "160", "TIMEOUT": "10s"}
}

// steps are short, so that some are complete when k6 ends.
func steps() map[string]string {
	return map[string]string{"PACE": "0.02", "ITERATIONS": "30", "REPEATS": "4"}
}

// patient is for slow operations, steady for those that must not fail on a busy machine.
func patient() map[string]string {
	return map[string]string{"TIMEOUT": "20s", "CLIENTS": "2", "ITERATIONS": "8", "MAX_DURATION": "40s"}
}

func steady() map[string]string { return map[string]string{"TIMEOUT": "10s"} }

func cuts(then func(*link, []byte) bool) func(*protocol) tamperer {
	return func(*protocol) tamperer { return cutting{then} }
}

func ends(then func(*link) bool) func(*protocol) tamperer {
	return func(*protocol) tamperer { return ending{then} }
}

// faults are the columns of the table. The first one is no fault, as a control.
func faults() []*fault {
	return append(append(faultsOfConnections(), faultsOfServers()...), faultsOfProcesses()...)
}

func faultsOfConnections() []*fault {
	return []*fault{
		{name: "none", what: "nothing is wrong", failures: noneFails, settings: steady()},
		{name: "refused", what: "nobody listens", refused: true, failures: allFail, fast: true},
		{name: "rst", what: "RST in the middle of a reply", tamper: cuts(resets), fast: true},
		{name: "eof", what: "FIN in the middle of a reply", tamper: cuts(finishes), fast: true},
		{name: "stall", what: "nothing more in the middle of a reply", tamper: cuts(stalls), failures: someFail},
		{name: "half-open", what: "the peer is gone, without a FIN", tamper: ends(leaves), failures: someFail},
		{name: "half-close", what: "FIN between two replies, requests are still taken", tamper: ends(halfCloses)},
		{
			name: "drip", what: "single bytes, one every millisecond", failures: noneFails, settings: patient(), limit: time.Minute,
			wrap: func(c net.Conn) net.Conn { return dripping{c} },
		},
		{
			name: "drip-tls", what: "the same below TLS", failures: noneFails, settings: patient(), tls: "good", limit: time.Minute,
			wrap: func(c net.Conn) net.Conn { return dripping{c} },
		},
		{
			name: "recut", what: "replies in two parts, cut at every place", failures: noneFails, settings: steady(), fast: true,
			wrap: func(c net.Conn) net.Conn { return &cutter{Conn: c} },
		},
		{
			name: "recut-tls", what: "the same below TLS", failures: noneFails, settings: steady(), tls: "good",
			wrap: func(c net.Conn) net.Conn { return &cutter{Conn: c} },
		},
		{
			name: "oversized", what: "a reply announces a length that cannot be", garbles: true,
			tamper: func(p *protocol) tamperer { return inflating{p.inflate, nil} },
		},
		{
			name: "oversized-many", what: "the same, and up to 64 MB of it in many packets", garbles: true,
			tamper: func(p *protocol) tamperer { return inflating{p.inflate, p.filler} },
		},
		{name: "garbage", what: "random bytes after a valid prefix", tamper: cuts(garbles), garbles: true, fast: true},
		{
			name: "wrong-protocol", what: "another protocol answers", failures: someFail,
			tamper: func(*protocol) tamperer { return posing{} },
		},
		{name: "tls-expired", what: "an expired certificate", tls: "expired", failures: allFail},
		{name: "tls-foreign", what: "a certificate of an unknown authority", tls: "foreign", failures: allFail},
		{name: "tls-name", what: "a certificate of another name", tls: "name", failures: allFail},
	}
}

func faultsOfServers() []*fault {
	return []*fault{
		{
			name: "stopped", what: "the server is stopped for 1.2 s (SIGSTOP), and goes on", disturbs: true,
			settings: paced(), failures: someFail,
			during: func(c *cell) error {
				err := c.server.signal(syscall.SIGSTOP)
				time.Sleep(1200 * time.Millisecond)

				return errors.Join(err, c.server.signal(syscall.SIGCONT))
			},
		},
		{
			name: "killed", what: "the server is killed, and started again", disturbs: true, kills: true,
			settings: paced(), failures: someFail,
			during: func(c *cell) error { return c.server.killAndRestart() },
		},
		{
			name: "dns-fails", what: "the name service fails for a second", settings: paced(), failures: someFail,
			names: func(c *cell) (*nameService, error) { return startNames(c.nameServer, c.protocol.host(), time.Second) },
		},
		{
			name: "dns-changes", what: "the name becomes another address's, and the first one is gone", settings: paced(),
			names: func(c *cell) (*nameService, error) { return startNames(c.nameServer, c.protocol.host(), 0) },
			during: func(c *cell) error {
				if err := c.moveProxy("127.0.1.1"); err != nil {
					return err
				}
				c.names.change("127.0.1.1")

				return nil
			},
		},
		{
			name: "slots-move", what: "half of the slots of a cluster's server move to another one", cluster: true, failures: noneFails,
			settings: untroubled(),
			during:   func(c *cell) error { return c.cluster.moveSlots() },
		},
		{
			name: "failover", what: "a primary of a cluster is killed, and its replica takes over", cluster: true, kills: true,
			settings: untroubled(),
			during:   func(c *cell) error { return c.cluster.killPrimary() },
		},
	}
}

func faultsOfProcesses() []*fault {
	return []*fault{
		{
			name: "no-files", what: "100 clients, and 64 open files (ulimit -n)", shell: `ulimit -n 64 && exec "$@"`,
			lost:     []int{exitThreshold, exitFailed},
			settings: map[string]string{"CLIENTS": "100", "ITERATIONS": "4"},
		},
		{
			name: "memory", garbles: true,
			what:   "3 GB of address space (ulimit -v), of which k6 takes 2 at rest, and a peer that announces more",
			shell:  `ulimit -v ` + fmt.Sprint(memoryLimit) + ` && exec "$@"`,
			tamper: func(p *protocol) tamperer { return inflating{p.inflate, p.filler} },
		},
		{
			name: "clock-ahead", what: "the wall clock is stepped ahead by an hour", clock: time.Hour, failures: noneFails,
			settings: untroubled(),
		},
		{
			name: "clock-back", what: "the wall clock is stepped back by an hour", clock: -time.Hour, failures: noneFails,
			settings: untroubled(),
		},
		{
			name: "disk-full", what: "no room for the report", failures: noneFails, lost: []int{exitFailed}, settings: untroubled(),
			shell: `mount -t tmpfs -o size=64k none "$RESULTS" || exit 120
				(sleep 1; cat /dev/zero >"$RESULTS/full") 2>/dev/null &
				"$@"; code=$?; wait
				rm -f "$RESULTS/full"; cp -r "$RESULTS" "$RESULTS-left"; exit "$code"`,
		},
		{
			name: "sigterm", what: "SIGTERM to k6", settings: steps(), interrupts: []int{exitInterrupted},
			during: signals(syscall.SIGTERM),
		},
		{
			name: "sigint-twice", what: "SIGINT to k6, twice", settings: steps(), interrupts: []int{exitInterrupted},
			lost: []int{exitInterrupted}, during: signals(syscall.SIGINT, syscall.SIGINT),
		},
		{
			name: "sigkill", what: "SIGKILL to k6", settings: steps(), interrupts: []int{exitKilled}, lost: []int{exitKilled},
			during: signals(syscall.SIGKILL),
		},
	}
}

const memoryLimit = 3 << 20

func signals(all ...syscall.Signal) func(*cell) error {
	return func(c *cell) error {
		if waitFor(20*time.Second, func() bool { return exists(c.journal()) }) != nil {
			return errors.New("no step has ended, or it is not on the disk")
		}
		time.Sleep(300 * time.Millisecond)
		for i, one := range all {
			if i > 0 {
				time.Sleep(5 * time.Millisecond)
			}
			if err := syscall.Kill(c.k6.Process.Pid, one); err != nil {
				return fmt.Errorf("k6 has ended already: %w", err)
			}
		}

		return nil
	}
}

// fits reports whether the fault makes sense for a protocol: clients of a cluster connect to its
// servers without the proxy, some servers and clients speak no TLS, and there is only one loopback
// address of IPv6.
func (f *fault) fits(p *protocol) bool {
	switch {
	case p.cluster:
		return f.cluster || f.name == "none"
	case f.tls != "" && !p.tls, f.name == "dns-changes" && strings.Contains(p.host(), ":"):
		return false
	}

	return !f.cluster
}

func (f *fault) mounts() bool { return f.names != nil || f.name == "disk-full" }
