package emulator_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/emulator"
	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

type control struct {
	*httptest.Server
	t *testing.T
}

func controlOf(t *testing.T, gateway *emulator.Emulator) control {
	t.Helper()
	server := httptest.NewServer(gateway.Control())
	t.Cleanup(server.Close)
	return control{Server: server, t: t}
}

func (c control) do(method, path, body string) (int, string) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.URL+path, strings.NewReader(body))
	require.NoError(c.t, err)
	response, err := c.Client().Do(request)
	require.NoError(c.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return response.StatusCode, string(text)
}

func (c control) fault(text string) {
	c.t.Helper()
	code, answer := c.do(http.MethodPost, "/faults", text)
	require.Equal(c.t, http.StatusOK, code, answer)
}

func TestStatusOfSomeCalls(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, fullKey).open(t)
	port := controlOf(t, gateway)
	port.fault("kind=status,code=RESOURCE_EXHAUSTED,skip=2,calls=3")
	var got []codes.Code
	for range 7 {
		_, err := s.read(machine(1))
		got = append(got, status.Code(err))
	}
	assert.Equal(t, []codes.Code{
		codes.OK, codes.OK, codes.ResourceExhausted, codes.ResourceExhausted, codes.ResourceExhausted, codes.OK, codes.OK,
	}, got)
	calls := gateway.Summary().Total
	assert.EqualValues(t, 7, calls.TotalCalls)
	assert.EqualValues(t, 3, calls.FailedCalls)
	assert.EqualValues(t, 4, calls.TotalReadResults)
	_, set := port.do(http.MethodGet, "/faults", "")
	assert.JSONEq(t, "[]", set, "one that is over is gone")
}

func TestStatusForSomeTime(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, fullKey).open(t)
	begin := time.Now()
	controlOf(t, gateway).fault("kind=status,code=UNAVAILABLE,for=2s")
	_, err := s.read(machine(1))
	assert.Equal(t, codes.Unavailable, status.Code(err))
	_, err = s.subscribe(machine(1))
	require.NoError(t, err, "it befalls ReadBulk only")
	require.Eventually(t, func() bool {
		_, err := s.read(machine(1))
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	assert.GreaterOrEqual(t, time.Since(begin), 2*time.Second)
}

func TestDelayedFault(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, fullKey).open(t)
	begin := time.Now()
	controlOf(t, gateway).fault("kind=status,after=200ms")
	require.Eventually(t, func() bool {
		_, err := s.read(machine(1))
		return status.Code(err) == codes.Unavailable
	}, 10*time.Second, 5*time.Millisecond)
	assert.GreaterOrEqual(t, time.Since(begin), 200*time.Millisecond)
}

func TestEachCallCanFail(t *testing.T) {
	gateway := start(t, atOnce())
	c := dial(t, gateway, fullKey)
	s := c.open(t)
	port := controlOf(t, gateway)
	events := func() error {
		stream, err := c.StreamEvents(c.ctx, &pb.StreamEventsRequest{SessionId: s.id})
		require.NoError(t, err)
		_, err = stream.Recv()
		return err
	}
	for call, do := range map[string]func() error{
		"OpenSession": func() error { _, err := c.OpenSession(c.ctx, &pb.OpenSessionRequest{}); return err },
		"CloseSession": func() error {
			_, err := c.CloseSession(c.ctx, &pb.CloseSessionRequest{SessionId: "none"})
			return err
		},
		"Register": func() error {
			_, err := s.invoke(&pb.MxCommand{Kind: pb.MxCommandKind_MX_COMMAND_KIND_REGISTER, Payload: &pb.MxCommand_Register{}})
			return err
		},
		"SubscribeBulk":   func() error { _, err := s.subscribe(machine(1)); return err },
		"UnsubscribeBulk": func() error { _, err := s.unsubscribe(1); return err },
		"ReadBulk":        func() error { _, err := s.read(machine(1)); return err },
		"StreamEvents":    events,
		"Event":           events,
		"any":             func() error { _, err := s.read(machine(1)); return err },
	} {
		port.fault("kind=status,code=ABORTED,call=" + call)
		assert.Equal(t, codes.Aborted, status.Code(do()), call)
		port.do(http.MethodDelete, "/faults", "")
	}
	_, err := s.read(machine(1))
	assert.NoError(t, err, "no fault is left")
}

func TestSlow(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, fullKey).open(t)
	controlOf(t, gateway).fault("kind=slow,delay=200ms,calls=1")
	begin := time.Now()
	_, err := s.read(machine(1))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(begin), 200*time.Millisecond)
	calls := gateway.Summary().Total
	assert.GreaterOrEqual(t, calls.Latency.Max, 200.0)
}

