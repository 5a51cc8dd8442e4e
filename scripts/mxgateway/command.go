package main

import (
	"fmt"
	"math"
	"time"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const (
	hresultOK              int32 = 0
	hresultInvalidArgument int32 = math.MinInt32 + 0x70057 // E_INVALIDARG, 0x80070057
)

// session has its items under two keys. The gateway's lock guards them.
type session struct {
	id, client string
	worker     *worker
	servers    int32
	last       int32 // last item handle
	items      map[int32]*item
	handles    map[address]*item
}

type address struct {
	server int32
	tag    string
}

type item struct {
	address
	handle int32
	first  time.Duration // when it has a value
}

type command struct {
	*gateway
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

//nolint:gochecknoglobals // a table
var kinds = map[string]pb.MxCommandKind{
	callRegister:    pb.MxCommandKind_MX_COMMAND_KIND_REGISTER,
	callSubscribe:   pb.MxCommandKind_MX_COMMAND_KIND_SUBSCRIBE_BULK,
	callUnsubscribe: pb.MxCommandKind_MX_COMMAND_KIND_UNSUBSCRIBE_BULK,
	callRead:        pb.MxCommandKind_MX_COMMAND_KIND_READ_BULK,
}

// extra returns the additional time of the worker: a ReadBulk waits for values that were not cached
// at its arrival, up to its timeout.
func (c *command) extra() time.Duration {
	read := c.command.GetReadBulk()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tag := range read.GetTagAddresses() {
		if !c.isCached(c.session.handles[address{read.GetServerHandle(), tag}]) && c.tags.byName[tag] != nil {
			if timeout := readTimeout(read); timeout > 0 {
				return min(c.shape.uncached, timeout)
			}
			return c.shape.uncached
		}
	}
	return 0
}

func (c *command) isCached(item *item) bool { return item != nil && item.first <= c.arrived }

func readTimeout(read *pb.ReadBulkCommand) time.Duration {
	return time.Duration(read.GetTimeoutMs()) * time.Millisecond
}

func (c *command) run() *pb.MxCommandReply {
	c.mu.Lock()
	defer c.mu.Unlock()
	kind, known := kinds[callOf(c.command)]
	if !known || kind != c.command.GetKind() {
		return refuse(pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_COMMAND,
			fmt.Sprintf("the kind is %s, the payload is that of %s", c.command.GetKind(), kind))
	}
	reply := &pb.MxCommandReply{ProtocolStatus: &pb.ProtocolStatus{}, Hresult: hresultOK}
	subscribe, unsubscribe, read := c.command.GetSubscribeBulk(), c.command.GetUnsubscribeBulk(), c.command.GetReadBulk()
	server := subscribe.GetServerHandle() + unsubscribe.GetServerHandle() + read.GetServerHandle() // two of them are 0
	switch {
	case kind == pb.MxCommandKind_MX_COMMAND_KIND_REGISTER:
		c.session.servers++
		reply.Payload = &pb.MxCommandReply_Register{Register: &pb.RegisterReply{ServerHandle: c.session.servers}}
	case server < 1 || server > c.session.servers:
		return refuse(pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_SERVER_HANDLE,
			fmt.Sprintf("the session has registered no server of handle %d", server))
	case subscribe != nil:
		reply.Payload = bulkSubscribe(subscribe.GetTagAddresses(), func(name string) *pb.BulkSubscribeResult { return c.subscribe(server, name) })
	case unsubscribe != nil:
		reply.Payload = bulkSubscribe(unsubscribe.GetItemHandles(), func(handle int32) *pb.BulkSubscribeResult {
			return c.unsubscribe(server, handle)
		})
	default:
		reply.Payload = c.read(read)
	}
	return reply
}

func refuse(code pb.ProtocolStatusCode, message string) *pb.MxCommandReply {
	return &pb.MxCommandReply{ProtocolStatus: &pb.ProtocolStatus{Code: code, Message: message}, Hresult: hresultInvalidArgument}
}

func bulkSubscribe[T any](all []T, do func(T) *pb.BulkSubscribeResult) *pb.MxCommandReply_BulkSubscribe {
	results := make([]*pb.BulkSubscribeResult, len(all))
	for i, one := range all {
		results[i] = do(one)
		results[i].WasSuccessful = results[i].GetErrorMessage() == ""
	}
	return &pb.MxCommandReply_BulkSubscribe{BulkSubscribe: &pb.BulkSubscribeReply{Results: results}}
}

// An advised tag keeps its handle and value.
func (c *command) subscribe(server int32, name string) *pb.BulkSubscribeResult {
	result := &pb.BulkSubscribeResult{ServerHandle: server, TagAddress: name}
	if c.tags.byName[name] == nil {
		result.ErrorMessage = noTag
		return result
	}
	at := address{server, name}
	if c.session.handles[at] == nil {
		c.session.last++
		advised := &item{address: at, handle: c.session.last, first: c.now() + c.shape.firstValue}
		c.session.items[advised.handle], c.session.handles[at] = advised, advised
	}
	result.ItemHandle = c.session.handles[at].handle
	return result
}

func (c *command) unsubscribe(server, handle int32) *pb.BulkSubscribeResult {
	result := &pb.BulkSubscribeResult{ServerHandle: server, ItemHandle: handle}
	advised := c.session.items[handle]
	if advised == nil || advised.server != server {
		result.ErrorMessage = "the server has no item of this handle"
		return result
	}
	delete(c.session.items, handle)
	delete(c.session.handles, advised.address)
	result.TagAddress = advised.tag
	return result
}

const noTag = "there is no such tag"

func (c *command) read(request *pb.ReadBulkCommand) *pb.MxCommandReply_BulkRead {
	now := c.now()
	results := make([]*pb.BulkReadResult, len(request.GetTagAddresses()))
	for place, name := range request.GetTagAddresses() {
		result := &pb.BulkReadResult{ServerHandle: request.GetServerHandle(), TagAddress: name}
		if place < c.failing {
			result.ErrorMessage = "this fault was asked for"
		} else {
			result.ErrorMessage = c.readItem(request, result, now)
		}
		result.WasSuccessful = result.GetErrorMessage() == ""
		results[place] = result
	}
	return &pb.MxCommandReply_BulkRead{BulkRead: &pb.BulkReadReply{Results: results}}
}

func (c *command) readItem(request *pb.ReadBulkCommand, result *pb.BulkReadResult, now time.Duration) string {
	tag := c.tags.byName[result.GetTagAddress()]
	if tag == nil {
		return noTag
	}
	item := c.session.handles[address{request.GetServerHandle(), result.GetTagAddress()}]
	if item != nil {
		result.ItemHandle = item.handle
	}
	result.WasCached = c.isCached(item)
	if timeout := readTimeout(request); !result.GetWasCached() && timeout > 0 && timeout < c.shape.uncached {
		return fmt.Sprintf("the tag had no value after %v", timeout)
	}
	result.Value, result.SourceTimestamp = c.tags.value(tag, now)
	result.Quality = goodQuality
	return ""
}
