package chaos

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

type server struct {
	name    string
	network string
	// use is held for reading by a cell, and for writing by one that disturbs the server.
	use     sync.RWMutex
	control string

	mu      sync.Mutex
	address string
	pid     int
	own     *exec.Cmd
	// life is the standard input of our test double, which exits with this program.
	life    io.Closer
	log     string
	started command
	// arguments returns the restart command of a server that overwrites its command line; nil for
	// `started`.
	arguments func(dir string) []string
}

func (s *server) at() (network, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.network, s.address
}

func (s *server) dial() (net.Conn, error) {
	network, address := s.at()

	return net.Dial(network, address)
}

func fromServersSh(name, log string) (*server, error) {
	variable := strings.ToUpper(strings.Replace(name, "mxgateway", "mxgw", 1)) + "_URL"
	address, pid := os.Getenv(variable), os.Getenv(strings.ToUpper(name)+"_PID")
	id, err := strconv.Atoi(pid)
	if err != nil || address == "" {
		return nil, fmt.Errorf("%s is not set: run me by scripts/servers.sh with %s -- %s", variable, name, os.Args[0])
	}
	if _, after, found := strings.Cut(address, "://"); found {
		address = after
	}
	if _, after, found := strings.Cut(address, "@"); found {
		address = after
	}
	address, _, _ = strings.Cut(address, "/")

	s := &server{name: name, network: "tcp", address: address, pid: id, log: log}
	if name == "redis" {
		s.arguments = redisArguments(address)
	}

	return s, s.remember()
}

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

func (s *server) signal(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	return syscall.Kill(s.pid, sig)
}

type command struct {
	program, dir string
	args, env    []string
}

func (s *server) remember() error {
	folder := fmt.Sprintf("/proc/%d", s.pid)
	arguments, errArguments := os.ReadFile(filepath.Join(folder, "cmdline"))
	environment, errEnvironment := os.ReadFile(filepath.Join(folder, "environ"))
	dir, errDir := os.Readlink(filepath.Join(folder, "cwd"))
	program, errProgram := os.Readlink(filepath.Join(folder, "exe"))
	s.started = command{
		program: program, dir: dir,
		args: strings.Split(strings.TrimSuffix(string(arguments), "\x00"), "\x00"),
		env:  strings.Split(strings.TrimSuffix(string(environment), "\x00"), "\x00"),
	}
	if s.arguments != nil {
		s.started.args = s.arguments(dir)
		s.started.env = []string{"LD_LIBRARY_PATH=" + librariesOf(folder)}
	}

	return errors.Join(errArguments, errEnvironment, errDir, errProgram)
}

func (s *server) dead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	return !running(fmt.Sprintf("/proc/%d", s.pid))
}

func (s *server) killAndRestart() error {
	if err := s.signal(syscall.SIGKILL); err != nil {
		return err
	}
	s.reap()
	if err := waitFor(10*time.Second, s.dead); err != nil {
		return fmt.Errorf("%s does not end: %w", s.name, err)
	}
	time.Sleep(200 * time.Millisecond)

	return s.restart()
}

func (s *server) revive() error {
	s.use.Lock()
	defer s.use.Unlock()
	if !s.dead() {
		return nil
	}
	s.reap()
	if words, err := os.ReadFile(filepath.Join(s.started.dir, "stdout")); err == nil {
		_ = os.WriteFile(s.log+".died", words, 0o600)
	}
	return s.restart()
}

func (s *server) restart() error {
	if s.control != "" {
		return s.startUmem()
	}
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer closed(log)
	cmd := exec.Command(s.started.program)
	cmd.Args, cmd.Env, cmd.Dir = s.started.args, s.started.env, s.started.dir
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
	if err := waitFor(60*time.Second, func() bool { return accepts(address) }); err != nil {
		return fmt.Errorf("%s does not start again: %w", s.name, err)
	}

	return nil
}

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
