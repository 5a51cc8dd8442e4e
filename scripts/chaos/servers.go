package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is a server that cells use side by side, or one alone that stops or kills it.
type server struct {
	name    string
	network string
	// use is held for reading by a cell, and for writing by one that disturbs the server.
	use sync.RWMutex
	// control is where a double of ours is asked.
	control string

	mu      sync.Mutex
	address string
	pid     int
	own     *exec.Cmd // where we have started it
	// life is what a double of ours reads: it ends when that does, and so with this program.
	life io.Closer
	log  string
	// ready tells whether it serves at an address; nil: as soon as it accepts a connection.
	ready func(address string) bool
	// arguments are how to start it again, where it writes over its command line; nil: as that says.
	arguments func(dir string) []string
}

// at is where it is.
func (s *server) at() (network, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.network, s.address
}

func (s *server) dial() (net.Conn, error) {
	network, address := s.at()

	return net.Dial(network, address)
}

// fromServersSh is a server that scripts/servers.sh has started.
func fromServersSh(name, addressVariable, log string) (*server, error) {
	address, pid := os.Getenv(addressVariable), os.Getenv(strings.ToUpper(name)+"_PID")
	id, err := strconv.Atoi(pid)
	if err != nil || address == "" {
		return nil, fmt.Errorf("%s is not set: run me by scripts/servers.sh with %s -- %s", addressVariable, name, os.Args[0])
	}
	if _, after, found := strings.Cut(address, "://"); found {
		address = after
	}
	if _, after, found := strings.Cut(address, "@"); found {
		address = after
	}
	address, _, _ = strings.Cut(address, "/")

	return &server{name: name, network: "tcp", address: address, pid: id, log: log}, nil
}

// startUmem starts the double of umem-cache.
func startUmem(log string) (*server, error) {
	s := &server{name: "umemcache", network: "tcp6", log: log}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s.control = fmt.Sprintf("127.0.0.1:%d", port)

	return s, s.startUmem()
}

func (s *server) startUmem() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, umemArgument, s.control)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if s.life, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the umem-cache double does not start: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own, s.pid, s.address = cmd, cmd.Process.Pid, strings.TrimSpace(address)

	return nil
}

// signal sends a signal to the server.
func (s *server) signal(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	return syscall.Kill(s.pid, sig)
}

// killAndRestart kills the server, and starts it again after a moment with the same arguments, environment and folder.
func (s *server) killAndRestart() error {
	folder := fmt.Sprintf("/proc/%d", s.pid)
	libraries := librariesOf(folder)
	arguments, errArguments := os.ReadFile(filepath.Join(folder, "cmdline"))
	environment, errEnvironment := os.ReadFile(filepath.Join(folder, "environ"))
	dir, errDir := os.Readlink(filepath.Join(folder, "cwd"))
	program, errProgram := os.Readlink(filepath.Join(folder, "exe"))
	if err := errors.Join(errArguments, errEnvironment, errDir, errProgram, s.signal(syscall.SIGKILL)); err != nil {
		return err
	}
	s.reap()
	if err := waitFor(10*time.Second, func() bool { return !running(folder) }); err != nil {
		return fmt.Errorf("%s does not end: %w", s.name, err)
	}
	time.Sleep(200 * time.Millisecond)
	if s.control != "" {
		return s.startUmem()
	}

	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // a log
	if err != nil {
		return err
	}
	defer closed(log)
	cmd := exec.Command(program)
	cmd.Args = strings.Split(strings.TrimSuffix(string(arguments), "\x00"), "\x00")
	cmd.Env = strings.Split(strings.TrimSuffix(string(environment), "\x00"), "\x00")
	if s.arguments != nil {
		cmd.Args = s.arguments(dir)
		cmd.Env = []string{"LD_LIBRARY_PATH=" + libraries}
	}
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.mu.Lock()
	s.own, s.pid = cmd, cmd.Process.Pid
	s.mu.Unlock()

	return s.waitReady()
}

func (s *server) waitReady() error {
	_, address := s.at()
	ready := s.ready
	if ready == nil {
		ready = accepts
	}
	if err := waitFor(60*time.Second, func() bool { return ready(address) }); err != nil {
		return fmt.Errorf("%s does not start again: %w", s.name, err)
	}

	return nil
}

// stop ends the server if it is ours.
func (s *server) stop() {
	if s.own == nil {
		return
	}
	_ = s.signal(syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		s.reap()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = s.signal(syscall.SIGKILL)
		<-done
	}
}

func (s *server) reap() {
	if s.own != nil {
		_ = s.own.Wait()
		s.own = nil
	}
}

// librariesOf are the folders of the libraries that a process uses, as LD_LIBRARY_PATH has them.
func librariesOf(folder string) string {
	maps, err := os.ReadFile(filepath.Join(folder, "maps"))
	if err != nil {
		return ""
	}
	var folders []string
	for line := range strings.Lines(string(maps)) {
		_, file, found := strings.Cut(line, " /")
		if found && strings.Contains(file, ".so") && !slices.Contains(folders, "/"+filepath.Dir(file)) {
			folders = append(folders, "/"+filepath.Dir(file))
		}
	}

	return strings.Join(folders, ":")
}

// running tells whether the process of a folder in /proc has not ended.
func running(folder string) bool {
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))

	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func accepts(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err == nil {
		_ = conn.Close()
	}

	return err == nil
}

var errLate = errors.New("it took too long")

// waitFor asks again and again.
func waitFor(most time.Duration, is func() bool) error {
	for deadline := time.Now().Add(most); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return errLate
		}
	}

	return nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer closed(listener)

	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return 0, err
	}

	return strconv.Atoi(port)
}
