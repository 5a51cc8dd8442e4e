package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// fake is a session and its appender, without a server.
type fake struct {
	rows     int64
	err      error
	taken    int64
	lost     int64
	executed []string
}

func (f *fake) query(string, *params) (int64, error) { return f.rows, f.err }
func (f *fake) appender(string) (appender, error)    { return fakeAppender{f}, f.err }
func (f *fake) close() error                         { return nil }
func (f *fake) exec(sql string) error                { f.executed = append(f.executed, sql); return nil }

type fakeAppender struct{ *fake }

func (f fakeAppender) append(*tick) error { f.taken++; return nil }
func (f fakeAppender) close() (cmi.Receipt, error) {
	return cmi.Receipt{Accepted: f.taken - f.lost, Rejected: f.lost}, nil
}

func TestAnAnswerWithoutRowsIsAFailure(t *testing.T) {
	for _, c := range []struct {
		fake fake
		says string
	}{
		{fake{rows: 60}, ""},
		{fake{}, "is the data loaded"},
		{fake{rows: 3, err: errors.New("broken")}, "broken"},
	} {
		rows, err := (&asking{session: &c.fake}).operation()
		if rows != c.fake.rows || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %d rows, error %v", c.fake, rows, err)
		}
	}
}

func TestRowsThatTheServerDoesNotTakeAreAFailure(t *testing.T) {
	for _, lost := range []int64{0, 1} {
		f := &fake{lost: lost}
		w, err := newAppending(f, "t", "WISH", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		c := &client{session: f, work: w, table: "t", latency: hdrhistogram.New(1000, int64(time.Hour), 3)}
		c.measure(3)
		if f.taken != 3*batch || c.failed != int(lost) || c.rows != (3-lost)*batch {
			t.Errorf("%d lost: %d taken, %d failed, %d rows", lost, f.taken, c.failed, c.rows)
		}
		if err := c.close(); err != nil || len(f.executed) != 2 || f.executed[1] != "drop table t" {
			t.Errorf("executed %q, error %v", f.executed, err)
		}
	}
}

func TestATableIsDroppedThatCannotBeAppendedTo(t *testing.T) {
	f := &fake{err: errors.New("broken")}
	if _, err := newAppending(f, "t", "WISH", time.Now()); err == nil || f.executed[len(f.executed)-1] != "drop table t" {
		t.Errorf("executed %q, error %v", f.executed, err)
	}
}
