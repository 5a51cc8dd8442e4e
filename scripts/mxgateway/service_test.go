package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

func TestTheFlowOfAClient(t *testing.T) {
	gateway := start(t, config{})
	c := dial(t, gateway, fullKey)
	opened, err := c.OpenSession(c.ctx, &pb.OpenSessionRequest{ClientSessionName: "flow"})
	require.NoError(t, err)
	assert.Contains(t, opened.GetBackendName(), "emulator")
	assert.NotEmpty(t, opened.GetSessionId())
	assert.Equal(t, pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_OK, opened.GetProtocolStatus().GetCode())

	s := c.open(t)
	subscribed, err := s.subscribe(six()...)
	require.NoError(t, err)
	assert.Equal(t, "mine", subscribed.GetCorrelationId())
	assert.Equal(t, s.id, subscribed.GetSessionId())
	assert.Equal(t, pb.MxCommandKind_MX_COMMAND_KIND_SUBSCRIBE_BULK, subscribed.GetKind())
	handles := map[string]int32{}
	for i, result := range subscribed.GetBulkSubscribe().GetResults() {
		assert.Equal(t, six()[i], result.GetTagAddress())
		assert.True(t, result.GetWasSuccessful())
		handles[result.GetTagAddress()] = result.GetItemHandle()
	}
	require.Len(t, handles, 6)

	read, err := s.read(six()...)
	require.NoError(t, err)
	assert.Zero(t, read.GetHresult())
	require.Len(t, read.GetBulkRead().GetResults(), 6)
	for i, result := range read.GetBulkRead().GetResults() {
		assert.Equal(t, six()[i], result.GetTagAddress())
		assert.Equal(t, handles[six()[i]], result.GetItemHandle())
		assert.Equal(t, s.server, result.GetServerHandle())
		assert.True(t, result.GetWasSuccessful())
		assert.True(t, result.GetWasCached())
		assert.EqualValues(t, 1000*(i+1), result.GetValue().GetInt32Value())
		assert.EqualValues(t, 192, result.GetQuality())
		assert.WithinDuration(t, time.Now(), result.GetSourceTimestamp().AsTime(), time.Minute)
		assert.Empty(t, result.GetErrorMessage())
	}

	unsubscribed, err := s.unsubscribe(handles[machineTag(2)], handles[machineTag(1)])
	require.NoError(t, err)
	require.Len(t, unsubscribed.GetBulkSubscribe().GetResults(), 2)
	assert.Equal(t, machineTag(2), unsubscribed.GetBulkSubscribe().GetResults()[0].GetTagAddress())
	_, err = c.CloseSession(c.ctx, &pb.CloseSessionRequest{SessionId: s.id})
	require.NoError(t, err)
}

func TestOnlyAdvisedTagsWithAValueAreCached(t *testing.T) {
	config := config{}
	config.shape = shape{firstValue: 3 * time.Second, uncached: 2 * time.Millisecond}
	s := dial(t, start(t, config), fullKey).open(t)
	cached := func() []bool {
		read, err := s.read(machineTag(1), machineTag(2))
		require.NoError(t, err)
		var list []bool
		for _, result := range read.GetBulkRead().GetResults() {
			assert.True(t, result.GetWasSuccessful())
			assert.NotNil(t, result.GetValue())
			list = append(list, result.GetWasCached())
		}
		return list
	}
	assert.Equal(t, []bool{false, false}, cached(), "no tag is advised")
	subscribed, err := s.subscribe(machineTag(2))
	require.NoError(t, err)
	assert.Equal(t, []bool{false, false}, cached(), "the second has no value yet")
	require.Eventually(t, func() bool { return cached()[1] }, 30*time.Second, 10*time.Millisecond)
	assert.Equal(t, []bool{false, true}, cached())
	_, err = s.subscribe(machineTag(2))
	require.NoError(t, err)
	assert.Equal(t, []bool{false, true}, cached(), "to subscribe again takes no value away")
	_, err = s.unsubscribe(subscribed.GetBulkSubscribe().GetResults()[0].GetItemHandle())
	require.NoError(t, err)
	assert.Equal(t, []bool{false, false}, cached(), "it is not advised any more")
}

