//go:build linux && !portable

package eventloop_test

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// asking is a job in turns: each reads the answer to what the one before has asked.
type asking struct {
	*client

	seat        *eventloop.Seat
	asked, want int
}

func (a *asking) turn() (more bool, err error) {
	a.Use(a.seat)
	if a.asked > 0 {
		line, err := a.r.ReadString('\n')
		if err != nil {
			return false, err
		}
		if line != strconv.Itoa(a.asked)+"\n" {
			return false, errors.New("another answer: " + line)
		}
	}
	if a.asked == a.want {
		return false, nil
	}
	a.seat.Begin()
	a.asked++
	if _, err := io.WriteString(a, strconv.Itoa(a.asked)+"\n"); err != nil {
		return false, err
	}
	a.Rest()

	return true, nil
}

func TestJobsInTurns(t *testing.T) {
	t.Parallel()
	for name, talk := range map[string]func(net.Conn){
		"whole": echo,
		"in pieces": func(conn net.Conn) {
			converse(conn, func(line string) error {
				for i := range line { // the turn waits in the middle
					if _, err := io.WriteString(conn, line[i:i+1]); err != nil {
						return err
					}
					time.Sleep(100 * time.Microsecond)
				}

				return nil
			})
		},
	} {
		address := serve(t, "tcp", talk)
		var loops eventloop.Loops
		var all sync.WaitGroup
		for number := range 40 {
			a := &asking{client: newClient(dial(t, "tcp", address)), seat: loops.Seat()}
			a.seat.Memory = append(a.seat.Memory, eventloop.MemoryOf(a))
			all.Go(func() {
				for round := range 3 {
					a.asked, a.want = 0, 50
					assert.NoError(t, a.seat.Turns(number+round, a.turn), name)
					assert.Equal(t, a.want, a.asked)
				}
			})
		}
		all.Wait()
	}
}

// A job whose turn is over without a word to anybody goes on after the others.
func TestTurnsWithoutAConnection(t *testing.T) {
	t.Parallel()
	var loops eventloop.Loops
	var order []int
	var all sync.WaitGroup
	begun := make(chan struct{})
	for number := range 2 {
		turns := 0
		all.Go(func() {
			assert.NoError(t, loops.Seat().Turns(0, func() (bool, error) {
				switch turns++; {
				case number == 0 && turns == 1:
					close(begun)
				case turns == 1:
					order = order[:0] // both are there from here on
				}
				order = append(order, number)

				return turns < 2000, nil
			}))
		})
		<-begun
	}
	all.Wait()
	for i := 1; i < len(order) && order[i] != order[i-1]; i++ {
		if i == 100 {
			return
		}
	}
	if len(order) > 2000 {
		require.Fail(t, "one of them had two turns in a row", "%v", order[:110])
	}
}

func TestTurnsThatFail(t *testing.T) {
	t.Parallel()
	address := serve(t, "tcp", func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }) // it never answers
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		happens func(a *asking) error
		before  func(a *asking)
		want    func(err error) bool
	}{
		"an error":  {happens: func(*asking) error { return broken }, want: func(err error) bool { return errors.Is(err, broken) }},
		"a panic":   {happens: func(*asking) error { panic("turn") }, want: crash.Is},
		"its end":   {happens: func(*asking) error { runtime.Goexit(); return nil }, want: func(err error) bool { return err != nil }},
		"a timeout": {before: func(a *asking) { _ = a.SetDeadline(time.Now().Add(20 * time.Millisecond)) }, want: func(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }},
		"an interrupt": {before: func(a *asking) {
			time.AfterFunc(20*time.Millisecond, func() { _ = a.SetDeadline(time.Unix(1, 0)) })
		}, want: func(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }},
		"a close": {before: func(a *asking) {
			time.AfterFunc(20*time.Millisecond, func() { _ = a.Close() })
		}, want: func(err error) bool { return errors.Is(err, net.ErrClosed) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var loops eventloop.Loops
			a := &asking{client: newClient(dial(t, "tcp", address)), seat: loops.Seat(), want: 5}
			turns := 0
			if c.before != nil {
				c.before(a)
			}
			err := a.seat.Turns(0, func() (bool, error) {
				if turns++; turns == 2 && c.happens != nil {
					return true, c.happens(a)
				}
				if turns == 1 && c.happens != nil {
					return true, nil
				}

				return a.turn()
			})
			require.True(t, c.want(err), "%v", err)
			require.Equal(t, 2, turns)
			require.NoError(t, a.seat.Do(0, func() error { return nil }), "another one")
		})
	}
}
