package wire

import (
	"encoding/binary"
	"io"
	"net/netip"
)

// The commands of a cluster's node, in addition to commandConnect.
const (
	commandLeader    = 6
	commandCluster   = 7
	commandAuthority = 9
)

const (
	leaderSize   = 20
	clusterHead  = 24
	machineSize  = 40
	approvalSize = 16

	maxMachines = 1 << 12 // limits the memory for a wrong number
)

// Machine is a member of a cluster. Its port is the administrators', which also serves users.
type Machine struct {
	Address   netip.AddrPort
	ID        uint32
	Stability uint64 // odd if the machine is available
	Version   uint64 // precedes the keys
}

// Available reports whether the machine accepts commands.
func (m *Machine) Available() bool { return m.Stability&1 == 1 }

// State is a cluster's state, as reported by its leader.
type State struct {
	Version  uint64 // changes with each change of the cluster
	Machines []Machine
}

// ReadLeader reads the answer to LEADER. The error has kind cluster if the node knows no leader.
func ReadLeader(r io.Reader) (netip.AddrPort, error) {
	var answer [leaderSize]byte
	if _, err := io.ReadFull(r, answer[:]); err != nil {
		return netip.AddrPort{}, broken(err, "the answer to LEADER")
	}
	if answer[18] != 0 { // the address is garbage
		return netip.AddrPort{}, newError(KindCluster, nil, "the cluster has lost its leader")
	}

	return addressOf(answer[:]), nil
}

// Addresses and ports are big-endian in all generations.
func addressOf(raw []byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16([16]byte(raw)), binary.BigEndian.Uint16(raw[16:]))
}

// ReadState reads the answer to CLUSTER. The error has kind cluster if the node belongs to none.
func ReadState(r io.Reader, g Generation) (*State, error) {
	var head [clusterHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, broken(err, "the answer to CLUSTER")
	}
	order := g.order()
	size := order.Uint64(head[8:])
	n := size / machineSize
	switch {
	case size == 0:
		return nil, newError(KindCluster, nil, "the node is not in a cluster")
	case size%machineSize != 0 || n > maxMachines || n&(n-1) != 0:
		return nil, newError(KindProtocol, nil, "the answer to CLUSTER cannot have %d bytes of machines", size)
	}

	raw := make([]byte, size)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, broken(err, "the answer to CLUSTER")
	}
	s := &State{Version: order.Uint64(head[16:]), Machines: make([]Machine, n)}
	for i := range s.Machines {
		record := raw[i*machineSize:]
		s.Machines[i] = Machine{
			Address: addressOf(record), ID: order.Uint32(record[20:]),
			Stability: order.Uint64(record[24:]), Version: order.Uint64(record[32:]),
		}
	}

	return s, nil
}

// ReadApproval reads one answer of AUTHORITY: how many requests the leader approves, and the
// version of the cluster.
func ReadApproval(r io.Reader, g Generation) (version, count uint64, err error) {
	var answer [approvalSize]byte
	if _, err := io.ReadFull(r, answer[:]); err != nil {
		return 0, 0, broken(err, "an approval")
	}

	return g.order().Uint64(answer[:]), g.order().Uint64(answer[8:]), nil
}
