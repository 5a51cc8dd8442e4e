//go:build servers

package chaos

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Paths are relative to the root of the repository, where make starts bin/chaos.
var (
	k6Flag      = flag.String("k6", "bin/k6", "the tested k6")
	clockFlag   = flag.String("k6-clock", "bin/k6-clock", "k6 with an adjustable wall clock")
	scriptsFlag = flag.String("scripts", "scripts/chaos/scripts", "the folder of the protocols' scripts")
	resultsFlag = flag.String("results", "results/chaos", "the folder of the cells' logs and reports")
)

// TestChaos has a subtest for each protocol, and in it one for each fault. With -short it has the
// faults of make test only. An interrupt lets the cells end that have begun.
func TestChaos(t *testing.T) {
	var interrupted, selected atomic.Bool
	t.Cleanup(func() { require.True(t, selected.Load(), "no protocol and fault match -run") })
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		interrupted.Store(true)
	}()
	all := newTable(t)
	for i, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := all.serverOf(t, p)
			for j, f := range faults() {
				if !f.fits(p) || testing.Short() && !f.fast {
					continue
				}
				t.Run(f.name, func(t *testing.T) {
					selected.Store(true)
					if !f.disturbs { // disturbing ones run before the others
						t.Parallel()
					}
					require.False(t, interrupted.Load(), "interrupted")
					if f.clock != 0 {
						require.FileExists(t, all.clockBinary, "make bin/k6-clock first")
					}
					all.try(t, s, p, f, fmt.Sprintf("127.53.%d.%d", j+1, i+1))
				})
			}
		})
	}
}

// try runs a cell. If its server has ended by itself, it starts the server and runs the cell again.
func (all *table) try(t *testing.T, s *server, p *protocol, f *fault, nameServer string) {
	t.Helper()
	if p.cluster {
		s = &server{name: p.server, network: "tcp"}
	}
	var c *cell
	var short []string
	for range 2 {
		c = &cell{
			table: all, protocol: p, fault: f, server: s, nameServer: nameServer,
			id: fmt.Sprintf("%s-%s-%d-%d", p.name, f.name, os.Getpid(), all.ids.Add(1)), folder: filepath.Join(all.folder, p.name+"-"+f.name),
		}
		if short = c.run(); p.cluster || !s.dead() {
			break
		}
		require.NoError(t, s.revive())
		t.Logf("%s has ended by itself, and was started again (%s.died)", s.name, s.log)
	}
	for _, why := range short {
		t.Errorf("%s: %s (%s)", f.what, why, c.log())
	}
}

func newTable(t *testing.T) *table {
	t.Helper()
	all := &table{binary: *k6Flag, clockBinary: *clockFlag, scripts: *scriptsFlag, folder: *resultsFlag, servers: map[string]*server{}}
	for _, path := range []*string{&all.binary, &all.clockBinary, &all.scripts, &all.folder} {
		var err error
		*path, err = filepath.Abs(*path)
		require.NoError(t, err)
	}
	require.FileExists(t, all.binary, "make it first")
	require.NoError(t, os.MkdirAll(all.folder, 0o755))
	require.NoError(t, all.issue())
	t.Cleanup(func() {
		for _, s := range all.servers {
			s.stop()
		}
	})

	return all
}

func (all *table) issue() error {
	ours, err := newAuthority("chaos")
	if err != nil {
		return err
	}
	foreign, err := newAuthority("nobody knows me")
	if err != nil {
		return err
	}
	all.trusted = filepath.Join(all.folder, "authority.pem")
	if err := os.WriteFile(all.trusted, ours.pem(), 0o600); err != nil {
		return err
	}
	all.certificates = map[string]tls.Certificate{}
	for _, one := range []struct {
		kind, name string
		by         *authority
		valid      time.Duration
	}{
		{"good", "", ours, 24 * time.Hour}, {"expired", "", ours, -time.Hour},
		{"foreign", "", foreign, 24 * time.Hour}, {"name", "elsewhere.chaos.test", ours, 24 * time.Hour},
	} {
		certificate, failed := one.by.issue(one.name, time.Now().Add(one.valid))
		all.certificates[one.kind], err = certificate, errors.Join(err, failed)
	}

	return err
}

func (all *table) serverOf(t *testing.T, p *protocol) *server {
	t.Helper()
	if p.cluster {
		return nil
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	s := all.servers[p.server]
	if s == nil {
		var err error
		if log := filepath.Join(all.folder, p.server+".log"); p.server == "umemcache" {
			s, err = startUmem(log)
		} else {
			s, err = fromServersSh(p.server, log)
		}
		require.NoError(t, err)
		all.servers[p.server] = s
	}
	if p.prepare != nil {
		require.NoError(t, p.prepare(s))
	}

	return s
}
