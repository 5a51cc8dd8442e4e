// The published union sweep: the roll-up of the last hour, except its last two minutes, which come
// from newer rows; 60 or 61 rows per operation. UNION=1m takes them from the ticks, UNION=1s from
// the roll-up by seconds (load it with SECONDS=true). Source: machbase/neo-tester, stock -union.
// The published query has no upper bound, because a live system has no rows in the future.
// Preloaded data needs one. Settings: see README.md.
import sweep from 'k6/x/sweep';
import { describe, duet, lookup, machbase, newClient, oneLine } from './lib/stock.js';

const env = sweep.settings({ ...machbase, CODE: 'WISH', UNION: ['1m', '1s'], IN_GO: false }, { base: [...duet, 'UNION', 'IN_GO'] });
const db = newClient(env);
const base = env.base && newClient(env.base);

const sums = `sum(sum_price) / sum(cnt) as avg_price, sum(sum_volume) as total_volume,
         sum(sum_bid) / sum(cnt) as avg_bid, sum(sum_ask) / sum(cnt) as avg_ask`;
const newer = {
  '1m': { table: 'stock_tick', columns: `avg(price) as avg_price, sum(volume) as total_volume,
         avg(bid_price) as avg_bid, avg(ask_price) as avg_ask` },
  '1s': { table: 'stock_rollup_1s', columns: sums },
};

const union = ({ CODE, UNION }) => ({
  query: oneLine(`
  select date_trunc('minute', time) as mtime, ${sums}
    from stock_rollup_1m
   where code = ?
     and time >= date_trunc('minute', sysdate) - 60m and time < date_trunc('minute', sysdate) - 2m
   group by mtime order by mtime
   union all
  select date_trunc('minute', time) as mtime, ${newer[UNION].columns}
    from ${newer[UNION].table}
   where code = ? and time >= date_trunc('minute', sysdate) - 2m and time <= sysdate
   group by mtime order by mtime`),
  params: Object.freeze([CODE, CODE]),
  minRows: 60,
});

export const options = sweep.options({
  scenario: 'stock-union', op: 'union', clients: [1, 8, 16, 32, 64, 128, 512], iterations: 10000, warmup: '2s', pause: '1s', maxDuration: '1h',
});

export function setup() {
  describe('stock-union', env, union, db, base);
}

export default function () {
  sweep.run({ change: lookup(db, env, union(env)), base: base && lookup(base, env.base, union(env.base)) });
}

export const handleSummary = (data) => sweep.report(data);
