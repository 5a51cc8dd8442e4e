package mxgateway

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
)

const aResult = `{"errorMessage":"","itemHandle":1,"quality":192,"sourceTimestamp":"2026-01-01T00:00:00Z","tag":"A.x",` +
	`"value":100,"wasCached":true,"wasSuccessful":true}`

func TestFlow(t *testing.T) {
	server := start(t, nil)
	v := newVU(t, server.Address)
	require.JSONEq(t, `{"sessionId":"session-1","backendName":"gatewaytest for flow","gatewayProtocolVersion":0,"workerProtocolVersion":0}`,
		v.JSON(`client.open('flow')`))
	require.Equal(t, "7", v.JSON(`client.register('flow')`))
	require.JSONEq(t, `[{"tag":"A.x","itemHandle":1,"wasSuccessful":true,"errorMessage":""},
		{"tag":"Unknown","itemHandle":0,"wasSuccessful":false,"errorMessage":"no such tag"}]`, v.JSON(`client.subscribe(['A.x', 'Unknown'])`))
	require.JSONEq(t, aResult, v.JSON(`client.readBulk()[0]`))
	require.Equal(t, "3", v.JSON(`client.readBulk(tags, { wait: '100ms' }).length`))
	require.Equal(t, `[]`, v.JSON(`client.unsubscribe([])`), "none is not all")
	require.Equal(t, `[1]`, v.JSON(`client.unsubscribe().map((item) => item.itemHandle)`))
	v.Run(`client.close(); client.close()`)
	require.Zero(t, server.Sessions())
	requireNoneLeft(t)

	for _, operation := range []string{"open", "register", "subscribe", "close"} {
		require.Equal(t, 1.0, v.Counted(metricOps, "op", operation, "outcome", "ok"), operation)
	}
	require.Equal(t, 2.0, v.Counted(metricOps, "op", "unsubscribe", "outcome", "ok"))
	require.Equal(t, 2.0, v.Counted(metricOps, "op", "readBulk"))
	require.Equal(t, 5.0, v.Counted(metricResults))
	require.Equal(t, 5.0, v.Counted(metricCached))
	require.Positive(t, v.Counted(metricDuration, "op", "readBulk"))
	require.Positive(t, v.Counted("data_received"))
	require.Positive(t, v.Counted("data_sent"))
}

func TestAsynchronousForms(t *testing.T) {
	server := start(t, nil)
	v := newVU(t, server.Address)
	v.Loop(`client.asyncOpen();
		const handle = client.asyncRegister();
		const items = client.asyncSubscribe(tags);
		const read = client.asyncReadBulk(['A.x', 'B.x']);
		const ended = client.asyncUnsubscribe();
		globalThis.got = [await handle, (await items).length, (await read).length, (await ended).length];
		await client.asyncClose()`)
	require.Equal(t, `[7,3,2,3]`, v.JSON(`got`))
	require.Zero(t, server.Sessions())
	require.Equal(t, thrown{"there is no session: call open() first", "usage", 0}, v.rejected(`client.asyncRegister()`))
	require.Equal(t, thrown{"subscribe: the tags must be an array, not A.x", "usage", 0}, v.rejected(`client.asyncSubscribe('A.x')`))
}

func TestTagsOfCalls(t *testing.T) {
	v := newVU(t, start(t, nil).Address)
	v.Run(`client.connect({ tags: { part: 'begin' } });
		client.open('x', { tags: { part: 'begin' } });
		client.register('x', { tags: { part: 'begin' } });
		client.subscribe(tags, { tags: { part: 'begin' } });
		client.readBulk(null, { tags: { part: 'read', nth: 1 } });
		client.readBulk();
		client.run({ iterations: 5, tags: { part: 'run' } });
		client.unsubscribe(null, { tags: { part: 'end' } });
		client.close({ tags: { part: 'end' } })`)
	require.Equal(t, 4.0, v.Counted(metricOps, "part", "begin"))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "readBulk", "part", "read", "nth", "1"))
	require.Equal(t, 3.0, v.Counted(metricResults, "part", "read"))
	require.Equal(t, 5.0, v.Counted(metricOps, "op", "readBulk", "part", "run"))
	require.Equal(t, 2.0, v.Counted(metricOps, "part", "end"))
	require.Equal(t, 13.0, v.Counted(metricOps))
	require.Len(t, v.Found(metricDuration, "part", "begin"), 4)
}

