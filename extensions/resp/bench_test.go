package resp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func ask(t *testing.T, db int, command ...string) string {
	t.Helper()
	s, err := parse(redisURL(t))
	require.NoError(t, err)
	conn, err := net.Dial("tcp", s.Address)
	require.NoError(t, err)
	defer conn.Close()
	answers := bufio.NewScanner(conn)
	for _, words := range [][]string{{"select", strconv.Itoa(db)}, command} {
		request := fmt.Sprintf("*%d\r\n", len(words))
		for _, word := range words {
			request += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
		}
		_, err = io.WriteString(conn, request)
		require.NoError(t, err)
		require.True(t, answers.Scan(), answers.Err())
		require.NotContains(t, answers.Text(), "-ERR")
	}

	return answers.Text()
}

func flush(t *testing.T) {
	t.Helper()
	require.Equal(t, "+OK", ask(t, 0, "flushall"))
}

func TestRunDoesAWorkload(t *testing.T) {
	flush(t)
	v := newVU(t)
	v.Run(`var client = new resp.Client(url); client.connect(); client.connect()`)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "connect", "outcome", "ok"))
	r := v.bench(`((w) => { client.prefill(w); return client.run(w); })({
		iterations: 500, values: { min: 0, max: 30000 }, keys: { distribution: 'hotcold', count: 50 },
		mix: { get: 5, set: 1, touch: 1, getOrSet: 2, getMulti: 1 } })`)
	require.Equal(t, 500, r.Succeeded)
	require.Zero(t, r.Failed, "and values are read into larger buffers as they come")
	require.Zero(t, r.Misses, "all was prefilled")
	require.Greater(t, r.Hits, 500, "a getMulti is of 10 keys")
	require.Equal(t, r.HotAccesses, r.HotHits)
	require.Equal(t, float64(r.Hits), v.Counted(metricHits))
	require.Zero(t, v.Counted(metricMisses))
	require.Positive(t, v.Counted("data_sent"))
	require.Greater(t, v.Counted("data_received"), float64(r.BytesReceived))
	v.Run(`client.close(); client.close()`)
	require.Equal(t, 1, v.bench(`client.run({ iterations: 1, mix: { delete: 1 } })`).Succeeded)
	v.CancelContext()
	requireNoneLeft(t)
}

func TestRunInPipelines(t *testing.T) {
	flush(t)
	v := newVU(t)
	v.Run(`var client = new resp.Client(url)`)
	r := v.bench(`client.run({ iterations: 1000, pipeline: 64, mix: { get: 1, set: 1, delete: 1, touch: 1 }, keys: { count: 100 }, ttl: '100s' })`)
	require.Equal(t, 1000, r.Succeeded)
	require.Positive(t, r.Hits)
	require.Positive(t, r.Misses)
	require.Equal(t, float64(r.Hits), v.Counted(metricHits, "op", "get"))
	require.Equal(t, float64(r.Misses), v.Counted(metricMisses, "op", "get"))
	require.Equal(t, 1001.0, v.Counted(metricOps, "outcome", "ok"))
}

func TestTimeToLive(t *testing.T) {
	flush(t)
	v := newVU(t)
	v.Run(`var client = new resp.Client(url);
		client.run({ iterations: 3, mix: { set: 1 }, keys: { count: 1 }, ttl: '100s' })`)
	left := func() int {
		seconds, err := strconv.Atoi(strings.TrimPrefix(ask(t, 0, "ttl", "key:000000000000"), ":"))
		require.NoError(t, err)

		return seconds
	}
	require.InDelta(t, 100, left(), 5)
	v.Run(`client.run({ iterations: 1, mix: { touch: 1 }, keys: { count: 1 }, ttl: '1000s' })`)
	require.InDelta(t, 1000, left(), 5)
	v.Run(`client.run({ iterations: 1, mix: { touch: 1 }, keys: { count: 1 } })`)
	require.Equal(t, -1, left(), "for ever")
}

func TestRunIsThePartOfAStep(t *testing.T) {
	flush(t)
	r := step(t, 3, measure.Plan{Operations: 1050, Warmup: 10 * time.Millisecond},
		`var client = new resp.Client(url); client.prefill({ keys: { count: 100 } })`,
		`client.run({ iterations: 400, keys: { count: 100 } })`)
	require.True(t, r.Complete)
	require.Len(t, r.Ops, 2, "none but those of the mix")
	get, set := r.Op("get"), r.Op("set")
	require.Equal(t, int64(3*1050), get.Durations.Count+set.Durations.Count, "to the operation")
	require.Equal(t, measure.Counters{measure.Hits: uint64(get.Durations.Count)}, r.Counters, "all was prefilled")
	require.Equal(t, uint64(get.Durations.Count)*uint64(len("*2\r\n$3\r\nget\r\n$16\r\nkey:000000000000\r\n")), get.BytesSent)
	require.Equal(t, uint64(get.Durations.Count)*uint64(len("$100\r\n\r\n")+100), get.BytesReceived)
	require.Equal(t, uint64(set.Durations.Count)*uint64(len("+OK\r\n")), set.BytesReceived)
	requireNoneLeft(t)
}

