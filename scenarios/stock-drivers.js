// The published comparison of clients: the roll-up sweep of stock-rollup.js with machcli, machgo
// and the native driver, the latter two also with statement reuse. For each number of clients they
// run in turns, in REPEATS rounds, every second round in the opposite order, so that a change of
// the server or machine affects all of them. `make build-drivers` builds a k6 with all drivers;
// without them, use DRIVERS=native. Settings: see README.md. Source: machbase/neo-tester at
// b95bed6, stock -rollup and stockgo -rollup, with and without -reuse.
import sweep from 'k6/x/sweep';
import { describe, drivers, lookup, machbase, newClient, rollup, rollups } from './lib/stock.js';

const { MACHBASE_URL, TIMEOUT } = machbase;
const env = sweep.settings({ MACHBASE_URL, TIMEOUT, CODE: 'WISH', DRIVERS: { someOf: drivers } });

const variants = [
  { name: 'machcli', DRIVER: 'machcli', REUSE: false },
  { name: 'machgo', DRIVER: 'machgo', REUSE: false },
  { name: 'machgo-reuse', DRIVER: 'machgo', REUSE: true },
  { name: 'native', DRIVER: 'native', REUSE: false },
  { name: 'native-reuse', DRIVER: 'native', REUSE: true },
].filter(({ DRIVER }) => env.DRIVERS.includes(DRIVER));
const clients = Object.fromEntries(variants.map(({ name, ...own }) => [name, newClient({ ...env, ...own })]));

export const options = sweep.options({
  scenario: 'stock-drivers', variants: variants.map(({ name }) => name),
  clients: [1, 8, 16, 32, 64, 128, 512], iterations: 10000, warmup: '2s', pause: '1s', maxDuration: '1h',
});

export function setup() {
  const db = clients[variants[0].name];
  describe('stock-drivers', env, rollup, db, undefined, { published: rollups });
  sweep.meta({ scenario: 'stock-drivers', target: { driver: env.DRIVERS.join(', ') }, params: { reuse: variants.some(({ REUSE }) => REUSE) } });
  db.close();
}

export default function () {
  const db = clients[sweep.step().variant];
  sweep.run(lookup(db, env, rollup(env)));
  db.close();
}

export const handleSummary = (data) => sweep.report(data);
