package chaos

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type said struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.all.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.all.String()
}

type table struct {
	binary, clockBinary string
	scripts             string
	folder              string
	certificates        map[string]tls.Certificate
	trusted             string
	ids                 atomic.Int64

	mu      sync.Mutex
	servers map[string]*server
}

type cell struct {
	*table

	protocol   *protocol
	fault      *fault
	server     *server
	cluster    *redisCluster
	id         string
	folder     string
	results    string
	nameServer string

	// Each client does perClient operations in each of the repeats.
	clients, perClient, repeats int

	proxy  *proxy
	moved  *proxy
	names  *nameService
	k6     *exec.Cmd
	output said
	stacks func() (string, error)

	mu    sync.Mutex
	short []string
	// ended reports whether all clients had ended while k6 was running.
	ended bool
}

func (c *cell) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.short = append(c.short, fmt.Sprintf(format, args...))
}

func usual() map[string]string {
	return map[string]string{
		"CLIENTS": "4", "ITERATIONS": "40", "REPEATS": "1", "PACE": "0", "TIMEOUT": "500ms", "MAX_DURATION": "20s",
	}
}

func (c *cell) run() []string {
	if c.fault.disturbs {
		c.server.use.Lock()
		defer c.server.use.Unlock()
	} else {
		c.server.use.RLock()
		defer c.server.use.RUnlock()
	}
	if err := c.try(); err != nil {
		c.fail("%v", err)
	}
	c.keepLog()

	return c.short
}

func (c *cell) try() error {
	c.results = filepath.Join(c.folder, "results")
	if err := errors.Join(os.RemoveAll(c.folder), os.MkdirAll(c.results, 0o750)); err != nil {
		return err
	}
	if c.protocol.cluster {
		defer c.stopCluster()
		if err := c.startCluster(); err != nil {
			return err
		}
	}
	address, err := c.listen()
	if err != nil {
		return err
	}
	defer c.closeProxies()
	control, err := c.serveControl()
	if err != nil {
		return err
	}
	defer closed(control)
	if c.fault.names != nil {
		if c.names, err = c.fault.names(c); err != nil {
			return err
		}
		defer c.names.close()
	}
	if err := c.runK6(address, "http://"+control.Addr); err != nil {
		return err
	}
	c.judge()

	return nil
}

func (c *cell) listen() (address string, err error) {
	host := c.protocol.host()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	address = listener.Addr().String()
	if c.fault.refused {
		return address, listener.Close()
	}
	c.proxy = c.newProxy(listener)
	c.proxy.serve()
	if c.fault.names != nil {
		_, port, _ := net.SplitHostPort(address)
		address = net.JoinHostPort(hostName, port)
	}

	return address, nil
}

func (c *cell) newProxy(listener net.Listener) *proxy {
	p := &proxy{listener: listener, server: c.server.at, wrap: c.fault.wrap}
	if c.fault.tamper != nil {
		p.fault = c.fault.tamper(c.protocol)
	}
	if c.fault.tls != "" {
		p.rewrite = c.protocol.rewrite
		p.tls = &tls.Config{Certificates: []tls.Certificate{c.certificates[c.fault.tls]}, NextProtos: c.protocol.alpn}
	}

	return p
}

func (c *cell) moveProxy(host string) error {
	_, port, _ := net.SplitHostPort(c.proxy.listener.Addr().String())
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.moved = c.newProxy(listener)
	c.mu.Unlock()
	c.moved.serve()
	_ = c.proxy.listener.Close()
	c.proxy.cut()

	return nil
}

func (c *cell) proxies() (all []*proxy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range []*proxy{c.proxy, c.moved} {
		if p != nil {
			all = append(all, p)
		}
	}

	return all
}

func (c *cell) closeProxies() {
	for _, p := range c.proxies() {
		p.close()
	}
}

func (c *cell) connectionsLeft() (n int) {
	for _, p := range c.proxies() {
		n += p.left()
	}

	return n
}

func (c *cell) serveControl() (*http.Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/alive", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/ended", func(http.ResponseWriter, *http.Request) { c.lookAfterTheStep() })
	s := &http.Server{Addr: listener.Addr().String(), Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(listener) }()

	return s, nil
}

const settle = 4 * time.Second

// lookAfterTheStep is called after all clients have ended and before k6 ends.
func (c *cell) lookAfterTheStep() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	if c.protocol.output || c.protocol.closes && len(c.fault.interrupts) > 0 {
		return // outputs work until k6 ends, and interrupted scripts close nothing
	}
	if waitFor(settle, func() bool { return c.connectionsLeft() == 0 }) != nil {
		c.fail("%d connections are open after the step", c.connectionsLeft())
	}
	var left []string
	if waitFor(settle/2, func() bool { left = c.goroutines(); return len(left) == 0 }) != nil {
		c.fail("%d goroutines are left after the step, such as\n%s", len(left), left[0])
	}
}

