package workload

// Op is a kind of operation.
type Op uint8

// Operations of a mix. The option commands follow from NumOps on, in their order.
const (
	Get Op = iota
	Set
	Delete
	Touch
	GetOrSet // read a key and, on a miss, write it
	GetMulti // read several keys in one request

	numOps
)

// NumOps is the number of operations.
const NumOps = int(numOps)

// String returns the operation's name in [Mix].
func (op Op) String() string {
	return [...]string{"get", "set", "delete", "touch", "getOrSet", "getMulti"}[op]
}
