// Records in the published key-value layouts under 1 to 512 clients: put, get, and both in equal
// shares, one after another for each layout. Each value read is checked. The operations are named
// set (for put) and get. Settings: see README.md.
//
//   scripts/servers.sh with nats -- bin/k6 run scenarios/natsjs-kv-sweep.js -e LAYOUT=orb
import sweep from 'k6/x/sweep';
import { layouts, newBase, newClient, oneScenario, target } from './lib/nats.js';
import { bytes, oneOf, wholeNumber } from './lib/settings.js';
import { fileName, oneAfterAnother, results, run, sweepOptions, sweepReport, tenSeconds } from './lib/sweeping.js';

const scenario = 'natsjs-kv-sweep';

const mixes = { put: { set: 1 }, get: { get: 1 }, mixed: { get: 1, set: 1 } };
const mix = oneOf('MIX', [...Object.keys(mixes), 'all'], 'all');
const kinds = mix === 'all' ? Object.keys(mixes) : [mix];

const all = layouts.flatMap((layout) => kinds.map((kind) => ({ layout, kind })));
const nameOf = ({ layout, kind }) => (all.length > 1 ? `${scenario}-${layout}-${kind}` : scenario);
oneScenario(all, 'LAYOUT and MIX');

const work = {
  iterations: 1000, // per call; the step ends the last call early
  keys: { count: wholeNumber('KEYS', 10000, 1, 10000000) },
  values: bytes('VALUE', 100, 0, 1048576),
};

const make = () => {
  const client = newClient();
  const stores = Object.fromEntries(layouts.map((layout) => [layout, client.layout({ layout, database: `${scenario}-${layout}` })]));
  return { client, stores };
};
const change = make();
const base = newBase([], make);
const variants = [change, ...(base ? [base] : [])];

export const options = {
  ...oneAfterAnother(all.map(nameOf), (name, after, i) => sweepOptions(name, scenario, {
    opNames: Object.keys(mixes[all[i].kind]),
    env: { STORE: all[i].layout, KIND: all[i].kind },
    ...after,
  }, tenSeconds)),
  teardownTimeout: '2m',
};

export function setup() {
  for (const { client, stores } of variants) {
    client.connect();
    for (const layout of layouts) stores[layout].drop();
  }
  for (const one of all) {
    sweep.meta({
      scenario: nameOf(one),
      target: target(change.client),
      params: { layout: one.layout, mix: one.kind, keys: work.keys.count, value: work.values },
      results,
      name: fileName(scenario, `${one.layout}-${one.kind}`, base),
    });
    if (base) sweep.meta({ scenario: nameOf(one), base: target(base.client, base.url) });
  }
}

export default function () {
  run(working(change), base && working(base));
}

/** Connects, and returns the operation. */
function working({ client, stores }) {
  const store = stores[__ENV.STORE];
  const own = { ...work, mix: mixes[__ENV.KIND] };
  client.connect({ runs: true });
  store.prefill(own); // writes this client's share of the keys, once
  return () => store.run(own);
}

export function teardown() {
  for (const { stores } of variants) for (const layout of layouts) stores[layout].drop();
}

export const handleSummary = sweepReport;