func TestACallThatIsGivenUpEnds(t *testing.T) {
	config := atOnce()
	config.Shape = emulator.Shape{Worker: time.Hour}
	gateway := start(t, config)
	port := controlOf(t, gateway)
	s := dial(t, gateway, fullKey)
	opened, err := s.OpenSession(s.ctx, &pb.OpenSessionRequest{})
	require.NoError(t, err)
	for _, fault := range []string{"kind=items", "kind=slow,delay=1h"} {
		port.fault(fault)
		short := session{client: s, id: opened.GetSessionId()}
		var cancel func()
		short.ctx, cancel = withTimeout(s.ctx, 500*time.Millisecond)
		_, err = short.read(machine(1))
		assert.Equal(t, codes.DeadlineExceeded, status.Code(err))
		cancel()
	}
	require.Eventually(t, func() bool { return gateway.Summary().Total.FailedCalls == 2 }, 10*time.Second, 5*time.Millisecond)
}

func TestConnectionClosedDuringACall(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, fullKey).open(t)
	other := dial(t, gateway, fullKey).open(t)
	controlOf(t, gateway).fault("kind=close,calls=1")
	_, err := s.read(machine(1))
	assert.Equal(t, codes.Unavailable, status.Code(err))
	assert.NotContains(t, err.Error(), "as was asked for", "the client sees a connection that ends, no reply")
	_, err = other.read(machine(1))
	require.NoError(t, err, "other connections stay")
	require.Eventually(t, func() bool {
		_, err := s.read(machine(1))
		return err == nil
	}, 10*time.Second, 10*time.Millisecond, "and the session is there for a new one")
}

func TestAStreamThatIsDropped(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, fullKey).open(t)
	_, err := s.subscribe(machine(1))
	require.NoError(t, err)
	events, err := s.StreamEvents(s.ctx, &pb.StreamEventsRequest{SessionId: s.id})
	require.NoError(t, err)
	_, err = events.Recv()
	require.NoError(t, err)
	controlOf(t, gateway).fault("kind=status,call=Event,calls=1")
	_, err = events.Recv()
	assert.Equal(t, codes.Unavailable, status.Code(err))
}

func TestItemsThatFail(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, fullKey).open(t)
	_, err := s.subscribe(six()...)
	require.NoError(t, err)
	port := controlOf(t, gateway)
	for text, wanted := range map[string]int{"kind=items": 6, "kind=items,items=2": 2, "kind=items,items=7": 6} {
		port.fault(text + ",calls=1")
		reply, err := s.read(six()...)
		require.NoError(t, err)
		assert.Equal(t, pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_OK, reply.GetProtocolStatus().GetCode())
		require.Len(t, reply.GetBulkRead().GetResults(), 6)
		for i, result := range reply.GetBulkRead().GetResults() {
			assert.Equal(t, six()[i], result.GetTagAddress())
			assert.Equal(t, i >= wanted, result.GetWasSuccessful(), "%s, item %d", text, i)
			assert.Equal(t, i >= wanted, result.GetWasCached())
			assert.Equal(t, i < wanted, result.GetErrorMessage() != "")
		}
	}
	calls := gateway.Summary().Total
	assert.Zero(t, calls.FailedCalls, "the calls did not fail")
	assert.EqualValues(t, 18, calls.TotalReadResults)
	assert.EqualValues(t, 4, calls.CachedReadResults)
}

func TestFaultsFromTheStart(t *testing.T) {
	fault, err := emulator.ParseFault("kind=status,call=OpenSession,code=INTERNAL,calls=1")
	require.NoError(t, err)
	config := atOnce()
	config.Faults = []emulator.Fault{fault}
	c := dial(t, start(t, config), fullKey)
	_, err = c.OpenSession(c.ctx, &pb.OpenSessionRequest{})
	assert.Equal(t, codes.Internal, status.Code(err))
	c.open(t)
}

func TestMalformedFaults(t *testing.T) {
	gateway := start(t, atOnce())
	port := controlOf(t, gateway)
	for text, wanted := range map[string]string{
		"":                             "there is no such setting",
		"calls=3":                      "it has no kind",
		"kind=explode":                 "kind=explode: it must be one of status, slow, close, items",
		"kind=status,code=Unavailable": "code=Unavailable: it must be a status code of gRPC other than OK",
		"kind=status,code=OK":          "other than OK",
		"kind=slow,delay=5":            "delay=5: it must be a duration, such as 5s",
		"kind=slow,delay=-5s":          "it must be a duration",
		"kind=status,calls=0":          "calls=0: it must be an integer of at least 1",
		"kind=status,call=Everything":  "call=Everything: it must be one of OpenSession",
		"kind=status,colour=red":       "colour=red: there is no such setting",
		"kind=slow,items=2":            "items is a setting of kind=items, and this is of kind=slow",
		"delay=1s,kind=status":         "delay is a setting of kind=slow, and this is of kind=status",
		"kind=close,code=INTERNAL":     "code is a setting of kind=status, and this is of kind=close",
		"kind=close," + strings.Repeat("calls=1,", 1000): "too long",
	} {
		code, answer := port.do(http.MethodPost, "/faults", text)
		assert.Equal(t, http.StatusBadRequest, code, text)
		assert.Contains(t, answer, wanted)
		assert.Equal(t, 1, strings.Count(answer, "\n"))
	}
	_, set := port.do(http.MethodGet, "/faults", "")
	assert.JSONEq(t, "[]", set)
}

