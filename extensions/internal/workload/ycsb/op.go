package ycsb

// Op is a kind of operation.
type Op uint8

// Operations, in the order of YCSB's chooser.
const (
	Read Op = iota
	Update
	Insert
	Scan
	ReadModifyWrite

	numOps
)

// NumOps is the number of operations.
const NumOps = int(numOps)

// String returns the name in YCSB's reports.
func (op Op) String() string {
	return [...]string{"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"}[op]
}
