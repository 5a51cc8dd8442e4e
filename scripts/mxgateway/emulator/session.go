package emulator

import (
	"maps"
	"math"
	"sync"
	"time"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const (
	hresultOK              int32 = 0
	hresultInvalidArgument int32 = math.MinInt32 + 0x70057 // E_INVALIDARG, 0x80070057
)

type session struct {
	id     string
	client string
	worker *worker
	closed chan struct{}

	mu      sync.Mutex
	used    time.Duration
	servers int32
	last    int32 // last item handle
	items   map[int32]*item
	handles map[address]*item
}

type address struct {
	server int32
	tag    string
}

type item struct {
	address
	handle int32
	tag    *tag
	first  time.Duration
}

func newSession(id, client string, worker *worker, now time.Duration) *session {
	return &session{
		id: id, client: client, worker: worker, closed: make(chan struct{}),
		used: now, items: map[int32]*item{}, handles: map[address]*item{},
	}
}

func (s *session) touch(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = now
}

func (s *session) lastUsed() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

func (s *session) register() (int32, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.servers == maxServers {
		return 0, false
	}
	s.servers++
	return s.servers, true
}

func (s *session) hasServer(handle int32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 1 <= handle && handle <= s.servers
}

// advise subscribes to tag, which gets a value at first. An advised tag keeps its handle and value.
func (s *session) advise(a address, tag *tag, first time.Duration) *item {
	s.mu.Lock()
	defer s.mu.Unlock()
	if advised := s.handles[a]; advised != nil {
		return advised
	}
	s.last++
	advised := &item{address: a, handle: s.last, tag: tag, first: first}
	s.items[advised.handle], s.handles[a] = advised, advised
	return advised
}

func (s *session) unadvise(server, handle int32) *item {
	s.mu.Lock()
	defer s.mu.Unlock()
	advised := s.items[handle]
	if advised == nil || advised.server != server {
		return nil
	}
	delete(s.items, handle)
	delete(s.handles, advised.address)
	return advised
}

func (s *session) advised(a address) *item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handles[a]
}

// changes returns an event for each item whose tag has changed since sent, and updates sent, which
// counts the changes of each item.
func (s *session) changes(all *tags, now time.Duration, sent map[int32]int64) []*pb.MxEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(sent, func(handle int32, _ int64) bool { return s.items[handle] == nil })
	var events []*pb.MxEvent
	for handle, item := range s.items {
		version, _ := all.version(item.tag, now)
		if before, known := sent[handle]; now < item.first || known && before == version {
			continue
		}
		sent[handle] = version
		value, changed := all.value(item.tag, now)
		events = append(events, &pb.MxEvent{
			SessionId: s.id, ServerHandle: item.server, ItemHandle: handle, TagAddress: item.address.tag,
			Value: value, Quality: goodQuality, SourceTimestamp: changed,
		})
	}
	return events
}
