package wire

// Protocol is the form of requests. The server accepts both on any connection.
type Protocol uint8

// Protocols. With Meta, a request with a key carries a number, and its reply must repeat it.
const (
	Text Protocol = iota // get, set, delete, ...
	Meta                 // mg, ms, md, ma
)

// Verb is the command of a request.
type Verb uint8

// Verbs. From MetaGet on, they use the meta protocol on any connection.
const (
	Get            Verb = iota + 1
	Gets                // get, with the value's CAS number
	Gat                 // get, and set the expiry time
	Gats                // gat, with the value's CAS number
	Touch               // set the expiry time
	Set                 // store
	Add                 // store if the key does not exist
	Replace             // store if the key exists
	Append              // append to the value
	Prepend             // prepend to the value
	CompareAndSwap      // store if the value still has this CAS number
	Delete
	Increment
	Decrement // stops at 0
	Flush     // expire everything
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
	// Key has 1 to 250 bytes. Only Meta and the meta verbs allow spaces and unprintable bytes: they
	// send such a key in base64, and it may have up to 186 bytes.
	Key    []byte
	Value  []byte // value to store
	Flags  uint32 // stored with the value
	Expire int32  // seconds; more than 30 days: a Unix time; 0: never; negative: immediately. Flush: seconds until then
	CAS    uint64 // expected number, for CompareAndSwap
	Delta  uint64 // amount, for Increment and Decrement
	Meta   []byte // flags of a meta verb as sent, separated by spaces: "v t f T30"
}

// Status is the result of a request.
type Status uint8

// Statuses.
const (
	OK        Status = iota + 1 // found, stored, deleted, touched, counted
	NotFound                    // the key does not exist
	NotStored                   // Add: the key exists. Replace, Append, Prepend: it does not
	Exists                      // CompareAndSwap: the value has changed
)

// Reply is the answer to a request. Reusing a Reply overwrites the memory of Value and Meta.
type Reply struct {
	Status Status
	Value  []byte // set by gets, MetaGet and MetaArithmetic with the flag v; the text of Version
	// HasValue distinguishes an empty value from no value, for MetaGet and MetaArithmetic.
	HasValue bool
	Flags    uint32 // set by the gets
	CAS      uint64 // set by Gets and Gats
	Number   uint64 // set by Increment and Decrement
	Meta     []byte // flags that the server returned, separated by spaces
	Err      error  // in a pipeline: the error of this request
}

func (a *Reply) reset() { *a = Reply{Value: a.Value[:0], Meta: a.Meta[:0]} }

type shape uint8

const (
	bare    shape = iota // no key
	keyed                // a key
	storing              // a key and a value
)

func (v Verb) shape() shape {
	switch v { //nolint:exhaustive // other verbs have a key and no value
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
