// The published stock tick sweep: the last minute of a stock's ticks, about 87 rows per operation.
// Source: machbase/neo-tester at b95bed6, stockgo without -rollup. Settings: see README.md.
import { code, factsOf, isInGo, lastMinutes, newBase, newClient, prepare, sweepQuery } from './lib/stock.js';
import { sweepOptions, sweepReport } from './lib/sweeping.js';
import { query } from './lib/tick.js';

/** The least number of rows in an answer. */
const least = 1;

const db = newClient();
const base = newBase('stock-tick', () => query, ['IN_GO']);

export const options = sweepOptions('stock-tick', 'tick');

export function setup() {
  prepare(db, query, lastMinutes(1, 0), least, undefined, factsOf(db, isInGo()), base);
}

export default function () {
  sweepQuery(db, query, lastMinutes(1, 0), least, { code }, base);
}

export const handleSummary = sweepReport;
