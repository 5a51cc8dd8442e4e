package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// connect opens a client's own connection. The number tells its table from those of the others.
func (s settings) connect(number int) (crew.Work, error) {
	w, err := s.work(number)
	if err == nil && s.turns {
		w = inTurns{w}
	}
	return w, err
}

func (s settings) work(number int) (crew.Work, error) {
	own, err := drivers[s.driver](s)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s:%d: %w", s.host, s.port, err)
	}
	if !s.append {
		return &asking{own, s.query.sql, s.query.params(s.code, time.Now())}, nil
	}
	w, err := newAppending(own, fmt.Sprintf("bench_append_%d_%d", os.Getpid(), number), s.code, time.Now())
	if err != nil {
		return nil, errors.Join(err, own.close())
	}
	return w, nil
}
