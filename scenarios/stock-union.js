// The published union sweep: the roll-up of the last hour, except its last two minutes, which come
// from newer rows; 60 or 61 rows per operation. UNION=1m takes them from the ticks, UNION=1s from
// the roll-up by seconds (load it with SECONDS=true). Source: machbase/neo-tester, stock -union.
// The published query has no upper bound, because a live system has no rows in the future.
// Preloaded data needs one. Settings: see README.md.
import { code, factsOf, isInGo, newBase, newClient, oneLine, prepare, sweepQuery } from './lib/stock.js';
import { oneOf } from './lib/settings.js';
import { sweepOptions, sweepReport } from './lib/sweeping.js';

const sums = `sum(sum_price) / sum(cnt) as avg_price, sum(sum_volume) as total_volume,
         sum(sum_bid) / sum(cnt) as avg_bid, sum(sum_ask) / sum(cnt) as avg_ask`;

const freshOf = {
  '1m': { table: 'stock_tick', columns: `avg(price) as avg_price, sum(volume) as total_volume,
         avg(bid_price) as avg_bid, avg(ask_price) as avg_ask` },
  '1s': { table: 'stock_rollup_1s', columns: sums },
};

function queryOf(fresh) {
  return oneLine(`
  select date_trunc('minute', time) as mtime, ${sums}
    from stock_rollup_1m
   where code = ?
     and time >= date_trunc('minute', sysdate) - 60m and time < date_trunc('minute', sysdate) - 2m
   group by mtime order by mtime
   union all
  select date_trunc('minute', time) as mtime, ${fresh.columns}
    from ${fresh.table}
   where code = ? and time >= date_trunc('minute', sysdate) - 2m and time <= sysdate
   group by mtime order by mtime`);
}

const query = () => queryOf(freshOf[oneOf('UNION', ['1m', '1s'], '1m')]);

const params = [code, code];

/** The least number of rows in an answer. */
const least = 60;

const db = newClient();
const base = newBase('stock-union', query, ['UNION', 'IN_GO']);

export const options = sweepOptions('stock-union', 'union');

export function setup() {
  prepare(db, query(), params, least, undefined, factsOf(db, isInGo()), base);
}

export default function () {
  sweepQuery(db, query(), params, least, undefined, base);
}

export const handleSummary = sweepReport;
