package wire

// Protocol is how requests are written. The server understands both on any connection.
type Protocol uint8

// Protocols. With Meta, every request that has a key carries a number which its reply must repeat.
const (
	Text Protocol = iota // get, set, delete, ...
	Meta                 // mg, ms, md, ma
)

// Verb is what a request asks for.
type Verb uint8

// Verbs. Those from MetaGet on are sent as they are, whatever the connection's protocol.
const (
	Get            Verb = iota + 1
	Gets                // get, with the value's CAS number
	Gat                 // get, and set the time when the value expires
	Gats                // gat, with the value's CAS number
	Touch               // set the time when the value expires
	Set                 // store
	Add                 // store if the key is not there
	Replace             // store if the key is there
	Append              // store behind what is there
	Prepend             // store before what is there
	CompareAndSwap      // store if the value still has this CAS number
	Delete
	Increment
	Decrement // not below 0
	Flush     // let all that is stored expire
	Version
	Noop           // mn
	MetaGet        // mg
	MetaSet        // ms
	MetaDelete     // md
	MetaArithmetic // ma
)

// Request is one command.
type Request struct {
	Verb Verb
	// Key has 1 to 250 bytes. Other than printable ones without a space are for Meta and the meta
	// verbs only, which send them in base64: up to 186.
	Key    []byte
	Value  []byte // what is stored
	Flags  uint32 // what is kept with the value
	Expire int32  // seconds from now; above 30 days a Unix time; 0 never; negative at once. Flush: seconds until then
	CAS    uint64 // of CompareAndSwap
	Delta  uint64 // of Increment and Decrement
	Meta   []byte // flags of a meta verb as they are sent, separated by one space: "v t f T30"
}

// Status is what came of a request.
type Status uint8

// Statuses.
const (
	OK        Status = iota + 1 // found, stored, deleted, touched, counted
	NotFound                    // no such key: a miss
	NotStored                   // Add: the key is there. Replace, Append, Prepend: it is not
	Exists                      // CompareAndSwap: the value is another one by now
)

// Reply is the answer to a request. The memory of Value and Meta is used again when the Reply is.
type Reply struct {
	Status Status
	Value  []byte // of the gets, MetaGet and MetaArithmetic with the flag v; the text of Version
	// HasValue tells a value of no bytes from none, which matters for MetaGet and MetaArithmetic.
	HasValue bool
	Flags    uint32 // of the gets
	CAS      uint64 // of Gets and Gats
	Number   uint64 // of Increment and Decrement
	Meta     []byte // flags that a meta verb returned, separated by one space
	Err      error  // in a pipeline: why this request failed
}

func (a *Reply) reset() { *a = Reply{Value: a.Value[:0], Meta: a.Meta[:0]} }

// shape is what a verb's request looks like.
type shape uint8

const (
	bare    shape = iota // no key
	keyed                // a key
	storing              // a key and a value
)

func (v Verb) shape() shape {
	switch v { //nolint:exhaustive // the others have a key and no value
	case Flush, Version, Noop:
		return bare
	case Set, Add, Replace, Append, Prepend, CompareAndSwap, MetaSet:
		return storing
	default:
		return keyed
	}
}

func (v Verb) isGet() bool { return v >= Get && v <= Gats }

func (v Verb) isMeta() bool { return v >= MetaGet }
