package emulator

import (
	"fmt"
	"time"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

type command struct {
	*Emulator
	session *session
	command *pb.MxCommand
	arrived time.Duration
	failing int
}

func callOf(command *pb.MxCommand) string {
	switch command.GetPayload().(type) {
	case *pb.MxCommand_Register:
		return callRegister
	case *pb.MxCommand_SubscribeBulk:
		return callSubscribe
	case *pb.MxCommand_UnsubscribeBulk:
		return callUnsubscribe
	case *pb.MxCommand_ReadBulk:
		return callRead
	}
	return callAny
}

func kindOf(command *pb.MxCommand) pb.MxCommandKind {
	switch command.GetPayload().(type) {
	case *pb.MxCommand_Register:
		return pb.MxCommandKind_MX_COMMAND_KIND_REGISTER
	case *pb.MxCommand_SubscribeBulk:
		return pb.MxCommandKind_MX_COMMAND_KIND_SUBSCRIBE_BULK
	case *pb.MxCommand_UnsubscribeBulk:
		return pb.MxCommandKind_MX_COMMAND_KIND_UNSUBSCRIBE_BULK
	case *pb.MxCommand_ReadBulk:
		return pb.MxCommandKind_MX_COMMAND_KIND_READ_BULK
	}
	return pb.MxCommandKind_MX_COMMAND_KIND_UNSPECIFIED
}

// extra returns the additional time of the worker: a ReadBulk waits for values that were not cached
// at its arrival, up to its timeout.
func (c *command) extra() time.Duration {
	read := c.command.GetReadBulk()
	for _, tag := range read.GetTagAddresses() {
		if !c.isCached(c.session.advised(address{read.GetServerHandle(), tag})) && c.tags.byName[tag] != nil {
			return c.uncached(read)
		}
	}
	return 0
}

func (c *command) isCached(item *item) bool { return item != nil && item.first <= c.arrived }

func (c *command) uncached(read *pb.ReadBulkCommand) time.Duration {
	if timeout := readTimeout(read); timeout > 0 {
		return min(c.config.Shape.Uncached, timeout)
	}
	return c.config.Shape.Uncached
}

func readTimeout(read *pb.ReadBulkCommand) time.Duration {
	return time.Duration(read.GetTimeoutMs()) * time.Millisecond
}

func (c *command) run() *pb.MxCommandReply {
	if kind := kindOf(c.command); kind == pb.MxCommandKind_MX_COMMAND_KIND_UNSPECIFIED || kind != c.command.GetKind() {
		return refuse(pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_COMMAND,
			fmt.Sprintf("the kind is %s, the payload is that of %s", c.command.GetKind(), kind))
	}
	switch payload := c.command.GetPayload().(type) {
	case *pb.MxCommand_Register:
		return c.register()
	case *pb.MxCommand_SubscribeBulk:
		return c.bulk(payload.SubscribeBulk.GetServerHandle(), len(payload.SubscribeBulk.GetTagAddresses()), func() *pb.MxCommandReply {
			return c.subscribe(payload.SubscribeBulk)
		})
	case *pb.MxCommand_UnsubscribeBulk:
		return c.bulk(payload.UnsubscribeBulk.GetServerHandle(), len(payload.UnsubscribeBulk.GetItemHandles()), func() *pb.MxCommandReply {
			return c.unsubscribe(payload.UnsubscribeBulk)
		})
	default:
		read := c.command.GetReadBulk()
		return c.bulk(read.GetServerHandle(), len(read.GetTagAddresses()), func() *pb.MxCommandReply { return c.read(read) })
	}
}

func refuse(code pb.ProtocolStatusCode, message string) *pb.MxCommandReply {
	return &pb.MxCommandReply{ProtocolStatus: &pb.ProtocolStatus{Code: code, Message: message}, Hresult: hresultInvalidArgument}
}

func done(reply *pb.MxCommandReply) *pb.MxCommandReply {
	reply.ProtocolStatus, reply.Hresult = &pb.ProtocolStatus{}, hresultOK
	return reply
}

func (c *command) bulk(server int32, n int, do func() *pb.MxCommandReply) *pb.MxCommandReply {
	if !c.session.hasServer(server) {
		return refuse(pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_SERVER_HANDLE,
			fmt.Sprintf("the session has registered no server of handle %d", server))
	}
	if n > maxItems {
		return refuse(pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_COMMAND, fmt.Sprintf("%d items are too many: at most %d", n, maxItems))
	}
	return do()
}

func (c *command) register() *pb.MxCommandReply {
	handle, ok := c.session.register()
	if !ok {
		return refuse(pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_COMMAND,
			fmt.Sprintf("the session has registered %d servers, which is the most", maxServers))
	}
	return done(&pb.MxCommandReply{Payload: &pb.MxCommandReply_Register{Register: &pb.RegisterReply{ServerHandle: handle}}})
}

func (c *command) subscribe(request *pb.SubscribeBulkCommand) *pb.MxCommandReply {
	first := c.clock.now() + c.config.Shape.FirstValue
	results := make([]*pb.BulkSubscribeResult, 0, len(request.GetTagAddresses()))
	for _, name := range request.GetTagAddresses() {
		result := &pb.BulkSubscribeResult{ServerHandle: request.GetServerHandle(), TagAddress: name}
		if tag := c.tags.byName[name]; tag != nil {
			result.ItemHandle = c.session.advise(address{request.GetServerHandle(), name}, tag, first).handle
			result.WasSuccessful = true
		} else {
			result.ErrorMessage = noTag
		}
		results = append(results, result)
	}
	return bulkSubscribe(results)
}

func (c *command) unsubscribe(request *pb.UnsubscribeBulkCommand) *pb.MxCommandReply {
	results := make([]*pb.BulkSubscribeResult, 0, len(request.GetItemHandles()))
	for _, handle := range request.GetItemHandles() {
		result := &pb.BulkSubscribeResult{ServerHandle: request.GetServerHandle(), ItemHandle: handle}
		if item := c.session.unadvise(request.GetServerHandle(), handle); item != nil {
			result.TagAddress, result.WasSuccessful = item.address.tag, true
		} else {
			result.ErrorMessage = "the server has no item of this handle"
		}
		results = append(results, result)
	}
	return bulkSubscribe(results)
}

func bulkSubscribe(results []*pb.BulkSubscribeResult) *pb.MxCommandReply {
	return done(&pb.MxCommandReply{Payload: &pb.MxCommandReply_BulkSubscribe{BulkSubscribe: &pb.BulkSubscribeReply{Results: results}}})
}

const noTag = "there is no such tag"

func (c *command) read(request *pb.ReadBulkCommand) *pb.MxCommandReply {
	now := c.clock.now()
	results := make([]*pb.BulkReadResult, 0, len(request.GetTagAddresses()))
	for place, name := range request.GetTagAddresses() {
		result := &pb.BulkReadResult{ServerHandle: request.GetServerHandle(), TagAddress: name}
		if place < c.failing {
			result.ErrorMessage = "this fault was asked for"
		} else {
			result.ErrorMessage = c.readItem(request, result, now)
		}
		result.WasSuccessful = result.GetErrorMessage() == ""
		results = append(results, result)
	}
	return done(&pb.MxCommandReply{Payload: &pb.MxCommandReply_BulkRead{BulkRead: &pb.BulkReadReply{Results: results}}})
}

func (c *command) readItem(request *pb.ReadBulkCommand, result *pb.BulkReadResult, now time.Duration) string {
	tag := c.tags.byName[result.GetTagAddress()]
	if tag == nil {
		return noTag
	}
	item := c.session.advised(address{request.GetServerHandle(), result.GetTagAddress()})
	if item != nil {
		result.ItemHandle = item.handle
	}
	result.WasCached = c.isCached(item)
	if timeout := readTimeout(request); !result.GetWasCached() && timeout > 0 && timeout < c.config.Shape.Uncached {
		return fmt.Sprintf("the tag had no value after %v", timeout)
	}
	value, changed := c.tags.value(tag, now)
	result.Value, result.Quality, result.SourceTimestamp = value, goodQuality, changed
	return ""
}
