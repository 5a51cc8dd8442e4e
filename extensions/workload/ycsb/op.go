package ycsb

// Op is a kind of operation.
type Op uint8

// The kinds of operations, in the order in which YCSB adds them to its chooser.
const (
	Read Op = iota
	Update
	Insert
	Scan
	ReadModifyWrite

	numOps
)

// NumOps is the number of kinds of operations.
const NumOps = int(numOps)

// String returns the name that YCSB's reports have.
func (op Op) String() string {
	return [...]string{"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"}[op]
}
