// The published stock roll-up sweep: an hour of one stock's minutes, 60 rows an operation.
// Source: machbase/neo-tester at b95bed6, stockgo -rollup. Settings: see README.md.
import { code, lastMinutes, newClient, oneLine, prepare, sweepQuery } from './lib/stock.js';
import { sweepOptions, sweepReport } from './lib/sweeping.js';

const query = oneLine(`
  select /*+ SCAN_FORWARD(stock_rollup_1m) */ code, time,
         sum(sum_price) / sum(cnt) as avg_price, sum(sum_volume) as total_volume,
         sum(sum_bid) / sum(cnt) as avg_bid, sum(sum_ask) / sum(cnt) as avg_ask
    from stock_rollup_1m
   where code = ? and time between ? and ?
   group by code, time order by time limit ?`);

/** Rows of an answer, at least. */
const least = 60;

const db = newClient();

export const options = sweepOptions('stock-rollup', 'rollup');

export function setup() {
  prepare(db, query, lastMinutes(60, 2), least);
}

export default function () {
  sweepQuery(db, query, lastMinutes(60, 2), least, { code });
}

export const handleSummary = sweepReport;