func FuzzParseFault(f *testing.F) {
	for _, seed := range []string{"", "kind=status", "kind=status,code=UNAVAILABLE,for=5s", "kind=slow,delay=1s,skip=1,calls=2", "=,=", "kind=items,items=-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := emulator.ParseFault(text); err != nil {
			assert.Contains(t, err.Error(), "fault")
		} else {
			assert.Contains(t, text, "kind=")
		}
	})
}

func FuzzReadKeys(f *testing.F) {
	for _, seed := range []string{"", keyFile, "mxgw_a_b", "mxgw_a_b events:read,", "#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := emulator.ReadKeys(strings.NewReader(text))
		assert.Equal(t, err == nil, len(keys) > 0)
	})
}

func TestTheControlPortSaysWhatItIs(t *testing.T) {
	log := &buffer{}
	config := atOnce()
	config.Log = log
	gateway := start(t, config)
	port := controlOf(t, gateway)
	s := dial(t, gateway, fullKey).open(t)
	_, err := s.read(six()...)
	require.NoError(t, err)

	var identity struct {
		Backend, Address string
		Sessions         int
	}
	_, text := port.do(http.MethodGet, "/", "")
	require.NoError(t, json.Unmarshal([]byte(text), &identity))
	assert.Contains(t, identity.Backend, "emulator")
	assert.Equal(t, gateway.Address(), identity.Address)
	assert.Equal(t, 1, identity.Sessions)

	var summary emulator.Summary
	_, text = port.do(http.MethodGet, "/summary", "")
	require.NoError(t, json.Unmarshal([]byte(text), &summary))
	assert.Contains(t, summary.Backend, "emulator")
	require.Len(t, summary.Sessions, 1)
	assert.Equal(t, s.id, summary.Sessions[0].Session)
	assert.EqualValues(t, 1, summary.Total.TotalCalls)
	assert.EqualValues(t, 6, summary.Total.TotalReadResults)
	assert.Zero(t, summary.Total.CachedReadResults)
	assert.Regexp(t, `^start_us,duration_us,session,code,cached,total\n\d{16},\d+,session-1,OK,0,6\n$`, log.String())

	_, text = port.do(http.MethodDelete, "/summary", "")
	require.NoError(t, json.Unmarshal([]byte(text), &summary))
	assert.Zero(t, summary.Total.TotalCalls)
	assert.Empty(t, summary.Sessions)
	table := &buffer{}
	gateway.Summary().Print(table)
	assert.Contains(t, table.String(), "emulator")
	assert.Contains(t, table.String(), "calls/sec")
	code, _ := port.do(http.MethodGet, "/elsewhere", "")
	assert.Equal(t, http.StatusNotFound, code)
}

type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestALogThatCannotBeWrittenIsAnError(t *testing.T) {
	keys, err := emulator.ReadKeys(strings.NewReader(keyFile))
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := atOnce()
	config.Keys, config.Log = keys, &full{room: 100}
	gateway := emulator.New(config, listener)
	ended := make(chan error, 1)
	go func() { ended <- gateway.Serve() }()
	s := dial(t, gateway, fullKey).open(t)
	for range 5 {
		_, err := s.read(six()...)
		require.NoError(t, err, "clients are served all the same")
		gateway.Summary()
	}
	for range 2 {
		require.EqualError(t, gateway.Close(), "the log of calls is not whole: no space left")
	}
	require.NoError(t, <-ended)
}

func TestEmulatorLeavesNothing(t *testing.T) {
	t.Run("one that is in use", func(t *testing.T) {
		gateway := start(t, emulator.Config{Name: "published", Shape: emulator.Published(), Machines: 6, Seed: 1})
		load(t, gateway, 3, 100*time.Millisecond)
		s := dial(t, gateway, fullKey).open(t)
		_, err := s.StreamEvents(s.ctx, &pb.StreamEventsRequest{SessionId: s.id})
		require.NoError(t, err)
	})
	require.Eventually(t, func() bool { return len(goroutines()) == 0 }, 10*time.Second, 10*time.Millisecond, "%v", goroutines())
	assert.Empty(t, timers(t))
}