func TestRunTakesTurns(t *testing.T) {
	flush(t)
	// The kernel may begin to record receive times some 10 ms late, hence the warm-up.
	plan := measure.Plan{Operations: 1050, Warmup: 100 * time.Millisecond}
	r := step(t, 3, plan, `var client = new resp.Client(url)`, `client.run({ iterations: 400, keys: { count: 100 } })`)
	require.True(t, r.Complete)
	require.GreaterOrEqual(t, r.ClientWait.Count, int64(3*1050/20), "of one answer in sixteen")
}

func TestHitRateInAStep(t *testing.T) {
	flush(t)
	const config = `{ config: { memory: 1048576, item: 10000, random: true }, verify: true`
	r := step(t, 5, measure.Plan{UntilDone: true},
		`var client = new resp.Client([url, url + '/1'].join()); client.connect(); client.hitRate(`+config+`, pass: 'warmup' })`,
		`client.hitRate(`+config+`, pass: 'timed', iterations: 10 })`)
	require.True(t, r.Complete)
	require.Len(t, r.Ops, 1)
	require.Equal(t, int64(3355), r.Op("getOrSet").Durations.Count)
	require.Zero(t, r.Op("getOrSet").Failed)
	require.Equal(t, uint64(3355), r.Counters[measure.Hits]+r.Counters[measure.Misses])
	require.Equal(t, r.Counters[measure.Hot], r.Counters[measure.HotHits])
	for db := range 2 {
		require.NotEqual(t, ":0", ask(t, db, "dbsize"), "cases are spread over the instances")
	}
}

func TestMisuse(t *testing.T) {
	v := newVU(t)
	const server = "a server must be host:port, a unix socket (/path or unix:///path?db=0), or redis://user:password@host:port/0 (rediss:// for TLS), with @ : / ? # % , in a password written %40 %3A %2F %3F %23 %25 %2C"
	for script, want := range map[string]string{
		`new resp.Client(5)`:                                                         `new Client: options must be an object, not 5`,
		`new resp.Client({}, {})`:                                                    `new Client takes a url and options, or options alone`,
		`new resp.Client('http://secret@h')`:                                         `new Client: ` + server,
		`new resp.Client('redis://u:secret@h:6379?pool_size=5')`:                     `new Client: ` + server,
		`new resp.Client('redis://u:sec#ret@h:6379')`:                                `new Client: ` + server,
		`new resp.Client(',')`:                                                       `new Client: ` + server,
		`new resp.Client('h', { timeout: 0 })`:                                       `new Client: timeout must be more than 0, not 0s`,
		`new resp.Client('h', { connectTimeout: -1 })`:                               `new Client: connectTimeout must be more than 0, not -1ms`,
		`new resp.Client('h', { pool: 1 })`:                                          `new Client: unknown option "pool"; known are url, timeout, connectTimeout, tls, cluster, protocol`,
		`new resp.Client('h,i').run({ iterations: 1 })`:                              `run works with one server or, with the option cluster, with one cluster, and this Client has 2 servers; hitRate spreads its keys over several`,
		`new resp.Client(url).run({ iterations: 1, batch: 0 })`:                      `run: option batch must be from 1 to 10000 keys, not 0`,
		`new resp.Client(url).hitRate({ config: { memory: 104857600, item: 512 } })`: `hitRate: option pass must be 'warmup' or 'timed', not ""`,
		`new resp.Client(url).run({ iterations: 1, mix: { get: 'all' }})`:            `run: option mix.get must be a number, not a string`,
	} {
		require.Equal(t, thrown{want, k6x.KindUsage}, v.fail(script), script)
	}
	init := newInitVU(t, New())
	require.Equal(t, thrown{"a Client cannot be used in the init context; use it in setup() or in a scenario's function", k6x.KindUsage},
		init.fail(`new resp.Client(url).connect()`))
}

