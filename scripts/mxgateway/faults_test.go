package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

type control struct {
	*httptest.Server
	t *testing.T
}

func controlOf(t *testing.T, gateway *started) control {
	t.Helper()
	server := httptest.NewServer(gateway.control(gateway.address))
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
	gateway := start(t, config{})
	s := dial(t, gateway, fullKey).open(t)
	port := controlOf(t, gateway)
	port.fault("kind=status,code=RESOURCE_EXHAUSTED,skip=2,calls=3")
	var got []codes.Code
	for range 7 {
		_, err := s.read(machineTag(1))
		got = append(got, status.Code(err))
	}
	assert.Equal(t, []codes.Code{
		codes.OK, codes.OK, codes.ResourceExhausted, codes.ResourceExhausted, codes.ResourceExhausted, codes.OK, codes.OK,
	}, got)
	calls := gateway.recorder.summary().Total
	assert.EqualValues(t, 7, calls.TotalCalls)
	assert.EqualValues(t, 3, calls.FailedCalls)
	assert.EqualValues(t, 4, calls.TotalReadResults)
	_, set := port.do(http.MethodGet, "/faults", "")
	assert.JSONEq(t, "[]", set, "one that is over is gone")
}

func TestStatusForSomeTime(t *testing.T) {
	gateway := start(t, config{})
	s := dial(t, gateway, fullKey).open(t)
	begin := time.Now()
	controlOf(t, gateway).fault("kind=status,code=UNAVAILABLE,for=2s")
	_, err := s.read(machineTag(1))
	assert.Equal(t, codes.Unavailable, status.Code(err))
	_, err = s.subscribe(machineTag(1))
	require.NoError(t, err, "it befalls ReadBulk only")
	require.Eventually(t, func() bool {
		_, err := s.read(machineTag(1))
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	assert.GreaterOrEqual(t, time.Since(begin), 2*time.Second)
}

func TestDelayedFault(t *testing.T) {
	gateway := start(t, config{})
	s := dial(t, gateway, fullKey).open(t)
	begin := time.Now()
	controlOf(t, gateway).fault("kind=status,after=200ms")
	require.Eventually(t, func() bool {
		_, err := s.read(machineTag(1))
		return status.Code(err) == codes.Unavailable
	}, 10*time.Second, 5*time.Millisecond)
	assert.GreaterOrEqual(t, time.Since(begin), 200*time.Millisecond)
}

func TestEachCallCanFail(t *testing.T) {
	gateway := start(t, config{})
	c := dial(t, gateway, fullKey)
	s := c.open(t)
	port := controlOf(t, gateway)
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
		"SubscribeBulk":   func() error { _, err := s.subscribe(machineTag(1)); return err },
		"UnsubscribeBulk": func() error { _, err := s.unsubscribe(1); return err },
		"ReadBulk":        func() error { _, err := s.read(machineTag(1)); return err },
		"any":             func() error { _, err := s.read(machineTag(1)); return err },
	} {
		port.fault("kind=status,code=ABORTED,call=" + call)
		assert.Equal(t, codes.Aborted, status.Code(do()), call)
		port.do(http.MethodDelete, "/faults", "")
	}
	_, err := s.read(machineTag(1))
	assert.NoError(t, err, "no fault is left")
}

func TestSlow(t *testing.T) {
	gateway := start(t, config{})
	s := dial(t, gateway, fullKey).open(t)
	controlOf(t, gateway).fault("kind=slow,delay=200ms,calls=1")
	begin := time.Now()
	_, err := s.read(machineTag(1))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(begin), 200*time.Millisecond)
	calls := gateway.recorder.summary().Total
	assert.GreaterOrEqual(t, calls.LatencyMs.Max, 200.0)
}

func TestACallThatIsGivenUpEnds(t *testing.T) {
	config := config{}
	config.shape = shape{worker: time.Hour}
	gateway := start(t, config)
	port := controlOf(t, gateway)
	s := dial(t, gateway, fullKey)
	opened, err := s.OpenSession(s.ctx, &pb.OpenSessionRequest{})
	require.NoError(t, err)
	for _, fault := range []string{"kind=items", "kind=slow,delay=1h"} {
		port.fault(fault)
		short := clientSession{client: s, id: opened.GetSessionId()}
		var cancel func()
		short.ctx, cancel = withTimeout(s.ctx, 500*time.Millisecond)
		_, err = short.read(machineTag(1))
		assert.Equal(t, codes.DeadlineExceeded, status.Code(err))
		cancel()
	}
	require.Eventually(t, func() bool { return gateway.recorder.summary().Total.FailedCalls == 2 }, 10*time.Second, 5*time.Millisecond)
}

