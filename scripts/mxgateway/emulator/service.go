package emulator

import (
	"context"
	"errors"
	"time"

	codepb "google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const eventsEvery = 50 * time.Millisecond

const protocolVersion = 1

// OpenSession implements the service.
func (e *Emulator) OpenSession(ctx context.Context, request *pb.OpenSessionRequest) (*pb.OpenSessionReply, error) {
	if _, err := e.admit(ctx, callOpen, ScopeSession); err != nil {
		return nil, err
	}
	session, err := e.open(request.GetClientSessionName())
	if err != nil {
		return nil, err
	}
	return &pb.OpenSessionReply{
		SessionId: session.id, BackendName: e.backend,
		GatewayProtocolVersion: protocolVersion, WorkerProtocolVersion: protocolVersion, ProtocolStatus: &pb.ProtocolStatus{},
	}, nil
}

// CloseSession implements the service.
func (e *Emulator) CloseSession(ctx context.Context, request *pb.CloseSessionRequest) (*pb.CloseSessionReply, error) {
	if _, err := e.admit(ctx, callClose, ScopeSession); err != nil {
		return nil, err
	}
	if err := e.end(request.GetSessionId()); err != nil {
		return nil, err
	}
	return &pb.CloseSessionReply{SessionId: request.GetSessionId(), ProtocolStatus: &pb.ProtocolStatus{}}, nil
}

// Invoke implements the service.
func (e *Emulator) Invoke(ctx context.Context, request *pb.MxCommandRequest) (*pb.MxCommandReply, error) {
	if request.GetCommand().GetReadBulk() == nil {
		return e.invoke(ctx, request, ScopeSubscribe)
	}
	call := readCall{begin: e.clock.now(), session: unknownSession}
	if session, err := e.find(request.GetSessionId()); err == nil {
		call.session, call.client = session.id, session.client
	}
	reply, err := e.invoke(ctx, request, ScopeRead)
	call.end, call.code = e.clock.now(), outcome(reply, err)
	for _, result := range reply.GetBulkRead().GetResults() {
		call.total++
		if result.GetWasCached() {
			call.cached++
		}
	}
	e.recorder.record(call)
	return reply, err
}

func outcome(reply *pb.MxCommandReply, err error) string {
	if err != nil {
		return codepb.Code(status.Code(err)).String()
	}
	if code := reply.GetProtocolStatus().GetCode(); code != pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_OK {
		return code.String()
	}
	return "OK"
}

func (e *Emulator) invoke(ctx context.Context, request *pb.MxCommandRequest, scope string) (*pb.MxCommandReply, error) {
	failing, err := e.admit(ctx, callOf(request.GetCommand()), scope)
	if err != nil {
		return nil, err
	}
	session, err := e.find(request.GetSessionId())
	if err != nil {
		return nil, err
	}
	now := e.clock.now()
	session.touch(now)
	command := &command{Emulator: e, session: session, command: request.GetCommand(), arrived: now, failing: failing}
	if err := e.work(ctx, command); err != nil {
		return nil, err
	}
	reply := command.run()
	reply.SessionId, reply.CorrelationId, reply.Kind = session.id, request.GetCorrelationId(), request.GetCommand().GetKind()
	return reply, nil
}

func (e *Emulator) work(ctx context.Context, command *command) error {
	if e.config.Shape == (Shape{}) {
		return nil
	}
	return e.wait(ctx, command.session.worker.book(command.arrived, command.extra()))
}

// StreamEvents implements the service.
func (e *Emulator) StreamEvents(request *pb.StreamEventsRequest, stream pb.MxAccessGateway_StreamEventsServer) error {
	if _, err := e.admit(stream.Context(), callStream, ScopeEvents); err != nil {
		return err
	}
	session, err := e.find(request.GetSessionId())
	if err != nil {
		return err
	}
	ticker := time.NewTicker(eventsEvery)
	defer ticker.Stop()
	sent := map[int32]int64{}
	for {
		if err := e.befall(stream.Context(), e.faults.take(callEvent)); err != nil {
			return err
		}
		for _, event := range session.changes(e.tags, e.clock.now(), sent) {
			if err := stream.Send(event); err != nil {
				return err
			}
		}
		select {
		case <-ticker.C:
		case <-session.closed:
			return nil
		case <-stream.Context().Done():
			return status.FromContextError(stream.Context().Err()).Err()
		}
	}
}

func (e *Emulator) admit(ctx context.Context, call, scope string) (failing int, err error) {
	if err := e.config.Keys.check(ctx, scope); err != nil {
		return 0, err
	}
	faults := e.faults.take(call)
	for _, fault := range faults {
		if fault.kind == faultItems {
			failing = max(failing, fault.items)
			if fault.items == 0 {
				failing = maxItems
			}
		}
	}
	return failing, e.befall(ctx, faults)
}

func (e *Emulator) befall(ctx context.Context, faults []Fault) error {
	for _, fault := range faults {
		switch fault.kind {
		case faultSlow:
			if err := e.wait(ctx, e.clock.now()+fault.delay); err != nil {
				return err
			}
		case faultClose:
			if client, ok := peer.FromContext(ctx); ok {
				e.listener.drop(client.Addr.String())
			}
			return status.Error(codes.Unavailable, "the connection is closed, as was asked for")
		case faultStatus:
			return status.Error(fault.code, "this fault was asked for")
		}
	}
	return nil
}

func (e *Emulator) wait(ctx context.Context, until time.Duration) error {
	err := e.clock.waitUntil(ctx, until)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err).Err()
	}
	return err
}
