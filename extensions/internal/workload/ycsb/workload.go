package ycsb

import (
	"bytes"
	"math/rand/v2"
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Workload holds validated options. All clients of a store share it.
type Workload struct {
	options Options
	values  *values
	ops     []Op
	bounds  []float64

	inserts sequence
	keys    *zipfian
	span    int64 // for zipfian: number of records that draws are spread over
}

// New returns the workload of options read by UnmarshalJSON.
func New(o Options) *Workload {
	w := &Workload{options: o, values: newValues(o.Seed, o.FieldLength)}
	w.inserts.start(o.RecordCount)
	shares, total, sum := o.Mix.Shares(), 0.0, 0.0
	for _, share := range shares {
		total += share
	}
	for _, op := range o.Mix.Ops() {
		sum += shares[op]
		w.ops, w.bounds = append(w.ops, op), append(w.bounds, sum/total)
	}
	switch o.RequestDistribution {
	case Zipfian:
		w.keys = newZipfian(scrambledItems, scrambledZeta)
		w.span = o.RecordCount + 1 + int64(float64(o.OperationCount)*o.Mix.Insert/total*2)
	case Latest:
		w.keys = newZipfian(o.RecordCount-1, 0)
	}

	return w
}

// Options returns the workload's options.
func (w *Workload) Options() Options { return w.options }

// FieldName returns the name of a field.
func FieldName(index int) string { return "field" + strconv.Itoa(index) }

const unknown = -2

// FieldIndex returns the index of a field's name, or an index that no record has.
func FieldIndex(name []byte) int {
	digits, is := bytes.CutPrefix(name, []byte("field"))
	index := 0
	for _, digit := range digits {
		if digit < '0' || digit > '9' || index > maxFields {
			return unknown
		}
		index = index*10 + int(digit-'0')
	}
	if !is || len(digits) == 0 {
		return unknown
	}

	return index
}

// AppendKey appends a record's key, as CoreWorkload.buildKeyName forms it.
func (w *Workload) AppendKey(buf []byte, record int64) []byte {
	if w.options.InsertOrder == Hashed {
		record = fnvHash64(record)
	}

	return strconv.AppendInt(append(buf, "user"...), record, 10)
}

// Field is a field with its value.
type Field struct {
	Index int
	Value []byte
}

// AllFields selects all fields of a record.
const AllFields = -1

// Operation is an operation to run. It is valid until the client draws the next one.
type Operation struct {
	Op     Op
	Record int64
	Key    []byte
	Field  int     // field to read, or AllFields
	Write  []Field // fields to write
	Length int     // records to scan
}

// Client draws operations, for one goroutine.
type Client struct {
	work    *Workload
	source  rand.PCG
	random  rand.Rand // reads from source
	next    Operation
	own     []byte
	pending bool
	runner
}

// Client returns the client with this index, from 0, at the start of its random stream.
func (w *Workload) Client(index int) *Client {
	c := &Client{work: w}
	c.source.Seed(measure.Scramble(w.options.Seed), measure.Scramble(uint64(index)))
	c.random = *rand.New(&c.source)

	return c
}

// Workload returns the client's workload.
func (c *Client) Workload() *Workload { return c.work }

// Load returns the insert of a record in the load phase.
func (c *Client) Load(record int64) *Operation {
	c.next = Operation{Op: Insert, Record: record, Key: c.work.AppendKey(c.next.Key[:0], record), Field: AllFields, Write: c.next.Write}
	c.writeAll()

	return &c.next
}

// Next draws the next operation. End an insert with Inserted; otherwise it counts as failed.
func (c *Client) Next() *Operation {
	c.Inserted(false)
	o := &c.work.options
	op := c.op()
	c.next = Operation{Op: op, Key: c.next.Key[:0], Field: AllFields, Write: c.next.Write[:0]}
	if op == Insert {
		c.next.Record, c.pending = c.work.inserts.claim(), true
	} else {
		c.next.Record = c.record()
	}
	c.next.Key = c.work.AppendKey(c.next.Key, c.next.Record)
	if op == Scan {
		c.next.Length = int(o.MinScanLength + c.random.Int64N(o.MaxScanLength-o.MinScanLength+1))
	}
	if (op == Read || op == Scan || op == ReadModifyWrite) && !o.ReadAllFields {
		c.next.Field = c.random.IntN(o.FieldCount)
	}
	switch {
	case op == Insert, (op == Update || op == ReadModifyWrite) && o.WriteAllFields:
		c.writeAll()
	case op == Update, op == ReadModifyWrite:
		c.write(c.random.IntN(o.FieldCount))
	}

	return &c.next
}

// Inserted ends the insert drawn by Next, if there is a pending one.
func (c *Client) Inserted(inserted bool) {
	if c.pending {
		c.pending = false
		c.work.inserts.acknowledge(c.next.Record, inserted)
	}
}

func (c *Client) op() Op {
	w := c.work
	if len(w.ops) == 1 {
		return w.ops[0]
	}
	drawn, at := c.random.Float64(), 0
	for at < len(w.ops)-1 && drawn >= w.bounds[at] {
		at++
	}

	return w.ops[at]
}

// record draws an existing record (CoreWorkload.nextKeynum).
func (c *Client) record() int64 {
	for {
		if record := c.draw(); c.work.inserts.readable(record) {
			return record
		}
	}
}

func (c *Client) draw() int64 {
	w := c.work
	switch w.options.RequestDistribution {
	case Zipfian: // ScrambledZipfianGenerator
		return fnvHash64(w.keys.draw(&c.random, w.keys.items)) % w.span
	case Latest: // SkewedLatestGenerator
		last := w.inserts.last.Load()

		return last - w.keys.draw(&c.random, last)
	default:
		return c.random.Int64N(w.options.RecordCount)
	}
}

func (c *Client) writeAll() {
	c.next.Write, c.own = c.next.Write[:0], c.own[:0]
	if c.work.options.DataIntegrity {
		c.reserve(c.work.options.FieldCount)
	}
	for field := range c.work.options.FieldCount {
		c.append(field)
	}
}

func (c *Client) write(field int) {
	c.own = c.own[:0]
	if c.work.options.DataIntegrity {
		c.reserve(1)
	}
	c.append(field)
}

func (c *Client) reserve(fields int) {
	if need := fields * c.work.options.FieldLength; cap(c.own) < need {
		c.own = make([]byte, 0, need)
	}
}

func (c *Client) append(field int) {
	o := &c.work.options
	var value []byte
	if o.DataIntegrity {
		begin := len(c.own)
		c.own = c.work.values.appendOwn(c.own, c.next.Key, field, o.FieldLength)
		value = c.own[begin:]
	} else {
		value = c.work.values.random(&c.random, o.FieldLength)
	}
	c.next.Write = append(c.next.Write, Field{field, value})
}

// Verify returns ErrWrongValue if dataIntegrity is set and the value does not belong to the field.
func (c *Client) Verify(key []byte, field int, value []byte) (err error) {
	if !c.work.options.DataIntegrity {
		return nil
	}
	c.expected, err = c.work.values.verify(c.expected, key, field, value, c.work.options.FieldLength)

	return err
}