func TestURLs(t *testing.T) {
	for _, test := range []struct {
		urls    []string
		address string
		secured bool
	}{
		{nil, "127.0.0.1:50051", false},
		{[]string{"host"}, "host:50051", false},
		{[]string{"host:1"}, "host:1", false},
		{[]string{"[::1]:1"}, "[::1]:1", false},
		{[]string{"[::1]"}, "[::1]:50051", false},
		{[]string{"grpc://host:1/"}, "host:1", false},
		{[]string{"http://host"}, "host:50051", false},
		{[]string{"grpcs://host"}, "host:50051", true},
		{[]string{"https://host:1"}, "host:1", true},
	} {
		address, secured, err := parseURLs(test.urls)
		require.NoError(t, err, test.urls)
		require.Equal(t, test.address, address)
		require.Equal(t, test.secured, secured)
	}
}

func TestTheEndOfAVU(t *testing.T) {
	server := start(t, nil)
	v := newVU(t, server.Address)
	v.Run(`client.open()`)
	require.Equal(t, 1, server.Sessions())
	v.CancelContext()
	require.Eventually(t, func() bool { return server.Sessions() == 0 }, hang, tick)
	requireNoneLeft(t)
}

func TestErrors(t *testing.T) {
	server := start(t, func(context.Context, int) gatewaytest.Answer {
		return gatewaytest.Answer{Err: status.Error(codes.PermissionDenied, "the key "+key+" lacks invoke:read")}
	})
	v := newVU(t, server.Address)
	require.Equal(t, thrown{"there is no session: call open() first", "usage", 0}, v.fail(`client.register()`))
	v.Run(`client.open(); client.register()`)
	require.Equal(t, thrown{"a session is open: call close() first", "usage", 0}, v.fail(`client.open()`))
	require.Equal(t, thrown{"there are no tags: subscribe to some first, or pass them", "usage", 0}, v.fail(`client.readBulk()`))
	require.Equal(t, thrown{"PERMISSION_DENIED: the key *** lacks invoke:read", "auth", 7}, v.fail(`client.readBulk(tags)`))
	require.Equal(t, 1.0, v.Counted(metricOps, "outcome", "auth"))
	require.Zero(t, v.Counted(metricOps, "outcome", "usage"))

	v.Run(`client.close()`)
	server.Stop()
	refused := v.fail(`client.open()`)
	require.Equal(t, "connection", refused.Kind)
	require.EqualValues(t, codes.Unavailable, refused.Code)
}

// Connecting and opening a session are separate: connect runs before the measurement, and fails
// early.
func TestConnect(t *testing.T) {
	server := start(t, nil)
	v := newVU(t, server.Address)
	v.Run(`client.connect(); client.connect()`)
	require.Equal(t, 1, server.Connections())
	require.Zero(t, server.Sessions())
	require.Equal(t, 2.0, v.Counted(metricOps, "op", "connect", "outcome", "ok"))
	v.Run(`client.open(); client.close()`)
	require.Equal(t, 1, server.Connections(), "the session is on that connection")

	server.Stop()
	for range 2 {
		refused := v.fail(`client.connect()`)
		require.Equal(t, "connect", refused.Kind)
		require.Contains(t, refused.Message, "cannot connect to "+server.Address+": ")
		require.Contains(t, refused.Message, "refused")
		require.Zero(t, refused.Code)
	}
	require.Equal(t, "connect", v.rejected(`client.asyncConnect()`).Kind)
	requireNoneLeft(t)
}

func TestConnectToSilentServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	v := newInitVU(t, New(), listener.Addr().String())
	v.Run(`var client = new mxgateway.Client(address, { ...options, connectTimeout: '200ms' })`)
	v.Start(0)
	silent := v.fail(`client.connect()`)
	require.Equal(t, "connect", silent.Kind)
	require.Contains(t, silent.Message, "cannot connect to "+listener.Addr().String()+": ")
	requireNoneLeft(t)
}

