package wire

type replyStatus struct {
	code    int64
	message string
	hresult int64
}

// A missing code is 0, whatever code means success.
func (v *replyStatus) read(s *statusFields, bytes []byte) error {
	v.code = 0
	c := cursor{rest: bytes}
	for c.next() {
		switch {
		case c.is(s.code):
			v.code = s.code.int(c.scalar)
		case c.is(s.message):
			v.message = string(c.bytes)
		}
	}

	return c.err
}

// An hresult is COM's: a negative number in 32 bits is a failure.
func (v *replyStatus) err(s *statusFields, key string) error {
	switch said := oneLine(v.message, key); {
	case v.code != s.ok && said != "":
		return Errorf(KindCommand, "the gateway says: %s (protocol status %d)", said, v.code)
	case v.code != s.ok:
		return Errorf(KindCommand, "the gateway's protocol status is %d", v.code)
	case int32(v.hresult) < 0:
		return Errorf(KindCommand, "the command failed with hresult 0x%08X", uint32(v.hresult))
	default:
		return nil
	}
}

type openReply struct {
	schema *Schema
	status replyStatus
	opened Opened
}

// Opened is the gateway's description of a new session. Fields that its .proto does not have are ""
// or 0.
type Opened struct {
	SessionID                       string
	BackendName                     string
	GatewayProtocol, WorkerProtocol int64 // protocol versions
}

func (r *openReply) read(bytes []byte) error {
	f := &r.schema.open
	r.status.code = f.status.ok
	c := cursor{rest: bytes}
	for c.next() {
		switch {
		case c.is(f.session):
			r.opened.SessionID = string(c.bytes)
		case c.is(f.backend):
			r.opened.BackendName = string(c.bytes)
		case c.is(f.protocol):
			r.opened.GatewayProtocol = f.protocol.int(c.scalar)
		case c.is(f.worker):
			r.opened.WorkerProtocol = f.worker.int(c.scalar)
		case c.is(f.status.at):
			if err := r.status.read(&f.status, c.bytes); err != nil {
				return err
			}
		}
	}

	return c.err
}

type closeReply struct {
	schema *Schema
	status replyStatus
}

func (r *closeReply) read(bytes []byte) error {
	s := &r.schema.close.status
	r.status.code = s.ok
	c := cursor{rest: bytes}
	for c.next() {
		if c.is(s.at) {
			if err := r.status.read(s, c.bytes); err != nil {
				return err
			}
		}
	}

	return c.err
}

type commandReply struct {
	schema  *Schema
	status  replyStatus
	at      field
	payload reply
	there   bool
	size    int
}

func (r *commandReply) read(bytes []byte) error {
	f := &r.schema.invoke
	r.status = replyStatus{code: f.status.ok}
	r.there, r.size = false, len(bytes)
	c := cursor{rest: bytes}
	for c.next() {
		var err error
		switch {
		case c.is(r.at):
			r.there = true
			err = r.payload.read(c.bytes)
		case c.is(f.status.at):
			err = r.status.read(&f.status, c.bytes)
		case c.is(f.hresult):
			r.status.hresult = f.hresult.int(c.scalar)
		}
		if err != nil {
			return err
		}
	}

	return c.err
}

type registerReply struct {
	schema *Schema
	handle int64
}

func (r *registerReply) read(bytes []byte) error {
	f := r.schema.register.serverHandle
	c := cursor{rest: bytes}
	for c.next() {
		if c.is(f) {
			r.handle = f.int(c.scalar)
		}
	}

	return c.err
}

// Item is the result of subscribing to a tag, or of ending that.
type Item struct {
	Tag          string
	Handle       int64
	Successful   bool
	ErrorMessage string
}

type subscribeReply struct {
	schema *Schema
	items  []Item
}

func (r *subscribeReply) read(bytes []byte) error {
	f := &r.schema.subscription
	c := cursor{rest: bytes}
	for c.next() {
		if !c.is(f.payload.list) {
			continue
		}
		item, err := r.item(c.bytes)
		if err != nil {
			return err
		}
		r.items = append(r.items, item)
	}

	return c.err
}

func (r *subscribeReply) item(bytes []byte) (Item, error) {
	f := &r.schema.subscription
	item := Item{Successful: f.successful.number == 0} // without this field, every item was successful
	c := cursor{rest: bytes}
	for c.next() {
		switch {
		case c.is(f.tag):
			item.Tag = string(c.bytes)
		case c.is(f.handle):
			item.Handle = f.handle.int(c.scalar)
		case c.is(f.successful):
			item.Successful = c.scalar != 0
		case c.is(f.errorMessage):
			item.ErrorMessage = oneLine(string(c.bytes), "")
		}
	}

	return item, c.err
}

// Counts counts the results of a ReadBulk.
type Counts struct {
	Results int // one for each tag, including failed ones
	Cached  int // cached results among the successful ones
	Failed  int
}

func (c *Counts) add(successful, cached bool) {
	c.Results++
	switch {
	case !successful:
		c.Failed++
	case cached:
		c.Cached++
	}
}

// Add counts a result.
func (c *Counts) Add(r *Result) { c.add(r.Successful, r.Cached) }

type countReply struct {
	schema *Schema
	counts Counts
}

func (r *countReply) read(bytes []byte) error {
	list := r.schema.result.payload.list
	c := cursor{rest: bytes}
	for c.next() {
		if !c.is(list) {
			continue
		}
		if err := r.count(c.bytes); err != nil {
			return err
		}
	}

	return c.err
}

func (r *countReply) count(bytes []byte) error {
	f := &r.schema.result
	var successful, cached bool
	c := cursor{rest: bytes}
	for c.next() {
		switch {
		case c.is(f.successful):
			successful = c.scalar != 0
		case c.is(f.cached):
			cached = c.scalar != 0
		}
	}
	r.counts.add(successful, cached)

	return c.err
}