func (c *cell) goroutines() (found []string) {
	text, err := c.stacks()
	if err != nil {
		return []string{"k6 does not tell: " + err.Error()}
	}
	for stack := range strings.SplitSeq(text, "\n\n") {
		for _, room := range c.protocol.rooms {
			if strings.Contains(stack, room) {
				found = append(found, stack)
				break
			}
		}
	}

	return found
}

func (c *cell) settings(address, control string) (map[string]string, error) {
	all := usual()
	for name, value := range c.fault.settings {
		all[name] = value
	}
	all["PREFER"] = "preferIPv4"
	if strings.Contains(c.protocol.host(), ":") {
		all["PREFER"] = "preferIPv6"
	}
	var err error
	if c.clients, err = strconv.Atoi(all["CLIENTS"]); err != nil {
		return nil, err
	}
	if c.perClient, err = strconv.Atoi(all["ITERATIONS"]); err != nil {
		return nil, err
	}
	if c.repeats, err = strconv.Atoi(all["REPEATS"]); err != nil {
		return nil, err
	}
	if (all["PACE"] != "0" || c.protocol.output) && c.protocol.load > 0 {
		c.perClient *= c.protocol.load
	}
	all["ITERATIONS"] = strconv.Itoa(c.perClient)
	for name, variable := range c.protocol.env {
		all[name] = os.Getenv(variable)
	}
	all["ADDRESS"], all["CONTROL"], all["CELL"], all["RESULTS"] = address, control, c.id, c.results
	all["TLS"] = strconv.FormatBool(c.fault.tls != "")
	all["FORGETS"] = strconv.FormatBool(c.mayForget())
	all["GARBLED"] = strconv.FormatBool(c.fault.garbles)

	return all, nil
}

func (c *cell) command(address, control string) (*exec.Cmd, error) {
	settings, err := c.settings(address, control)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	api := fmt.Sprintf("127.0.0.1:%d", port)
	program := c.binary
	if c.fault.clock != 0 {
		program = c.clockBinary
	}
	args := []string{program, "run", "--no-color", "--quiet", "--address", api, "--profiling-enabled"}
	for name, value := range settings {
		args = append(args, "-e", name+"="+value)
	}
	if c.stacks == nil {
		c.stacks = func() (string, error) { return get("http://" + api + "/debug/pprof/goroutine?debug=1") }
	}
	if c.protocol.output {
		scheme := "http"
		if c.fault.tls != "" {
			scheme = "https"
		}
		args = append(args, "-o", fmt.Sprintf(
			"sweep-influxdb=%s://%s/sweep?instance=%s&pushInterval=100ms&timeout=%s&flushTimeout=5s",
			scheme, address, c.id, settings["TIMEOUT"]))
	}
	args = append(args, filepath.Join(c.scripts, c.protocol.name+".js"))
	if shell := c.fault.shell; shell != "" {
		args = append([]string{"bash", "-c", shell, "bash"}, args...)
	}
	if c.names != nil {
		file := filepath.Join(c.folder, "resolv.conf")
		text := "nameserver " + c.nameServer + "\noptions timeout:1 attempts:1\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		args = append([]string{"bash", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, file}, args...)
	}
	if c.fault.mounts() {
		args = append([]string{"unshare", "--map-root-user", "--mount"}, args...) // so a user may mount, too
	}
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // killed with all its children when it is late
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true", "SSL_CERT_FILE="+c.trusted,
		"GODEBUG=netdns=go", "GORACE=exitcode=66 atexit_sleep_ms=0", "RESULTS="+c.results, "CHAOS_CLOCK="+c.fault.clock.String())
	cmd.Stdout, cmd.Stderr = &c.output, &c.output

	return cmd, nil
}

func (c *cell) runK6(address, control string) (err error) {
	if c.k6, err = c.command(address, control); err != nil {
		return err
	}
	if err := c.k6.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = c.k6.Wait()
		close(ended)
	}()
	var happening sync.WaitGroup
	if c.fault.during != nil {
		happening.Go(func() { c.happen(ended) })
	}
	limit := c.fault.limit
	if limit == 0 {
		limit = 40 * time.Second
	}
	select {
	case <-ended:
	case <-time.After(limit):
		c.fail("k6 has not ended within %v", limit)
		_ = syscall.Kill(-c.k6.Process.Pid, syscall.SIGQUIT)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = syscall.Kill(-c.k6.Process.Pid, syscall.SIGKILL)
			<-ended
		}
	}
	happening.Wait()
	if waitFor(settle, func() bool { return syscall.Kill(-c.k6.Process.Pid, 0) != nil }) != nil {
		c.fail("a process of k6 is left")
	}
	if waitFor(settle, func() bool { return c.connectionsLeft() == 0 }) != nil {
		c.fail("%d connections outlive k6", c.connectionsLeft())
	}

	return nil
}

