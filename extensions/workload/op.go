package workload

// Op is a kind of operation.
type Op uint8

// The kinds of operations that a mix may hold.
const (
	Get      Op = iota // read a key
	Set                // write a key
	Delete             // remove a key
	Touch              // renew a key's time to live
	GetOrSet           // read a key and, on a miss, write it
	GetMulti           // read several keys at once

	numOps
)

// NumOps is the number of kinds of operations: what an Observer needs to keep something for each of
// them.
const NumOps = int(numOps)

// String is the operation's name, as it is in [Mix].
func (op Op) String() string {
	switch op {
	case Get:
		return "get"
	case Set:
		return "set"
	case Delete:
		return "delete"
	case Touch:
		return "touch"
	case GetOrSet:
		return "getOrSet"
	case GetMulti:
		return "getMulti"
	case numOps:
	}

	return "unknown"
}
