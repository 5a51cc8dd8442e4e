package wire

import (
	"bytes"
	"encoding/json"
	"time"
)

// Bucket is a key-value bucket that allows direct gets and mirrors no other bucket.
type Bucket struct {
	get, put, stream []byte
	ack              []byte
}

// NewBucket returns the bucket with this name.
func NewBucket(name string) *Bucket {
	stream := "KV_" + name

	return &Bucket{
		get: []byte("$JS.API.DIRECT.GET." + stream + ".$KV." + name + "."), put: []byte("$KV." + name + "."),
		stream: []byte(stream), ack: []byte(`{"stream":"` + stream + `",`),
	}
}

// Headers of records.
const (
	headerOperation = "KV-Operation"
	operationDelete = "DEL"
	operationPurge  = "PURGE"
)

var (
	deleteMark = EncodeHeader(nil, headerOperation, operationDelete)                                    //nolint:gochecknoglobals // a constant
	purgeMark  = EncodeHeader(EncodeHeader(nil, headerOperation, operationPurge), "Nats-Rollup", "sub") //nolint:gochecknoglobals // a constant
)

// Get reads the value of a key, if it exists. The value is valid until the connection's next call.
func (c *Conn) Get(b *Bucket, key []byte, timeout time.Duration) (value []byte, found bool, err error) {
	c.subject = append(append(c.subject[:0], b.get...), key...)
	m, err := c.ask(nil, nil, timeout)
	if err != nil {
		return nil, false, err
	}
	if code, description := m.header.status(); len(m.Data) == 0 && code != nil {
		if string(code) == "404" {
			return nil, false, nil
		}

		return nil, false, Errorf(KindServer, "the server answers with status %.20s: %.100s", code, description)
	}
	found, err = b.record(m.header, c.subject[len(b.get)-len(b.put):])
	if err != nil || !found {
		return nil, false, err
	}

	return m.Data, true, nil
}

func (b *Bucket) record(h header, subject []byte) (found bool, err error) {
	var stream, sequence, at, of, operation, reason []byte
	whole := h.each(func(name, value []byte) {
		switch string(name) {
		case "Nats-Stream":
			stream = value
		case "Nats-Sequence":
			sequence = value
		case "Nats-Time-Stamp":
			at = value
		case "Nats-Subject":
			of = value
		case headerOperation:
			operation = value
		case "Nats-Marker-Reason":
			reason = value
		}
	})
	_, counted := number(sequence)
	if !whole || !counted || len(at) == 0 || !bytes.Equal(stream, b.stream) || !bytes.Equal(of, subject) {
		return false, Errorf(KindProtocol, "the server's answer does not fit a get of %.100s: its header is %s", subject, quoted(h))
	}
	switch string(operation) {
	case operationDelete, operationPurge:
		return false, nil
	case "":
		return !isMarker(reason), nil
	}

	return true, nil
}

func isMarker(reason []byte) bool {
	switch string(reason) {
	case "MaxAge", "Purge", "Remove":
		return true
	}

	return false
}

// Put stores a value.
func (c *Conn) Put(b *Bucket, key, value []byte, timeout time.Duration) error {
	return c.store(b, key, nil, value, timeout)
}

// Delete stores a delete marker; older revisions stay.
func (c *Conn) Delete(b *Bucket, key []byte, timeout time.Duration) error {
	return c.store(b, key, deleteMark, nil, timeout)
}

// Purge removes all revisions of the key and stores a purge marker.
func (c *Conn) Purge(b *Bucket, key []byte, timeout time.Duration) error {
	return c.store(b, key, purgeMark, nil, timeout)
}

func (c *Conn) store(b *Bucket, key, header, value []byte, timeout time.Duration) error {
	c.subject = append(append(c.subject[:0], b.put...), key...)
	m, err := c.ask(header, value, timeout)
	if IsKind(err, KindNoResponders) && !c.noJetStream {
		return errNoStream
	}
	if err != nil {
		return c.unanswered(err)
	}

	return b.acknowledged(m.Data)
}

func (c *Conn) unanswered(err error) error {
	if c.noJetStream && IsKind(err, KindNoResponders) {
		return Errorf(KindServer, "JetStream is not enabled on the server: start nats-server with -js")
	}

	return err
}

var errNoStream = Errorf(KindNoResponders, "no response from stream")

func (b *Bucket) acknowledged(said []byte) error {
	if b.isPlain(said) {
		return nil
	}
	var answer struct {
		Stream string    `json:"stream"`
		Error  *apiError `json:"error"`
	}
	switch err := json.Unmarshal(said, &answer); {
	case err == nil && answer.Error != nil:
		return answer.Error.told()
	case err != nil || answer.Stream != string(b.stream):
		return Errorf(KindProtocol, "the server's answer is not an acknowledgement of stream %s: %s", b.stream, quoted(said))
	}

	return nil
}

// Servers before 2.15.2 put a space before "seq".
func (b *Bucket) isPlain(said []byte) bool {
	rest, is := bytes.CutPrefix(said, b.ack)
	rest = bytes.TrimPrefix(rest, []byte(" "))
	digits, named := bytes.CutPrefix(rest, []byte(`"seq":`))
	digits, whole := bytes.CutSuffix(digits, []byte("}"))
	_, counted := number(digits)

	return is && named && whole && counted
}

type apiError struct {
	Code        int    `json:"code"`
	ErrorCode   int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) told() *Error {
	return &Error{Kind: KindServer, Code: e.ErrorCode, Message: e.Description}
}

// streamNotFound is JSStreamNotFoundErr in the server's errors.json.
const streamNotFound = 10059

// Facing is how a bucket can be used.
type Facing int

// Results of LookUp.
const (
	Missing Facing = iota
	// Direct: with Get, Put, Delete and Purge.
	Direct
	// Otherwise: not directly, because it does not allow direct gets or mirrors another bucket.
	Otherwise
)

// LookUp asks the server for the bucket with this name, which may have letters, digits, - and _.
func (c *Conn) LookUp(name string, timeout time.Duration) (Facing, error) {
	m, err := c.Request("$JS.API.STREAM.INFO.KV_"+name, nil, nil, timeout)
	if err != nil {
		return Missing, c.unanswered(err)
	}
	var answer struct {
		Error  *apiError `json:"error"`
		Config *struct {
			MostOfSubject int64           `json:"max_msgs_per_subject"`
			Direct        bool            `json:"allow_direct"`
			Mirror        json.RawMessage `json:"mirror"`
		} `json:"config"`
	}
	switch err := json.Unmarshal(m.Data, &answer); {
	case err == nil && answer.Error != nil && answer.Error.ErrorCode == streamNotFound:
		return Missing, nil
	case err == nil && answer.Error != nil:
		return Missing, answer.Error.told()
	case err != nil || answer.Config == nil:
		return Missing, Errorf(KindProtocol, "the server's answer does not describe a stream: %s", quoted(m.Data))
	case answer.Config.MostOfSubject < 1 || !answer.Config.Direct || len(answer.Config.Mirror) > 0:
		return Otherwise, nil
	}

	return Direct, nil
}
