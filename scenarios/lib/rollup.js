// The published roll-up query: one hour of a stock by minutes, 60 rows. Source: machbase/neo-tester
// at b95bed6, stockgo -rollup.
import { lastMinutes, oneLine } from './stock.js';

export const query = oneLine(`
  select /*+ SCAN_FORWARD(stock_rollup_1m) */ code, time,
         sum(sum_price) / sum(cnt) as avg_price, sum(sum_volume) as total_volume,
         sum(sum_bid) / sum(cnt) as avg_bid, sum(sum_ask) / sum(cnt) as avg_ask
    from stock_rollup_1m
   where code = ? and time between ? and ?
   group by code, time order by time limit ?`);

/** The least number of rows in an answer. */
export const least = 60;

/** The last complete hour. */
export const params = () => lastMinutes(60, 2);
