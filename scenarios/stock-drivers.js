// The published comparison of clients: the roll-up sweep of stock-rollup.js with machcli, machgo
// and the native driver, the latter two also with statement reuse. For each number of clients they
// run in turns, in REPEATS rounds, every second round in the opposite order, so that a change of
// the server or machine affects all of them. `make build-drivers` builds a k6 with all drivers;
// without them, use DRIVERS=native. Settings: see README.md. Source: machbase/neo-tester at
// b95bed6, stock -rollup and stockgo -rollup, with and without -reuse.
import sweep from 'k6/x/sweep';
import { published } from './lib/published.js';
import { least, params, query } from './lib/rollup.js';
import { someOf } from './lib/settings.js';
import { clientOf, code, drivers, prepare, queryOperation } from './lib/stock.js';
import { sweepOptions, sweepReport } from './lib/sweeping.js';

const chosen = someOf('DRIVERS', drivers);

const variants = [
  { name: 'machcli', driver: 'machcli', reuse: false },
  { name: 'machgo', driver: 'machgo', reuse: false },
  { name: 'machgo-reuse', driver: 'machgo', reuse: true },
  { name: 'native', driver: 'native', reuse: false },
  { name: 'native-reuse', driver: 'native', reuse: true },
].filter(({ driver }) => chosen.includes(driver));

const clients = variants.map(({ driver, reuse }) => clientOf(driver, reuse));

export const options = sweepOptions('stock-drivers', null, { variants: variants.map(({ name }) => name), portable: false });

export function setup() {
  prepare(clients[0], query, params(), least, published['stock-drivers'], {
    driver: [...new Set(variants.map(({ driver }) => driver))].join(', '), reuse: variants.some(({ reuse }) => reuse),
  });
  clients[0].close();
}

export default function () {
  const db = clients[variants.findIndex(({ name }) => name === sweep.step().variant)];
  db.connect();
  sweep.run(queryOperation(db, query, params(), least, { code }));
  db.close();
}

export const handleSummary = sweepReport;