func TestErrors(t *testing.T) {
	v := newVU(t)
	answer := func(text string) string {
		return fake(t, func(conn net.Conn) {
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				if word := strings.ToLower(lines.Text()); word == "set" || word == "get" || word == "ping" {
					if _, err := io.WriteString(conn, text); err != nil {
						return
					}
				}
			}
		})
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := closed.Addr().String()
	require.NoError(t, closed.Close())
	silent := fake(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	closing := fake(t, func(net.Conn) {})
	for name, test := range map[string]struct{ addr, kind, says string }{
		"nobody listens":  {nobody, k6x.KindConnect, "cannot connect to " + nobody + ": connection refused; is a Redis server running there?"},
		"it says nothing": {silent, k6x.KindConnect, "cannot connect to " + silent + ": no answer within connectTimeout (300ms)"},
		"it closes":       {closing, k6x.KindConnect, "cannot connect to " + closing + ": "},
		"no login":        {answer("-NOAUTH Authentication required.\r\n"), k6x.KindAuth, "the server says: NOAUTH Authentication required."},
		"too many":        {answer("-ERR max number of clients reached\r\n"), k6x.KindBusy, "the server says: ERR max number of clients reached"},
		"garbage":         {answer("HTTP/1.1 400 Bad Request\r\n"), k6x.KindConnect, `begins with "HTTP/1.1 400 Bad Request", which is not RESP 2`},
		"another type":    {answer("$4\r\nPONG\r\n"), k6x.KindConnect, `the server's reply is "$4", but a reply of type '+' was expected`},
	} {
		require.NoError(t, v.JS.Set("addr", test.addr))
		v.Run(`var client = new resp.Client(addr, { timeout: '300ms', connectTimeout: '300ms' })`)
		e := v.fail(`client.connect()`)
		require.Equal(t, test.kind, e.Kind, "%s: %s", name, e.Message)
		require.Contains(t, e.Message, test.says, name)
		r := v.bench(`client.run({ iterations: 3, mix: { get: 1, set: 1 } })`)
		require.Equal(t, result{Failed: 3, Seconds: r.Seconds}, r, name)
		v.Run(`client.close()`)
	}
	require.Equal(t, 0.0, v.Counted(metricOps, "op", "get", "outcome", "ok"))
	v.CancelContext()
	requireNoneLeft(t)
}

func TestInvalidLengths(t *testing.T) {
	for lie, says := range map[string]string{
		"$9223372036854775800\r\n":    "the connection is closed: the server announces a string of 9223372036854775800 bytes: at most 536870912 are accepted",
		"*9223372036854775800\r\n":    `the server's reply is "*9223372036854775800", but a reply of type '$' was expected`,
		strings.Repeat("*1\r\n", 100): `the server's reply is "*1", but a reply of type '$' was expected`,
	} {
		liar := fake(t, func(conn net.Conn) {
			answers := map[string]string{"ping": "+PONG\r\n", "set": lie, "get": lie, "mget": lie, "info": lie}
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				if _, err := io.WriteString(conn, answers[strings.ToLower(lines.Text())]); err != nil {
					return
				}
			}
		})
		v := newVU(t)
		require.NoError(t, v.JS.Set("liar", liar))
		v.Run(`var client = new resp.Client(liar, { timeout: '10s' }); client.connect()`)
		for _, options := range []string{
			`mix: { get: 1 }`, `mix: { set: 1 }`, `mix: { getMulti: 1 }`, `mix: { get: 1 }, pipeline: 8`, `mix: { get: 1 }, values: { min: 0, max: 30000 }`,
		} {
			r := v.bench(`client.run({ iterations: 8, ` + options + ` })`)
			require.Equal(t, result{Failed: 8, Seconds: r.Seconds}, r, options)
		}
		require.Contains(t, v.fail(`client.info()`).Message, says)
		require.Contains(t, v.Abort(`client.prefill({})`), "but a reply of type '+' was expected")
		v.CancelContext()
	}
	requireNoneLeft(t)
}

func TestOutOfMemory(t *testing.T) {
	full := fake(t, func(conn net.Conn) {
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			says := map[string]string{"get": "$-1\r\n", "set": "-OOM command not allowed when used memory > 'maxmemory'.\r\n", "ping": "+PONG\r\n"}
			if text := says[lines.Text()]; text != "" {
				if _, err := io.WriteString(conn, text); err != nil {
					return
				}
			}
		}
	})
	v := newVU(t)
	require.NoError(t, v.JS.Set("full", full))
	v.Run(`var client = new resp.Client(full, { timeout: '5s' })`)
	r := v.bench(`client.run({ iterations: 3, mix: { getOrSet: 1 } })`)
	require.Equal(t, result{Succeeded: 3, Misses: 3, Refused: 3, Seconds: r.Seconds}, r)
	r = v.bench(`client.run({ iterations: 3, mix: { set: 1 } })`)
	require.Equal(t, result{Failed: 3, Seconds: r.Seconds}, r)
	require.Equal(t, 6.0, v.Counted(metricOps, "op", "set", "outcome", "full"))
}