func (c *cell) happen(ended <-chan struct{}) {
	underWay := func() bool {
		select {
		case <-ended:
			return true
		default:
			return c.proxy.replied.Load() > 0
		}
	}
	if waitFor(20*time.Second, underWay) != nil {
		c.fail("nothing came through the proxy")
		return
	}
	time.Sleep(400 * time.Millisecond)
	if err := c.fault.during(c); err != nil {
		c.fail("the fault did not happen: %v", err)
	}
}

func (c *cell) keepLog() {
	text := []byte(c.output.String())
	if c.k6 != nil {
		text = append([]byte(strings.Join(c.k6.Args, " ")+"\n\n"), text...)
	}
	for _, why := range c.short {
		text = append(text, "\nSHORT: "+why...)
	}
	_ = os.MkdirAll(c.folder, 0o750)
	_ = os.WriteFile(c.log(), append(text, '\n'), 0o644)
}

func (c *cell) log() string { return filepath.Join(c.folder, "k6.log") }

var dumps = regexp.MustCompile(`(?m)^panic:|^fatal error:|^goroutine \d+ |^runtime: |` +
	`DATA RACE|^SIG[A-Z]+: |nil pointer dereference`)

func (c *cell) judge() {
	c.judgeFault()
	text := c.output.String()
	if found := dumps.FindString(text); found != "" {
		c.fail("k6 has broken down: %s", strings.TrimSpace(found))
	}
	for line := range strings.Lines(text) {
		if _, what, found := strings.Cut(line, "CHAOS: "); found {
			c.fail("%s", strings.TrimSpace(what))
			break
		}
	}
	if usage, ok := c.k6.ProcessState.SysUsage().(*syscall.Rusage); ok && usage.Maxrss > 1<<20 {
		c.fail("k6 took %d MB", usage.Maxrss>>10)
	}
	if !c.ended && len(c.fault.lost) == 0 {
		c.fail("k6 has not called teardown")
	}
	c.judgeReport(c.k6.ProcessState.ExitCode())
}

func (c *cell) judgeFault() {
	if p := c.proxy; p != nil && p.fault != nil && p.spoiled.Load() == 0 {
		c.fail("the fault was applied to none of %d connections", p.accepted.Load())
	}
	if d := c.fault.clock; d != 0 && !c.stepped(d) {
		c.fail("k6's clock was not stepped by %v", d)
	}
	if c.names != nil && c.names.questions() == 0 {
		c.fail("nobody asked for the name")
	}
	if c.moved != nil && c.moved.replied.Load() == 0 {
		c.fail("nothing was asked at the new address")
	}
}

var logTime = regexp.MustCompile(`(?m)^time="([^"]+)"`)

func (c *cell) stepped(by time.Duration) bool {
	lines := logTime.FindAllStringSubmatch(c.output.String(), -1)
	if lines == nil {
		return false
	}
	last, err := time.Parse(time.RFC3339, lines[len(lines)-1][1])

	return err == nil && (time.Until(last)-by).Abs() < by.Abs()/2
}

type counts struct{ done, failed int }

func (c *cell) judgeReport(code int) {
	rep, err := c.report(c.reportName())
	if errors.Is(err, os.ErrNotExist) && len(c.fault.lost) > 0 {
		c.expect(code, c.fault.lost...)
		if len(c.fault.interrupts) == 0 {
			return
		}
		rep, err = c.report(c.journal()) // the completed steps
	}
	if err != nil {
		c.fail("the report: %v (exit code %d)", err, code)
		return
	}
	all, write, complete := c.count(rep)
	switch {
	case len(c.fault.interrupts) > 0:
		c.expect(code, c.fault.interrupts...)
		if !rep.Interrupted || all.done == 0 {
			c.fail("the report does not say that the run was interrupted, or nothing of the steps before that")
		}
	case all.failed > 0 || !complete:
		c.expect(code, exitThreshold)
		c.judgeCounts(all, complete)
	case c.protocol.output && strings.Contains(c.output.String(), ": 0 points written,"):
		c.expect(code, exitFailed)
		c.judgeCounts(all, complete)
	default:
		c.expect(code, exitOK)
		c.judgeCounts(all, complete)
	}
	if c.protocol.output {
		c.judgeOutput(all)
	} else {
		c.judgeServer(write)
	}
}

