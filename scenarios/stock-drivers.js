// The published comparison of clients: the roll-up sweep of stock-rollup.js through machcli, machgo and the native driver,
// the latter two with statement reuse as well. For each number of clients, they take turns: a server or a machine that
// changes while it runs changes all of them. `make build-drivers` builds a k6 that has all drivers; with one that has not,
// DRIVERS=native chooses. Settings: see README.md.
// Source: machbase/neo-tester at b95bed6, stock -rollup and stockgo -rollup, with and without -reuse.
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { published } from './lib/published.js';
import { least, params, query } from './lib/rollup.js';
import { oneOf, someOf, wholeNumber } from './lib/settings.js';
import { clientOf, code, drivers, orAbort, prepare, queryOperation } from './lib/stock.js';
import { sweepOptions, sweepReport } from './lib/sweeping.js';

const chosen = someOf('DRIVERS', drivers);
oneOf('REPEAT_ORDER', ['grouped']);

const variants = [
  { name: 'machcli', driver: 'machcli', reuse: false },
  { name: 'machgo', driver: 'machgo', reuse: false },
  { name: 'machgo-reuse', driver: 'machgo', reuse: true },
  { name: 'native', driver: 'native', reuse: false },
  { name: 'native-reuse', driver: 'native', reuse: true },
].filter(({ driver }) => chosen.includes(driver));

const clients = variants.map(({ driver, reuse }) => clientOf(driver, reuse));

const op = 'rollup';

// The repeats of a step are those of each variant, in turns.
const repeats = variants.length * wholeNumber('REPEATS', 1);

export const options = sweepOptions('stock-drivers', op, {
  repeats, repeatOrder: 'grouped', portable: false, ops: variants.map(({ name }) => name),
});

const sizes = /** @type {any} */ (options.scenarios)['stock-drivers'].clients;

export function setup() {
  prepare(clients[0], query, params(), least, published['stock-drivers'], {
    driver: [...new Set(variants.map(({ driver }) => driver))].join(', '), reuse: variants.some(({ reuse }) => reuse),
  });
  clients[0].close();
}

// variantOf is that of the step to which the iteration with this number belongs. Each client of a step is one iteration.
function variantOf(iteration) {
  let before = 0;
  for (const size of sizes) {
    if (iteration < before + size * repeats) return Math.floor((iteration - before) / size) % variants.length;
    before += size * repeats;
  }
  exec.test.abort(`iteration ${iteration} belongs to no step: a client has begun anew`);
  return undefined;
}

export default function () {
  const i = variantOf(exec.scenario.iterationInTest);
  orAbort(() => clients[i].connect()); // an iteration more than there are clients would be taken for the next step's
  const operation = queryOperation(clients[i], query, params(), least, { code });
  sweep.run(() => sweep.op(variants[i].name, operation));
  clients[i].close();
}

export const handleSummary = sweepReport;
