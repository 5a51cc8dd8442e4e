package chaos

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// hostName is the only name that the DNS server of a cell resolves.
const hostName = "server.chaos.test"

type nameService struct {
	conn net.PacketConn
	done chan struct{}

	mu      sync.Mutex
	begun   time.Time // the first query
	asked   int
	failing time.Duration
	address netip.Addr
}

func startNames(at string, answer string, failing time.Duration) (*nameService, error) {
	conn, err := net.ListenPacket("udp", net.JoinHostPort(at, "53"))
	if err != nil {
		return nil, err
	}
	n := &nameService{conn: conn, done: make(chan struct{}), failing: failing, address: netip.MustParseAddr(answer)}
	go n.serve()

	return n, nil
}

func (n *nameService) close() {
	_ = n.conn.Close()
	<-n.done
}

func (n *nameService) change(to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.address = netip.MustParseAddr(to)
}

func (n *nameService) questions() int {
	n.mu.Lock()
	defer n.mu.Unlock()

	return n.asked
}

func (n *nameService) serve() {
	defer close(n.done)
	buffer := make([]byte, 1500)
	for {
		size, from, err := n.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		if answer := n.answer(buffer[:size]); answer != nil {
			_, _ = n.conn.WriteTo(answer, from)
		}
	}
}

func (n *nameService) answer(packet []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	if n.begun.IsZero() {
		n.begun = time.Now()
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	question := m.Questions[0]
	switch {
	case question.Name.String() != hostName+".":
		m.RCode = dnsmessage.RCodeNameError
	case time.Since(n.begun) < n.failing:
		m.RCode = dnsmessage.RCodeServerFailure
	case question.Type == dnsmessage.TypeA && n.address.Is4():
		m.Answers = []dnsmessage.Resource{{Header: header(question), Body: &dnsmessage.AResource{A: n.address.As4()}}}
	case question.Type == dnsmessage.TypeAAAA && n.address.Is6():
		m.Answers = []dnsmessage.Resource{{Header: header(question), Body: &dnsmessage.AAAAResource{AAAA: n.address.As16()}}}
	}
	answer, err := m.Pack()
	if err != nil {
		return nil
	}

	return answer
}

func header(to dnsmessage.Question) dnsmessage.ResourceHeader {
	return dnsmessage.ResourceHeader{Name: to.Name, Type: to.Type, Class: dnsmessage.ClassINET}
}
