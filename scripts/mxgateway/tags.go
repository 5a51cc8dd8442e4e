package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const (
	goodQuality = 192
	machines    = 999
)

// tag is an attribute of a machine. Its value is a counter of its changes.
type tag struct {
	machine   int64
	phase     time.Duration
	attribute func(n int64, changed time.Time) *pb.MxValue
}

// tags are the known tags by address: TestMachine_001.TestChangingInt and so on.
type tags struct {
	start  time.Time
	change time.Duration // time between two changes of a tag
	byName map[string]*tag
}

//nolint:gochecknoglobals // a table
var attributes = map[string]func(n int64, changed time.Time) *pb.MxValue{
	"TestChangingBool": func(n int64, _ time.Time) *pb.MxValue {
		return &pb.MxValue{Value: &pb.MxValue_BoolValue{BoolValue: n%2 == 1}}
	},
	"TestChangingInt": func(n int64, _ time.Time) *pb.MxValue {
		return &pb.MxValue{Value: &pb.MxValue_Int32Value{Int32Value: int32(n)}}
	},
	"TestChangingLong": func(n int64, _ time.Time) *pb.MxValue {
		return &pb.MxValue{Value: &pb.MxValue_Int64Value{Int64Value: n << 32}}
	},
	"TestChangingFloat": func(n int64, _ time.Time) *pb.MxValue {
		return &pb.MxValue{Value: &pb.MxValue_FloatValue{FloatValue: float32(n) / 4}}
	},
	"TestChangingDouble": func(n int64, _ time.Time) *pb.MxValue {
		return &pb.MxValue{Value: &pb.MxValue_DoubleValue{DoubleValue: float64(n) / 8}}
	},
	"TestChangingString": func(n int64, _ time.Time) *pb.MxValue {
		return &pb.MxValue{Value: &pb.MxValue_StringValue{StringValue: fmt.Sprintf("value %d", n)}}
	},
	"TestChangingTime": func(_ int64, changed time.Time) *pb.MxValue {
		return &pb.MxValue{Value: &pb.MxValue_TimestampValue{TimestampValue: timestamppb.New(changed)}}
	},
}

func newTags(start time.Time, seed uint64) *tags {
	t := &tags{start: start, change: 3 * time.Second, byName: map[string]*tag{}}
	random := rand.New(rand.NewPCG(seed, 0))
	for machine := 1; machine <= machines; machine++ {
		phase := time.Duration(random.Float64() * float64(t.change))
		for name, attribute := range attributes {
			t.byName[fmt.Sprintf("TestMachine_%03d.%s", machine, name)] = &tag{machine: int64(machine), phase: phase, attribute: attribute}
		}
	}
	return t
}

func (t *tags) value(tag *tag, now time.Duration) (*pb.MxValue, *timestamppb.Timestamp) {
	changes := int64((now + tag.phase) / t.change)
	changed := t.start.Add(time.Duration(changes)*t.change - tag.phase)
	return tag.attribute(1000*tag.machine+changes, changed), timestamppb.New(changed)
}