func TestAReadThatMayNotWaitFailsWhereNothingIsCached(t *testing.T) {
	config := config{}
	config.shape = shape{uncached: time.Hour}
	s := dial(t, start(t, config), fullKey).open(t)
	_, err := s.subscribe(machineTag(1))
	require.NoError(t, err)
	read, err := s.readWithin(20, machineTag(1), machineTag(2))
	require.NoError(t, err)
	results := read.GetBulkRead().GetResults()
	assert.True(t, results[0].GetWasSuccessful())
	assert.False(t, results[1].GetWasSuccessful())
	assert.Equal(t, "the tag had no value after 20ms", results[1].GetErrorMessage())
}

func TestFailedItemsKeepTheirPlace(t *testing.T) {
	s := dial(t, start(t, config{}), fullKey).open(t)
	tags := []string{"nobody.knows", machineTag(3), "", "TestMachine_1000.TestChangingInt", machineTag(3), "TestMachine_3.TestChangingInt"}
	successful := []bool{false, true, false, false, true, false}
	subscribed, err := s.subscribe(tags...)
	require.NoError(t, err)
	read, err := s.read(tags...)
	require.NoError(t, err)
	require.Len(t, subscribed.GetBulkSubscribe().GetResults(), len(tags))
	require.Len(t, read.GetBulkRead().GetResults(), len(tags))
	for i := range tags {
		one, other := subscribed.GetBulkSubscribe().GetResults()[i], read.GetBulkRead().GetResults()[i]
		assert.Equal(t, tags[i], one.GetTagAddress())
		assert.Equal(t, tags[i], other.GetTagAddress())
		assert.Equal(t, successful[i], one.GetWasSuccessful())
		assert.Equal(t, successful[i], other.GetWasSuccessful())
		assert.Equal(t, successful[i], other.GetErrorMessage() == "")
	}
	assert.Equal(t, subscribed.GetBulkSubscribe().GetResults()[1].GetItemHandle(), subscribed.GetBulkSubscribe().GetResults()[4].GetItemHandle())
}

func TestATagHasTheTypeOfItsAttribute(t *testing.T) {
	s := dial(t, start(t, config{}), fullKey).open(t)
	for attribute, wanted := range map[string]any{
		"TestChangingBool": &pb.MxValue_BoolValue{}, "TestChangingInt": &pb.MxValue_Int32Value{}, "TestChangingLong": &pb.MxValue_Int64Value{},
		"TestChangingFloat": &pb.MxValue_FloatValue{}, "TestChangingDouble": &pb.MxValue_DoubleValue{},
		"TestChangingString": &pb.MxValue_StringValue{}, "TestChangingTime": &pb.MxValue_TimestampValue{},
	} {
		read, err := s.read("TestMachine_001." + attribute)
		require.NoError(t, err)
		assert.IsType(t, wanted, read.GetBulkRead().GetResults()[0].GetValue().GetValue(), attribute)
	}
}

func TestTagsChange(t *testing.T) {
	config := config{}
	config.change = 20 * time.Millisecond
	s := dial(t, start(t, config), fullKey).open(t)
	read := func() *pb.BulkReadResult {
		reply, err := s.read(machineTag(1))
		require.NoError(t, err)
		return reply.GetBulkRead().GetResults()[0]
	}
	first := read()
	require.Eventually(t, func() bool { return read().GetValue().GetInt32Value() > first.GetValue().GetInt32Value() }, 10*time.Second, time.Millisecond)
	assert.True(t, read().GetSourceTimestamp().AsTime().After(first.GetSourceTimestamp().AsTime()))
}