func TestRunIsInterrupted(t *testing.T) {
	asked := make(chan struct{}, 1)
	silent := fake(t, func(conn net.Conn) {
		request := make([]byte, 1000)
		for {
			if _, err := conn.Read(request); err != nil {
				return
			}
			select {
			case asked <- struct{}{}:
			default:
			}
		}
	})
	for _, call := range []string{
		`run({ duration: '1h' })`, `prefill({})`, `hitRate({ config: { memory: 131072, item: 1000 }, pass: 'timed' })`,
	} {
		v := newVU(t)
		require.NoError(t, v.JS.Set("silent", silent))
		v.Run(`var client = new resp.Client(silent, { timeout: '1h' })`)
		go func() {
			<-asked
			v.CancelContext()
		}()
		began := time.Now()
		require.Equal(t, thrown{"the test ended before the run was over", k6x.KindCancelled}, v.fail("client."+call), call)
		require.Less(t, time.Since(began), 10*time.Second)
	}
	requireNoneLeft(t)
}

func TestReconnects(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new resp.Client(url); client.run({ iterations: 1 })`)
	require.Regexp(t, `^:[1-9]`, ask(t, 0, "client", "kill", "type", "normal", "skipme", "yes"))
	r := v.bench(`client.run({ iterations: 10 })`)
	require.Equal(t, 9, r.Succeeded, "the first one finds it out")
	require.Equal(t, 1, r.Failed)
}

func TestUnixSocket(t *testing.T) {
	v := newVU(t)
	s, err := parse(redisURL(t))
	require.NoError(t, err)
	v.Set("path", testutil.Socket(t, s.Address))
	for address, db := range map[string]int{`path`: 0, `'unix://' + path`: 0, `'unix://' + path + '?db=3'`: 3} {
		ask(t, db, "flushdb")
		r := v.bench(`new resp.Client(` + address + `).run({ iterations: 1, mix: { set: 1 }, keys: { count: 1 } })`)
		require.Equal(t, 1, r.Succeeded, address)
		require.Equal(t, ":1", ask(t, db, "dbsize"), address)
	}
}

func TestRunThatFailsIsLogged(t *testing.T) {
	v := newVU(t)
	logger, is := v.VU.State().Logger.(*logrus.Logger)
	require.True(t, is)
	logger.SetLevel(logrus.WarnLevel)
	log := logtest.NewLocal(logger)
	v.Run(`new resp.Client(url).run({ iterations: 3, mix: { get: 1 } })`)
	require.Empty(t, log.AllEntries())
	v.Run(`const dead = new resp.Client('127.0.0.1:1'); dead.run({ iterations: 3, mix: { get: 1 } }); dead.run({ iterations: 3, mix: { get: 1 } })`)
	require.Len(t, log.AllEntries(), 1)
	require.Contains(t, log.LastEntry().Message, "run: 3 of 3 operations failed, the first with: cannot connect to 127.0.0.1:1")
}

func TestServersThatAreBusy(t *testing.T) {
	for _, says := range []string{
		"LOADING Redis is loading the dataset in memory", "BUSY Redis is busy running a script.",
		"MASTERDOWN Link with MASTER is down", "TRYAGAIN Multiple keys request during rehashing of slot",
	} {
		v := newVU(t)
		v.Set("busy", fake(t, func(conn net.Conn) { _, _ = fmt.Fprintf(conn, "-%s\r\n", says) }))
		require.Equal(t, thrown{"the server says: " + says, k6x.KindBusy}, v.fail(`new resp.Client(busy).connect()`))
	}
}

func TestServerOfACluster(t *testing.T) {
	for _, call := range []string{
		`run({ iterations: 1000, mix: { get: 1 } })`, `run({ iterations: 1000, mix: { set: 1 }, pipeline: 4 })`,
		`run({ iterations: 1000, mix: { getMulti: 1 } })`, `prefill({})`, `hitRate({ config: { memory: 104857600, item: 512 }, pass: 'timed', iterations: 10 })`,
	} {
		v := newVU(t)
		v.Set("node", fake(t, func(conn net.Conn) {
			said := make([]byte, 64<<10)
			for n, err := conn.Read(said); err == nil; n, err = conn.Read(said) {
				for range bytes.Count(said[:n], []byte("*")) {
					answer := "-MOVED 3999 127.0.0.1:7001\r\n"
					if bytes.Contains(bytes.ToLower(said[:n]), []byte("ping")) {
						answer = "+PONG\r\n"
					}
					_, _ = conn.Write([]byte(answer))
				}
			}
		}))
		require.Contains(t, v.Abort(`const client = new resp.Client(node); client.connect(); client.`+call),
			"the server is a node of a Redis Cluster (it says: MOVED 3999 127.0.0.1:7001): give new Client the option cluster: true", call)
		v.CancelContext()
	}
}
