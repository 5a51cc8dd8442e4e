// The published tick query: ticks of one stock. Source: machbase/neo-tester at b95bed6, stockgo
// without -rollup, and stockbench.
import { oneLine } from './stock.js';

export const query = oneLine(`
  select code, time, price, volume, bid_price, ask_price
    from stock_tick
   where code = ? and time between ? and ?
   order by time limit ?`);