func (c *cell) journal() string { return filepath.Join(c.results, "chaos.partial.json") }

func exists(name string) bool {
	_, err := os.Stat(name)

	return err == nil
}

func (c *cell) reportName() string {
	if c.fault.name == "disk-full" { // its file system is gone
		return filepath.Join(c.results+"-left", "chaos.json")
	}

	return filepath.Join(c.results, "chaos.json")
}

func (c *cell) expect(code int, wanted ...int) {
	for _, one := range wanted {
		if code == one {
			return
		}
	}
	c.fail("the exit code is %d, not %d", code, wanted[0])
}

type resultOf struct {
	Interrupted bool
	Steps       []struct {
		Op          string
		Ops, Failed int
		Complete    bool
	}
}

func (c *cell) report(name string) (*resultOf, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, c.binary, "x", "sweep", "validate", name).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("k6 x sweep validate: %w: %s", err, out)
	}
	var rep resultOf

	return &rep, json.Unmarshal(raw, &rep)
}

func (c *cell) count(rep *resultOf) (all, write counts, complete bool) {
	complete = len(rep.Steps) > 0
	for _, step := range rep.Steps {
		all.done += step.Ops
		all.failed += step.Failed
		complete = complete && step.Complete
		if step.Op == c.protocol.writes {
			write.done += step.Ops
			write.failed += step.Failed
		}
	}

	return all, write, complete
}

func (c *cell) judgeCounts(all counts, complete bool) {
	total := c.clients * c.perClient * c.repeats
	switch {
	case !complete:
		c.fail("the step is not complete: %d operations are done and %d failed, of %d", all.done, all.failed, total)
	case all.done+all.failed != total:
		c.fail("%d operations are done and %d failed, of %d", all.done, all.failed, total)
	}
	switch c.expected() {
	case noneFails:
		if all.failed > 0 {
			c.fail("%d operations failed, of a fault that is none for them", all.failed)
		}
	case someFail:
		if all.failed == 0 || all.done == 0 {
			c.fail("%d operations are done and %d failed: there are to be both", all.done, all.failed)
		}
	case allFail:
		if all.done > 0 {
			c.fail("%d operations are done, where none can be", all.done)
		}
	case mayFail:
		if all.done == 0 {
			c.fail("no operation is done: k6 does not recover")
		}
	}
}

func (c *cell) expected() failures {
	switch {
	case !c.protocol.output:
		return c.fault.failures
	case c.fault.name == "no-files":
		return mayFail
	default:
		return noneFails
	}
}

// mayForget reports whether the server can lack acknowledged data: it was killed and has no
// storage, or it sends no acknowledgements and the connection broke.
func (c *cell) mayForget() bool {
	return c.fault.kills && c.protocol.forgets || c.protocol.unsure && c.fault.failures != noneFails
}

func (c *cell) judgeServer(write counts) {
	stored, err := c.protocol.stored(c)
	if err != nil {
		c.fail("what the server has: %v", err)
		return
	}
	most := write.done + write.failed
	if len(c.fault.interrupts) > 0 {
		most = c.clients * c.perClient * c.repeats // operations that the report lacks may have been done
	}
	switch {
	case stored < write.done && !c.mayForget():
		c.fail("%d of %s were acknowledged, and the server has %d of them", write.done, c.protocol.writes, stored)
	case stored > most*c.protocol.most:
		c.fail("the server has %d of %s, and only %d were asked for", stored, c.protocol.writes, most)
	}
}

var tally = regexp.MustCompile(`([0-9,]+) points written, (?:none dropped|([0-9,]+) DROPPED)`)

func (c *cell) judgeOutput(all counts) {
	found := tally.FindStringSubmatch(c.output.String())
	if found == nil && len(c.fault.lost) > 0 {
		return
	}
	if found == nil {
		c.fail("the output does not say what became of its points")
		return
	}
	written, dropped := number(found[1]), number(found[2])
	points, ops, err := influxSums(c)
	switch {
	case err != nil:
		c.fail("what InfluxDB has: %v", err)
	case points < written || points > written+dropped:
		c.fail("%d points are said to be written and %d dropped; InfluxDB has %d", written, dropped, points)
	case dropped == 0 && ops != all.done, ops > all.done:
		c.fail("InfluxDB has %d operations, the report %d, and %d points were dropped", ops, all.done, dropped)
	case c.fault.failures == allFail && written > 0:
		c.fail("%d points are said to be written, where none can be", written)
	case c.fault.failures == noneFails && dropped > 0:
		c.fail("%d points were dropped", dropped)
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))

	return n
}
