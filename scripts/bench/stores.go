package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const plainKeys = 10_000

const patience = 10 * time.Second

var value = bytes.Repeat([]byte("x"), 100) //nolint:gochecknoglobals // a constant

func key(i int) string { return fmt.Sprintf("plain-%012d", i) }

func anyKey() string { return key(rand.IntN(plainKeys)) }

// once fills a store before the first client works.
var once sync.Once //nolint:gochecknoglobals // of this process

func fill(set func(key string) error) (err error) {
	once.Do(func() {
		for i := range plainKeys {
			if err = set(key(i)); err != nil {
				return
			}
		}
	})

	return err
}

var errValue = errors.New("get gave another value than was set")

func isValue(got []byte, err error) error {
	if err == nil && !bytes.Equal(got, value) {
		return errValue
	}

	return err
}

func connectMemcached(address string, _ int) (client, error) {
	c := memcache.New(address)
	c.MaxIdleConns, c.Timeout = 1, patience
	err := fill(func(key string) error { return c.Set(&memcache.Item{Key: key, Value: value}) })

	return client{func() error {
		item, err := c.Get(anyKey())
		if err != nil {
			return err
		}

		return isValue(item.Value, nil)
	}, c.Close}, err
}

func connectRedis(address string, _ int) (client, error) {
	options, err := redis.ParseURL(address)
	if err != nil {
		return client{}, err
	}
	options.PoolSize, options.ReadTimeout = 1, patience
	c := redis.NewClient(options)
	ctx := context.Background()
	err = fill(func(key string) error { return c.Set(ctx, key, value, 0).Err() })

	return client{func() error { return isValue(c.Get(ctx, anyKey()).Bytes()) }, c.Close}, err
}

const rollup = `select /*+ SCAN_FORWARD(stock_rollup_1m) */ code, time,
 sum(sum_price) / sum(cnt) as avg_price, sum(sum_volume) as total_volume,
 sum(sum_bid) / sum(cnt) as avg_bid, sum(sum_ask) / sum(cnt) as avg_ask
 from stock_rollup_1m where code = ? and time between ? and ? group by code, time order by time limit ?`

func connectMachbase(address string, _ int) (client, error) {
	const code = "WISH" // loaded by scenarios/stock-load.js
	u, err := url.Parse(address)
	if err != nil {
		return client{}, errors.New("MACHBASE_URL is no URL")
	}
	password, _ := u.User.Password()
	c, err := cmi.Connect(context.Background(), cmi.Config{
		Addresses: []string{net.JoinHostPort(u.Hostname(), u.Port())}, User: u.User.Username(), Password: password, StatementCache: cmi.CacheAuto,
	})
	if err != nil {
		return client{}, err
	}
	to := time.Now().Add(-2 * time.Minute)
	from := to.Add(-time.Hour)

	return client{func() error {
		rows, err := c.Query(context.Background(), rollup, code, from, to, 100)
		if err != nil {
			return err
		}
		n := 0
		for ; rows.Next(); n++ {
			if got := string(rows.Bytes(0)); got != code {
				return errors.Join(fmt.Errorf("a row of code %q", got), rows.Close())
			}
			_ = rows.Time(1)
			for column := 2; column < 6; column++ {
				_ = rows.Float64(column)
			}
		}
		err = rows.Close()
		if err == nil && n == 0 {
			err = errors.New("the answer has no rows: load the data with scenarios/stock-load.js")
		}

		return err
	}, c.Close}, nil
}

const request, get, put, publish = "request", "get", "put", "publish"

func connectNATS(kind string) func(string, int) (client, error) {
	return func(address string, number int) (client, error) {
		c, err := nats.Connect(address, nats.NoReconnect())
		if err != nil {
			return client{}, err
		}
		subject := fmt.Sprintf("bench.plain.%d", number)
		closed := func() error { c.Close(); return nil } //nolint:unparam // the signature of a client's close
		switch kind {
		case request:
			answerer, err := nats.Connect(address, nats.NoReconnect())
			if err != nil {
				return client{}, err
			}
			if _, err := answerer.Subscribe(subject, func(m *nats.Msg) { _ = m.Respond(m.Data) }); err != nil { // the requester sees a missing answer
				return client{}, err
			}

			return client{
				func() error { _, err := c.Request(subject, value, patience); return err },
				func() error { answerer.Close(); return closed() },
			}, answerer.Flush()
		case publish:
			return client{func() error {
				for range publishBatch {
					if err := c.Publish(subject, value); err != nil {
						return err
					}
				}

				return c.FlushTimeout(patience)
			}, closed}, nil
		}
		kv, err := bucket(c)
		if err != nil {
			return client{}, err
		}
		ctx := context.Background()
		err = fill(func(key string) error { _, err := kv.Put(ctx, key, value); return err })
		if kind == put {
			return client{func() error { _, err := kv.Put(ctx, anyKey(), value); return err }, closed}, err
		}

		return client{func() error {
			entry, err := kv.Get(ctx, anyKey())
			if err != nil {
				return err
			}

			return isValue(entry.Value(), nil)
		}, closed}, err
	}
}

func bucket(c *nats.Conn) (jetstream.KeyValue, error) {
	js, err := jetstream.New(c)
	if err != nil {
		return nil, err
	}

	return js.CreateOrUpdateKeyValue(context.Background(), jetstream.KeyValueConfig{Bucket: "bench-plain"})
}

const (
	selectRow = "select abalance from pgbench_accounts where aid = $1"
	insertRow = "insert into pgbench_history (tid, bid, aid, delta, mtime) values (1, 1, $1, 7, current_timestamp)"
)

func connectPostgres(statement string) func(string, int) (client, error) {
	return func(address string, _ int) (client, error) {
		ctx := context.Background()
		c, err := pgx.Connect(ctx, address)
		if err != nil {
			return client{}, err
		}
		operation := func() error {
			var balance int

			return c.QueryRow(ctx, statement, 1+rand.IntN(100_000)).Scan(&balance)
		}
		if strings.HasPrefix(statement, "insert") {
			operation = func() error { _, err := c.Exec(ctx, statement, 1+rand.IntN(100_000)); return err }
		}

		return client{operation, func() error { return c.Close(ctx) }}, nil
	}
}

func connectEmpty(string, int) (client, error) {
	function, err := sobek.New().RunString("() => {}")
	if err != nil {
		return client{}, err
	}
	call, ok := sobek.AssertFunction(function)
	if !ok {
		return client{}, errors.New("it is no function")
	}

	return client{func() error { _, err := call(sobek.Undefined()); return err }, func() error { return nil }}, nil
}
