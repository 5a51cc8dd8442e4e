package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const callTimeout = 10 * time.Second

// waitMs is how long, in milliseconds, the worker may wait for a tag without a value.
const waitMs = 1000

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

func open(s settings) (*session, error) {
	conn, err := grpc.NewClient(s.address, grpc.WithTransportCredentials(s.transport), grpc.WithPerRPCCredentials(bearer(s.key)))
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

	return &session{conn: conn, gateway: gateway, id: reply.GetSessionId(), tags: s.tags}, nil
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