func TestWrongKey(t *testing.T) {
	v := newInitVU(t, New(), start(t, nil).Address)
	v.Run(`var client = new mxgateway.Client(address, { ...options, apiKey: 'mxgw_id_other' })`)
	v.Start(0)
	require.Equal(t, thrown{"UNAUTHENTICATED: the key is wrong", "auth", 16}, v.fail(`client.open()`))
}

func TestWrongUse(t *testing.T) {
	v := newInitVU(t, New(), "127.0.0.1:1")
	for script, message := range map[string]string{
		`new mxgateway.Client('host:port:1')`:                                  `new Client: the url must be host:port or grpc://host:port, with grpcs:// for TLS, such as 127.0.0.1:50051`,
		`new mxgateway.Client('tcp://host:1', options)`:                        `new Client: the url must be host:port or grpc://host:port, with grpcs:// for TLS, such as 127.0.0.1:50051`,
		`new mxgateway.Client(['a', 'b'], options)`:                            `new Client: the url must name one gateway: a Client has one session`,
		`new mxgateway.Client('a', { ...options, url: 'b' })`:                  `new Client: the url is given twice: as the first argument and as option url`,
		`new mxgateway.Client('grpcs://a', { ...options, tls: false })`:        `new Client: the url is for TLS, but tls is false`,
		`new mxgateway.Client({ ...options, timeout: 5 })`:                     `new Client: timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`,
		`new mxgateway.Client(options).run({ tags: ['A.x'] })`:                 `run: option tags is for samples, such as { name: 'a' }; the tags to read belong in option addresses`,
		`new mxgateway.Client(options).open('x', { tag: 1 })`:                  `open: unknown option "tag"; known is tags`,
		`new mxgateway.Client(options, {})`:                                    `new Client takes a url and options, or options alone`,
		`new mxgateway.Client({ apiKey: 'a b', proto })`:                       `new Client: apiKey must be printable ASCII without spaces, such as mxgw_<keyId>_<secret>`,
		`new mxgateway.Client({ timeout: 0, proto })`:                          `new Client: timeout must be more than 0, not 0s`,
		`new mxgateway.Client({ connectTimeout: '-1s', proto })`:               `new Client: connectTimeout must be more than 0, not -1s`,
		`new mxgateway.Client({ connection: 'all', proto })`:                   `new Client: connection must be 'vu' or 'shared', not "all"`,
		`new mxgateway.Client({})`:                                             `new Client: either proto, the path of the gateway's .proto file, or reflection: true must be given`,
		`new mxgateway.Client({ proto, reflection: true })`:                    `new Client: either proto, the path of the gateway's .proto file, or reflection: true must be given`,
		`new mxgateway.Client({ reflection: true, importPaths: ['x'] })`:       `new Client: importPaths needs proto; it does not work with reflection`,
		`new mxgateway.Client({ proto, tls: { cert: 'x' } })`:                  `new Client: tls.cert and tls.key must be given together`,
		`new mxgateway.Client({ proto, service: 'a.B' })`:                      `new Client: mxaccess_gateway.proto: there is no service a.B in it, but mxaccess_gateway.v1.MxAccessGateway`,
		`new mxgateway.Tally()`:                                                `new Tally takes a name`,
		`new mxgateway.Tally('t').attempt()`:                                   `attempt takes a function`,
		`new mxgateway.Client(options).open()`:                                 `a Client cannot be used in the init context; use it in setup() or in a scenario's function`,
		`new mxgateway.Client(options).open(1)`:                                `open: the name must be a string, not 1`,
		`new mxgateway.Client(options).register({})`:                           `register: the name must be a string, not an object`,
		`new mxgateway.Client(options).subscribe([])`:                          `subscribe: the tags must not be empty`,
		`new mxgateway.Client(options).subscribe(['a', 1])`:                    `subscribe: a tag must be a string that is not empty, not 1`,
		`new mxgateway.Client(options).readBulk('a')`:                          `readBulk: the tags must be an array, not a`,
		`new mxgateway.Client(options).readBulk(tags, { wait: -1 })`:           `readBulk: wait must be from 0 (the worker's setting) to 24h0m0s, not -1ms`,
		`new mxgateway.Client(new Array(4294967295))`:                          `new Client: the url: an array has 4294967295 elements: at most 1000000 are allowed`,
		`new mxgateway.Client(options).subscribe(new Array(4294967295))`:       `subscribe: the tags: an array has 4294967295 elements: at most 1000000 are allowed`,
		`new mxgateway.Client(options).unsubscribe(new Array(4294967295))`:     `unsubscribe: the handles: an array has 4294967295 elements: at most 1000000 are allowed`,
		`new mxgateway.Client(options).unsubscribe(['a'])`:                     `unsubscribe: a handle must be an integer, not a`,
		`new mxgateway.Client(options).unsubscribe(1)`:                         `unsubscribe: the handles must be an array, not 1`,
		`new mxgateway.Client(options).run()`:                                  `run: outside of a step of client-sweep, option iterations or duration must be given`,
		`new mxgateway.Client(options).run({ iterations: -1 })`:                `run: option iterations must be a positive integer, not -1`,
		`new mxgateway.Client(options).run({ iterations: 1, duration: '1s' })`: `run: options iterations and duration exclude each other`,
		`new mxgateway.Client(options).run({ duration: 0 })`:                   `run: option duration must be more than 0, not 0s`,
		`new mxgateway.Client(options).run({ iterations: 1, wait: '48h' })`:    `run: wait must be from 0 (the worker's setting) to 24h0m0s, not 48h0m0s`,
	} {
		require.Equal(t, thrown{message, "usage", 0}, v.fail(script), script)
	}
	nowhere := v.fail(`new mxgateway.Client({ proto: '/nowhere/x.proto' })`)
	require.Contains(t, nowhere.Message, "new Client: x.proto cannot be read: ")
	v.Start(0)
	require.Equal(t, "a Client with a proto must be made in the init context, where k6 reads files",
		v.fail(`new mxgateway.Client(options)`).Message[len("new Client: "):])
}

