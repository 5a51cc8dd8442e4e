package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
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
		rows, err := (&asking{session: &c.fake}).Operation()
		if rows != c.fake.rows || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %d rows, error %v", c.fake, rows, err)
		}
	}
}

func TestRowsThatTheServerDoesNotTakeAreAFailure(t *testing.T) {
	for _, lost := range []int64{0, 1} {
		f := &fake{lost: lost}
		r, err := crew.Run(1, 3, 0, func(int) (crew.Work, error) { return newAppending(f, "t", "WISH", time.Now()) })
		if err != nil {
			t.Fatal(err)
		}
		if f.taken != 3*batch || r.Failed != int(lost) || r.Rows != (3-lost)*batch {
			t.Errorf("%d lost: %d taken, %d failed, %d rows", lost, f.taken, r.Failed, r.Rows)
		}
		if len(f.executed) != 2 || f.executed[1] != "drop table t" {
			t.Errorf("executed %q", f.executed)
		}
	}
}

func TestATableIsDroppedThatCannotBeAppendedTo(t *testing.T) {
	f := &fake{err: errors.New("broken")}
	if _, err := newAppending(f, "t", "WISH", time.Now()); err == nil || f.executed[len(f.executed)-1] != "drop table t" {
		t.Errorf("executed %q, error %v", f.executed, err)
	}
}