func TestConnectionClosedDuringACall(t *testing.T) {
	gateway := start(t, config{})
	s := dial(t, gateway, fullKey).open(t)
	other := dial(t, gateway, fullKey).open(t)
	controlOf(t, gateway).fault("kind=close,calls=1")
	_, err := s.read(machineTag(1))
	assert.Equal(t, codes.Unavailable, status.Code(err))
	assert.NotContains(t, err.Error(), "as was asked for", "the client sees a connection that ends, no reply")
	_, err = other.read(machineTag(1))
	require.NoError(t, err, "other connections stay")
	require.Eventually(t, func() bool {
		_, err := s.read(machineTag(1))
		return err == nil
	}, 10*time.Second, 10*time.Millisecond, "and the session is there for a new one")
}

func TestItemsThatFail(t *testing.T) {
	gateway := start(t, config{})
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
	calls := gateway.recorder.summary().Total
	assert.Zero(t, calls.FailedCalls, "the calls did not fail")
	assert.EqualValues(t, 18, calls.TotalReadResults)
	assert.EqualValues(t, 4, calls.CachedReadResults)
}

func TestFaultsFromTheStart(t *testing.T) {
	one, err := parseFault("kind=status,call=OpenSession,code=INTERNAL,calls=1")
	require.NoError(t, err)
	config := config{}
	config.faults = []fault{one}
	c := dial(t, start(t, config), fullKey)
	_, err = c.OpenSession(c.ctx, &pb.OpenSessionRequest{})
	assert.Equal(t, codes.Internal, status.Code(err))
	c.open(t)
}

func TestMalformedFaults(t *testing.T) {
	gateway := start(t, config{})
	port := controlOf(t, gateway)
	for text, wanted := range map[string]string{
		"":                             "an empty setting",
		"calls=3":                      "it has no kind",
		"kind=explode":                 `invalid value "explode" for flag -kind: it must be one of status, slow, close, items`,
		"kind=status,code=Unavailable": "code=Unavailable: it must be a status code of gRPC other than OK",
		"kind=status,code=OK":          "other than OK",
		"kind=slow,delay=5":            `invalid value "5" for flag -delay`,
		"kind=slow,delay=-5s":          "no duration or number may be negative",
		"kind=status,calls=-1":         "no duration or number may be negative",
		"kind=status,call=Everything":  `invalid value "Everything" for flag -call: it must be one of OpenSession`,
		"kind=status,colour=red":       "not defined: -colour",
		"kind=slow,items=2":            "items is a setting of kind=items, and this is of kind=slow",
		"delay=1s,kind=status":         "delay is a setting of kind=slow, and this is of kind=status",
		"kind=close,code=INTERNAL":     "code is a setting of kind=status, and this is of kind=close",
		"kind=close," + strings.Repeat("calls=1,", 1000): "request body too large",
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
		if _, err := parseFault(text); err != nil {
			assert.Contains(t, err.Error(), "fault")
		} else {
			assert.Contains(t, text, "kind=")
		}
	})
}

func TestTheControlPortSaysWhatItIs(t *testing.T) {
	log := &buffer{}
	config := config{}
	config.log = log
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
	assert.Equal(t, gateway.address, identity.Address)
	assert.Equal(t, 1, identity.Sessions)

	var summary summary
	_, text = port.do(http.MethodGet, "/summary", "")
	require.NoError(t, json.Unmarshal([]byte(text), &summary))
	assert.Contains(t, summary.Backend, "emulator")
	require.Len(t, summary.Sessions, 1)
	assert.Equal(t, s.id, summary.Sessions[0].Session)
	assert.EqualValues(t, 1, summary.Total.TotalCalls)
	assert.EqualValues(t, 6, summary.Total.TotalReadResults)
	assert.Zero(t, summary.Total.CachedReadResults)
	assert.Regexp(t, `^\d{16},\d+,session-1,OK,0,6\n$`, log.String())

	_, text = port.do(http.MethodDelete, "/summary", "")
	require.NoError(t, json.Unmarshal([]byte(text), &summary))
	assert.Zero(t, summary.Total.TotalCalls)
	assert.Empty(t, summary.Sessions)
	code, _ := port.do(http.MethodGet, "/elsewhere", "")
	assert.Equal(t, http.StatusNotFound, code)
}

func TestEmulatorLeavesNothing(t *testing.T) {
	t.Run("one that is in use", func(t *testing.T) {
		gateway := start(t, config{shape: published()})
		load(t, gateway, 3, 100*time.Millisecond)
	})
	require.Eventually(t, func() bool { return len(goroutines()) == 0 }, 10*time.Second, 10*time.Millisecond, "%v", goroutines())
}
