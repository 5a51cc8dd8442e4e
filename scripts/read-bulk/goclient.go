package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const callTimeout = 10 * time.Second

// waitMs is how long, in milliseconds, the worker may wait for a tag without a value.
const waitMs = 1000

// pause follows a call that did not reach the gateway, to avoid a busy loop. No latency includes
// it.
const pause = 100 * time.Millisecond

// goClient is the benchmark of a gateway's client in Go, over grpc-go. Its settings come from the
// environment, and its last line is the common JSON object. An interrupt ends only the loops, so
// that the results are printed.
func goClient() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	duration, err := time.ParseDuration(os.Getenv("DURATION"))
	if err != nil {
		return fmt.Errorf("DURATION: %w", err)
	}
	warmup, err := time.ParseDuration(os.Getenv("WARMUP"))
	if err != nil {
		return fmt.Errorf("WARMUP: %w", err)
	}
	s, err := open()
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.subscribe(); err != nil {
		return err
	}
	s.read(ctx, warmup)

	return json.NewEncoder(os.Stdout).Encode(s.read(ctx, duration))
}

// read calls ReadBulk repeatedly for the duration, or until ctx ends.
func (s *session) read(ctx context.Context, duration time.Duration) result {
	r := result{Language: "go"}
	var latencies []time.Duration // of all calls, including failed ones
	begun := time.Now()
	for now := begun; now.Sub(begun) < duration && ctx.Err() == nil; {
		results, err := s.readBulk()
		after := time.Now()
		latencies = append(latencies, after.Sub(now))
		r.TotalCalls++
		if err != nil {
			r.FailedCalls++
		}
		r.TotalReadResults += int64(len(results))
		for _, one := range results {
			if one.GetWasSuccessful() && one.GetWasCached() {
				r.CachedReadResults++
			}
		}
		if status.Code(err) == codes.Unavailable {
			time.Sleep(pause)
			after = time.Now()
		}
		now = after
	}
	elapsed := time.Since(begun)
	r.DurationMs, r.SuccessfulCalls = milliseconds(elapsed), r.TotalCalls-r.FailedCalls
	if r.TotalCalls == 0 {
		return r
	}
	r.CallsPerSecond = float64(r.TotalCalls) / elapsed.Seconds()
	slices.Sort(latencies)
	var sum time.Duration
	for _, took := range latencies {
		sum += took
	}
	// The smallest latency that is not exceeded by a share of all calls.
	rank := func(share float64) float64 {
		return milliseconds(latencies[int(math.Ceil(share*float64(len(latencies))))-1])
	}
	r.LatencyMs = latency{P50: rank(0.50), P95: rank(0.95), P99: rank(0.99), Max: rank(1), Mean: milliseconds(sum) / float64(len(latencies))}

	return r
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

type session struct {
	conn    *grpc.ClientConn
	gateway gatewaypb.MxAccessGatewayClient
	id      string
	server  int32
	tags    []string
	items   []int32
}

type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity returns false, because gateways in a plant often have no TLS.
func (bearer) RequireTransportSecurity() bool { return false }

func open() (_ *session, err error) {
	transport := insecure.NewCredentials()
	switch file, serverName := os.Getenv("TLS_CA"), os.Getenv("TLS_SERVER_NAME"); {
	case os.Getenv("TLS") != "true":
	case file == "":
		transport = credentials.NewClientTLSFromCert(nil, serverName)
	default:
		if transport, err = credentials.NewClientTLSFromFile(file, serverName); err != nil {
			return nil, err
		}
	}
	conn, err := grpc.NewClient(os.Getenv("MXGW_URL"), grpc.WithTransportCredentials(transport),
		grpc.WithPerRPCCredentials(bearer(os.Getenv("MXGW_KEY"))))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	gateway := gatewaypb.NewMxAccessGatewayClient(conn)
	reply, err := gateway.OpenSession(ctx, &gatewaypb.OpenSessionRequest{ClientSessionName: "read-bulk go"})
	if err == nil {
		err = refusal(reply.GetProtocolStatus(), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening a session: %w", err), conn.Close())
	}
	fmt.Fprintln(os.Stderr, "backend:", reply.GetBackendName())

	return &session{conn: conn, gateway: gateway, id: reply.GetSessionId(), tags: strings.Split(os.Getenv("TAGS"), ",")}, nil
}

func (s *session) subscribe() error {
	reply, err := s.invoke(&gatewaypb.MxCommand{
		Kind:    gatewaypb.MxCommandKind_MX_COMMAND_KIND_REGISTER,
		Payload: &gatewaypb.MxCommand_Register{Register: &gatewaypb.RegisterCommand{ClientName: "read-bulk go"}},
	})
	if err != nil {
		return fmt.Errorf("registering: %w", err)
	}
	s.server = reply.GetRegister().GetServerHandle()

	reply, err = s.invoke(&gatewaypb.MxCommand{
		Kind: gatewaypb.MxCommandKind_MX_COMMAND_KIND_SUBSCRIBE_BULK,
		Payload: &gatewaypb.MxCommand_SubscribeBulk{
			SubscribeBulk: &gatewaypb.SubscribeBulkCommand{ServerHandle: s.server, TagAddresses: s.tags},
		},
	})
	if err != nil {
		return fmt.Errorf("subscribing: %w", err)
	}
	for _, item := range reply.GetBulkSubscribe().GetResults() {
		if item.GetWasSuccessful() {
			s.items = append(s.items, item.GetItemHandle())
		}
	}

	return nil
}

func (s *session) readBulk() ([]*gatewaypb.BulkReadResult, error) {
	reply, err := s.invoke(&gatewaypb.MxCommand{
		Kind: gatewaypb.MxCommandKind_MX_COMMAND_KIND_READ_BULK,
		Payload: &gatewaypb.MxCommand_ReadBulk{
			ReadBulk: &gatewaypb.ReadBulkCommand{ServerHandle: s.server, TagAddresses: s.tags, TimeoutMs: waitMs},
		},
	})
	if err != nil {
		return nil, err
	}
	results := reply.GetBulkRead().GetResults()
	if len(results) != len(s.tags) {
		return nil, fmt.Errorf("%d results for %d tags", len(results), len(s.tags))
	}

	return results, nil
}

func (s *session) close() {
	_, unsubscribed := s.invoke(&gatewaypb.MxCommand{
		Kind: gatewaypb.MxCommandKind_MX_COMMAND_KIND_UNSUBSCRIBE_BULK,
		Payload: &gatewaypb.MxCommand_UnsubscribeBulk{
			UnsubscribeBulk: &gatewaypb.UnsubscribeBulkCommand{ServerHandle: s.server, ItemHandles: s.items},
		},
	})
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	_, closed := s.gateway.CloseSession(ctx, &gatewaypb.CloseSessionRequest{SessionId: s.id})
	if err := errors.Join(unsubscribed, closed, s.conn.Close()); err != nil {
		fmt.Fprintln(os.Stderr, "read-bulk go: closing:", err)
	}
}

func (s *session) invoke(command *gatewaypb.MxCommand) (*gatewaypb.MxCommandReply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	reply, err := s.gateway.Invoke(ctx, &gatewaypb.MxCommandRequest{SessionId: s.id, Command: command})
	if err != nil {
		return nil, err
	}

	return reply, refusal(reply.GetProtocolStatus(), reply.GetHresult())
}

func refusal(status *gatewaypb.ProtocolStatus, hresult int32) error {
	if code := status.GetCode(); code != gatewaypb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_OK {
		return fmt.Errorf("%s: %s", code, status.GetMessage())
	}
	if hresult < 0 {
		return fmt.Errorf("hresult %#08x", uint32(hresult))
	}

	return nil
}
