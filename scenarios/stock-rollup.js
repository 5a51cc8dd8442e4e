// The published stock roll-up sweep: one hour of a stock by minutes, 60 rows per operation. Source:
// machbase/neo-tester at b95bed6, stockgo -rollup. Settings: see README.md.
import { published } from './lib/published.js';
import { least, params, query } from './lib/rollup.js';
import { code, factsOf, isInGo, newBase, newClient, prepare, sweepQuery } from './lib/stock.js';
import { sweepOptions, sweepReport } from './lib/sweeping.js';

const db = newClient();
const base = newBase('stock-rollup', () => query, ['IN_GO']);

export const options = sweepOptions('stock-rollup', 'rollup');

export function setup() {
  prepare(db, query, params(), least, published['stock-rollup'], factsOf(db, isInGo()), base);
}

export default function () {
  sweepQuery(db, query, params(), least, { code }, base);
}

export const handleSummary = sweepReport;