func TestAnUnknownServerHandleIsAProtocolStatus(t *testing.T) {
	s := dial(t, start(t, config{}), fullKey).open(t)
	for _, handle := range []int32{0, -1, s.server + 1, math.MaxInt32} {
		s.server = handle
		for _, call := range []func() (*pb.MxCommandReply, error){
			func() (*pb.MxCommandReply, error) { return s.read(machineTag(1)) },
			func() (*pb.MxCommandReply, error) { return s.subscribe(machineTag(1)) },
			func() (*pb.MxCommandReply, error) { return s.unsubscribe(1) },
		} {
			reply, err := call()
			require.NoError(t, err)
			assert.Equal(t, pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_SERVER_HANDLE, reply.GetProtocolStatus().GetCode())
			assert.Contains(t, reply.GetProtocolStatus().GetMessage(), "registered no server")
			assert.Equal(t, uint32(0x80070057), uint32(reply.GetHresult()))
			assert.Nil(t, reply.GetPayload())
		}
	}
}

func TestAnUnknownItemHandleFailsInItsPlace(t *testing.T) {
	s := dial(t, start(t, config{}), fullKey).open(t)
	subscribed, err := s.subscribe(machineTag(1))
	require.NoError(t, err)
	known := subscribed.GetBulkSubscribe().GetResults()[0].GetItemHandle()
	reply, err := s.unsubscribe(known+1, known, known)
	require.NoError(t, err)
	results := reply.GetBulkSubscribe().GetResults()
	require.Len(t, results, 3)
	assert.False(t, results[0].GetWasSuccessful())
	assert.True(t, results[1].GetWasSuccessful())
	assert.False(t, results[2].GetWasSuccessful(), "it is gone by then")
}

func TestACommandThatIsNotWhatItsKindSays(t *testing.T) {
	s := dial(t, start(t, config{}), fullKey).open(t)
	read := readCommand(s.server, 0, machineTag(1))
	read.Kind = pb.MxCommandKind_MX_COMMAND_KIND_REGISTER
	for _, command := range []*pb.MxCommand{nil, {}, {Kind: pb.MxCommandKind_MX_COMMAND_KIND_READ_BULK}, read} {
		reply, err := s.invoke(command)
		require.NoError(t, err)
		assert.Equal(t, pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_COMMAND, reply.GetProtocolStatus().GetCode())
	}
}

func TestSessionsAreIsolated(t *testing.T) {
	c := dial(t, start(t, config{}), fullKey)
	one, other := c.open(t), c.open(t)
	require.NotEqual(t, one.id, other.id)
	_, err := one.subscribe(machineTag(1))
	require.NoError(t, err)
	read, err := other.read(machineTag(1))
	require.NoError(t, err)
	assert.False(t, read.GetBulkRead().GetResults()[0].GetWasCached(), "it is advised in the first session only")
	assert.Zero(t, read.GetBulkRead().GetResults()[0].GetItemHandle())
}

func TestAClosedSessionIsGone(t *testing.T) {
	gateway := start(t, config{})
	c := dial(t, gateway, fullKey)
	s, stays := c.open(t), c.open(t)
	_, err := c.CloseSession(c.ctx, &pb.CloseSessionRequest{SessionId: s.id})
	require.NoError(t, err)
	_, err = s.read(machineTag(1))
	assert.Equal(t, codes.NotFound, status.Code(err))
	assert.Contains(t, err.Error(), s.id)
	_, err = c.CloseSession(c.ctx, &pb.CloseSessionRequest{SessionId: s.id})
	assert.Equal(t, codes.NotFound, status.Code(err))
	_, err = stays.read(machineTag(1))
	assert.NoError(t, err)
	calls := gateway.recorder.summary()
	assert.EqualValues(t, 2, calls.Total.TotalCalls)
	assert.EqualValues(t, 1, calls.Total.FailedCalls)
	assert.Equal(t, "unknown", calls.Sessions[0].Session)
}

func TestUnknownSessionsAreNotFound(t *testing.T) {
	c := dial(t, start(t, config{}), fullKey)
	for _, id := range []string{"", "session-99", strings.Repeat("x", 10_000)} {
		_, err := clientSession{client: c, id: id, server: 1}.read(machineTag(1))
		assert.Equal(t, codes.NotFound, status.Code(err))
		assert.Less(t, len(err.Error()), 300)
	}
}