// On a shared connection, a run leaves the others' bytes to be counted by them.
func TestTrafficIsCountedToTheLastByte(t *testing.T) {
	server := start(t, nil)
	root := New()
	vus := make([]*vu, 3)
	for i := range vus {
		vus[i] = newInitVU(t, root, server.Address)
		vus[i].Run(`var client = new mxgateway.Client({ ...options, url: address, connection: 'shared' })`)
		vus[i].Start(0)
		vus[i].Run(`client.open()`)
	}
	first, second, third := vus[0], vus[1], vus[2]
	sent := first.Counted(metrics.DataSentName)
	require.Positive(t, sent)
	first.Run(`client.close()`)
	require.Greater(t, first.Counted(metrics.DataSentName), sent)

	second.Run(`client.register(); client.subscribe(tags); client.run({ iterations: 1 })`)
	sentByARun := func() float64 {
		before := second.Counted(metrics.DataSentName)
		second.Run(`client.run({ iterations: 1 })`)

		return second.Counted(metrics.DataSentName) - before
	}
	own := sentByARun()
	for range 10 {
		own = min(own, sentByARun())
	}
	third.CancelContext()
	require.Eventually(t, func() bool { return server.Sessions() == 1 }, hang, tick)
	require.Greater(t, sentByARun(), own+40, "with what closing the third's session took")
	second.Run(`client.close()`)
	requireNoneLeft(t)
}

func TestSharedConnection(t *testing.T) {
	server := start(t, nil)
	root := New()
	vus := make([]*vu, 3)
	for i := range vus {
		vus[i] = newInitVU(t, root, server.Address)
		vus[i].Run(`var client = new mxgateway.Client({ url: address, apiKey: key, reflection: true, connection: 'shared' })`)
		vus[i].Start(0)
		vus[i].Run(`client.open(); client.register(); client.subscribe(tags)`)
	}
	require.Equal(t, 3, server.Sessions())
	require.Equal(t, 1, server.Connections())
	require.Equal(t, "3", vus[2].JSON(`client.readBulk().length`))
	vus[0].Run(`client.close()`)
	require.Equal(t, "3", vus[1].JSON(`client.readBulk().length`), "the others still have it")
	vus[1].Run(`client.close()`)
	vus[2].Run(`client.close()`)
	requireNoneLeft(t)
}
