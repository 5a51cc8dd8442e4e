package wire

import "sync/atomic"

// Target is a Pool or a Cluster, shared by any number of clients.
type Target interface {
	// Close closes the idle connections now, and the others after their operations. Later
	// operations fail.
	Close()

	settings() *Options
	maxKey() int // maximum length of a key in bytes
	connect(c *Client) *Error
	do(c *Client, key []byte) *Error
}

// Pool holds the connections to one server.
type Pool struct {
	options Options
	threads []*thread
}

// NewPool returns the pool of the server at host:port. It connects when needed. It returns an error
// if the address or an option is invalid.
func NewPool(address string, options Options) (*Pool, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	p := &Pool{options: options}
	p.threads = newThreads(address, &p.options)

	return p, nil
}

func newThreads(address string, options *Options) []*thread {
	threads, greeted := make([]*thread, options.Threads), &atomic.Int64{}
	for i := range threads {
		threads[i] = &thread{options: options, address: address, number: i, greeted: greeted}
	}

	return threads
}

// Close closes the idle connections now, and the others after their operations. Later operations
// fail.
func (p *Pool) Close() {
	for _, t := range p.threads {
		t.close()
	}
}

func (p *Pool) settings() *Options { return &p.options }

func (p *Pool) maxKey() int { return maxKey }

func (p *Pool) connect(c *Client) *Error {
	for _, t := range p.threads {
		if e := t.addOne(c); e != nil {
			return e
		}
	}

	return nil
}

func (p *Pool) do(c *Client, key []byte) *Error {
	h1, _ := Hash(key)
	c.key = append(c.key[:0], key...)

	return c.on(p.threads[p.options.Generation.Thread(h1, len(p.threads))])
}
