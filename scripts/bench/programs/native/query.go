package main

import "time"

// limit is the published number of rows at most.
const limit = 100

// query is one of the published operations.
type query struct {
	sql    string
	before time.Duration // the window ends this long before now
	window time.Duration
}

// params are the values bound to a query.
type params struct {
	code     string
	from, to time.Time
	limit    int
}

// params are computed once per client, as the original does.
func (q query) params(code string, now time.Time) params {
	to := now.Add(-q.before)
	return params{code: code, from: to.Add(-q.window), to: to, limit: limit}
}

// queries are the published texts. The hint has to follow the first word: machgo
// returns no columns for a statement that starts with a comment.
var queries = map[string]query{ //nolint:gochecknoglobals // a constant
	"rollup": {
		before: 2 * time.Minute,
		window: time.Hour,
		sql: `select /*+ SCAN_FORWARD(stock_rollup_1m) */ code, time,
 sum(sum_price) / sum(cnt) as avg_price,
 sum(sum_volume) as total_volume,
 sum(sum_bid) / sum(cnt) as avg_bid,
 sum(sum_ask) / sum(cnt) as avg_ask
 from stock_rollup_1m
 where code = ? and time between ? and ?
 group by code, time order by time limit ?`,
	},
	"tick": {
		window: time.Minute,
		sql: `select code, time, price, volume, bid_price, ask_price
 from stock_tick
 where code = ? and time between ? and ?
 order by time limit ?`,
	},
}
