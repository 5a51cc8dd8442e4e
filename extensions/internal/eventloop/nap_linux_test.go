//go:build !portable

package eventloop_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

func TestNapIsAnEighthOfABatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		clients, patient int
		batch, want      time.Duration
	}{
		{"all are patient", 3, 3, 2 * time.Millisecond, 250 * time.Microsecond},
		{"one waits for one answer", 3, 2, 2 * time.Millisecond, 0},
		{"none is patient", 3, 0, 2 * time.Millisecond, 0},
		{"too short to nap", 1, 1, 399 * time.Microsecond, 0},
		{"just long enough", 1, 1, 400 * time.Microsecond, 50 * time.Microsecond},
		{"as long as a nap may be", 3, 3, time.Second, 500 * time.Microsecond},
	} {
		require.Equal(t, tt.want, eventloop.Nap(tt.clients, tt.patient, tt.batch), tt.name)
	}
}

// Naps make waits fewer, and go on nevertheless until a server has all answers there at once.
func TestAnswersThatComeOneByOne(t *testing.T) {
	t.Parallel()
	require.Equal(t, []bool{false, false, true, true, true, false, false}, eventloop.Apart(1, 3, 4, 2, 8, 1, 2))
}

// inBatches answers each line with as many lines, one by one.
func inBatches(conn net.Conn) {
	converse(conn, func(line string) error {
		for i := range together {
			time.Sleep(20 * time.Microsecond)
			if _, err := fmt.Fprintf(conn, "%d %s", i, line); err != nil {
				return err
			}
		}

		return nil
	})
}

// together is how many answers are asked for at once.
const together = 20

// batchOf asks for a batch, and reads it.
func (c *client) batchOf(line string) error {
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		return err
	}
	for i := range together {
		c.Pending(together - i)
		got, err := c.r.ReadString('\n')
		if want := fmt.Sprintf("%d %s\n", i, line); err == nil && got != want {
			err = fmt.Errorf("%q came, and not %q", got, want)
		}
		if err != nil {
			return err
		}
	}
	c.Pending(0)

	return nil
}

// All answers come to those who asked for them, and others at the loop have theirs meanwhile.
func TestBatchesAtLoops(t *testing.T) {
	t.Parallel()
	batches, lines := serve(t, "tcp", inBatches), serve(t, "tcp", echo)
	var loops eventloop.Loops
	var all sync.WaitGroup
	for number := range 8 {
		address, ask := batches, (*client).batchOf
		if number >= 6 {
			address, ask = lines, (*client).ask
		}
		c, seat := newClient(dial(t, "tcp", address)), loops.Seat()
		all.Go(func() {
			assert.NoError(t, seat.Do(number, func() error {
				c.Use(seat)
				for i := range 10 {
					if err := ask(c, fmt.Sprint(number, i)); err != nil {
						return err
					}
				}

				return nil
			}))
		})
	}
	all.Wait()
}

// What a client asks for alone, and batches of nothing, tell nothing of how answers come.
func TestOnlyBatchesTellHowAnswersCome(t *testing.T) {
	t.Parallel()
	var loops eventloop.Loops
	c, seat := newClient(dial(t, "tcp", serve(t, "tcp", echo))), loops.Seat()
	require.NoError(t, seat.Do(0, func() error {
		c.Use(seat)
		time.Sleep(2 * time.Millisecond)
		c.Pending(0)
		for i := range 10 {
			if err := c.ask(fmt.Sprint(i)); err != nil {
				return err
			}
		}
		_, batches := eventloop.ComeApart(c.Conn)
		assert.Zero(t, batches)
		c.Pending(1)
		err := c.ask("a batch of one")
		c.Pending(0)
		apart, _ := eventloop.ComeApart(c.Conn)
		assert.False(t, apart)

		return err
	}))
}

// The deadline of a batch ends it, though the loop naps.
func TestDeadlineOfABatch(t *testing.T) {
	t.Parallel()
	const answered = 4
	address := serve(t, "tcp", func(conn net.Conn) {
		batches := 0
		converse(conn, func(line string) error {
			if batches++; batches > answered {
				return nil // and no answer
			}
			for i := range together {
				time.Sleep(time.Millisecond)
				if _, err := fmt.Fprintf(conn, "%d %s", i, line); err != nil {
					return err
				}
			}

			return nil
		})
	})
	var loops eventloop.Loops
	c, seat := newClient(dial(t, "tcp", address)), loops.Seat()
	done := 0
	err := seat.Do(0, func() error {
		c.Use(seat)
		for ; ; done++ {
			if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
				return err
			}
			if done == answered {
				apart, batches := eventloop.ComeApart(c.Conn)
				assert.True(t, apart)
				assert.NotZero(t, eventloop.Nap(1, 1, batches))
				if err := c.SetDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
					return err
				}
			}
			if err := c.batchOf("x"); err != nil {
				return err
			}
		}
	})
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, answered, done)
}
