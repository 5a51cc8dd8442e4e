package ycsb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// Result counts a run.
type Result struct {
	Succeeded uint64
	Failed    uint64
	Wrong     uint64 // failed operations that read a wrong value
	Missing   uint64 // reads without a record; failures unless allowMisses is set

	Records       uint64 // records returned by scans
	BytesReceived uint64 // bytes of fields
	BytesSent     uint64
	Took          time.Duration
}

type runner struct {
	store    Store
	scanner  Scanner
	observer Observer
	result   Result
	read     reading
	expected []byte // buffer for Verify
}

type reading struct {
	keep    bool
	records int
	fields  int
	size    uint64
	bytes   []byte
	parts   []part

	record func(key []byte)
	got    func(field int, value []byte)
}

type part struct{ field, begin, end int }

const aKey = -1

// On sets and prepares the store for the next run. It returns an error if the store lacks an
// operation of the workload.
func (c *Client) On(store Store) error {
	c.store = store
	c.scanner, _ = store.(Scanner)
	if c.work.options.Mix.Scan > 0 && c.scanner == nil {
		return errors.New("option mix.scan: this store cannot read records in the order of their keys")
	}
	if limited, is := store.(Limited); is {
		if err := limited.Prepare(&c.work.options); err != nil {
			return err
		}
	}
	r := &c.read
	if r.got != nil {
		return nil
	}
	r.keep = c.work.options.DataIntegrity
	r.record = func(key []byte) {
		r.records++
		r.part(aKey, key)
	}
	r.got = func(field int, value []byte) {
		r.fields++
		r.size += uint64(len(value))
		r.part(field, value)
	}

	return nil
}

func (r *reading) begin() {
	r.records, r.fields, r.size, r.bytes, r.parts = 0, 0, 0, r.bytes[:0], r.parts[:0]
}

func (r *reading) part(field int, text []byte) {
	if !r.keep && field != aKey {
		return
	}
	begin := len(r.bytes)
	r.bytes = append(r.bytes, text...)
	r.parts = append(r.parts, part{field, begin, len(r.bytes)})
}

// Run does operations of the workload and reports each to the observer. It returns early with the
// observer's error.
func (c *Client) Run(ctx context.Context, observer Observer, iterations int) (Result, error) {
	left := iterations

	return c.while(ctx, observer, func() bool { left--; return left >= 0 }, c.Next)
}

// RunLoad inserts records of the load phase until all are claimed or iterations are done; 0 means
// all.
func (c *Client) RunLoad(ctx context.Context, observer Observer, load *Load, iterations int) (Result, error) {
	done := 0
	more := func() bool { done++; return (iterations == 0 || done <= iterations) && load.Left() > 0 }

	return c.while(ctx, observer, more, func() *Operation {
		record, left := load.Claim()
		if !left {
			return nil
		}

		return c.Load(record)
	})
}

func (c *Client) while(ctx context.Context, observer Observer, more func() bool, next func() *Operation) (Result, error) {
	c.observer, c.result = observer, Result{}
	start := clock.Now()
	var err error
	for more() {
		if err = observer.Next(ctx, 1); err != nil {
			break
		}
		operation := next()
		if operation == nil {
			break
		}
		c.do(operation)
	}
	c.result.Took = clock.Since(start)

	return c.result, err
}

func (c *Client) do(o *Operation) {
	c.read.begin()
	var found bool
	var err error
	var middle time.Duration
	begin := clock.Now()
	switch o.Op { //nolint:exhaustive // the last one is by default
	case Read:
		found, err = c.store.Read(o.Key, o.Field, c.read.got)
	case Update:
		err = c.store.Update(o.Key, o.Write)
	case Insert:
		err = c.store.Insert(o.Key, o.Write)
	case Scan:
		err = c.scanner.Scan(o.Key, o.Length, o.Field, c.read.record, c.read.got)
	default:
		if found, err = c.store.Read(o.Key, o.Field, c.read.got); err == nil && (found || c.work.options.AllowMisses) {
			middle = clock.Now()
			err = c.store.Update(o.Key, o.Write)
		}
	}
	end := clock.Now()
	c.Inserted(err == nil)
	if err == nil {
		err = c.check(o, found)
	}
	if err == nil {
		c.result.BytesReceived += c.read.size
		for i := range o.Write {
			c.result.BytesSent += uint64(len(o.Write[i].Value))
		}
		c.result.Succeeded++
		if o.Op == ReadModifyWrite {
			c.observer.Parts(middle-begin, end-middle)
		}
		c.observer.Ok(o.Op, end-begin)

		return
	}
	c.result.Failed++
	c.observer.Fail(o.Op, err, end-begin)
}

func (c *Client) check(o *Operation, found bool) error {
	options := &c.work.options
	fields := 1
	if o.Field == AllFields {
		fields = options.FieldCount
	}
	switch o.Op { //nolint:exhaustive // there are no others
	case Update, Insert:
		return nil
	case Scan:
		if err := c.checkScan(o); err != nil {
			return err
		}
		fields *= c.read.records
	case Read, ReadModifyWrite:
		if !found {
			c.result.Missing++
			if options.AllowMisses {
				return nil
			}

			return ErrMissing
		}
	}
	if c.read.fields != fields {
		return fmt.Errorf("%w: %d instead of %d", ErrIncomplete, c.read.fields, fields)
	}

	return c.verify(o.Key)
}

func (c *Client) checkScan(o *Operation) error {
	c.result.Records += uint64(c.read.records)
	if c.read.records == 0 {
		c.result.Missing++

		return ErrMissing
	}
	if c.read.records > o.Length {
		return ErrTooMany
	}
	last := o.Key
	for i := range c.read.parts {
		p := &c.read.parts[i]
		if p.field != aKey {
			continue
		}
		key := c.read.bytes[p.begin:p.end]
		if bytes.Compare(key, last) < 0 {
			return ErrUnordered
		}
		last = key
	}

	return nil
}

func (c *Client) verify(key []byte) error {
	if !c.read.keep {
		return nil
	}
	for i := range c.read.parts {
		p := &c.read.parts[i]
		text := c.read.bytes[p.begin:p.end]
		if p.field == aKey {
			key = text

			continue
		}
		if err := c.Verify(key, p.field, text); err != nil {
			c.result.Wrong++

			return err
		}
	}

	return nil
}
