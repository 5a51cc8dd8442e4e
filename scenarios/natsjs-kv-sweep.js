// Records in the published key-value layouts under 1 to 512 clients: put, get, and both in equal
// shares, one after another for each layout. Each value read is checked. The operations are named
// set (for put) and get. Settings: see README.md.
//
//   scripts/servers.sh with nats -- bin/k6 run scenarios/natsjs-kv-sweep.js -e LAYOUT=orb
import sweep from 'k6/x/sweep';
import { layouts, newClient, server, targetOf } from './lib/nats.js';

const mixes = { put: { set: 1 }, get: { get: 1 }, mixed: { get: 1, set: 1 } };
const env = sweep.settings({
  ...server, LAYOUT: { someOf: layouts }, MIX: { someOf: Object.keys(mixes) }, KEYS: { usual: 10000, to: 10000000 },
  VALUE: { type: 'bytes', usual: 100, from: 0, to: 1048576 },
}, { base: ['NATS_URL', 'TIMEOUT'] });

const all = env.LAYOUT.flatMap((layout) => env.MIX.map((mix) => ({ layout, mix })));
const nameOf = ({ layout, mix }) => (all.length > 1 ? `natsjs-kv-sweep-${layout}-${mix}` : 'natsjs-kv-sweep');

/** The client of a server, and its stores by layout. */
const sides = [env, env.base].filter(Boolean).map((own) => {
  const client = newClient(own);
  return { own, client, stores: Object.fromEntries(env.LAYOUT.map((layout) => [layout, client.layout({ layout, database: `natsjs-kv-sweep-${layout}` })])) };
});

export const options = {
  ...sweep.options(all.map((one) => ({
    scenario: nameOf(one), op: 'natsjs-kv-sweep', opNames: Object.keys(mixes[one.mix]), env: { STORE: one.layout, SHARES: one.mix },
    clients: [1, 8, 16, 32, 64, 128, 512], duration: '10s', warmup: '2s', pause: '1s', maxDuration: '1h',
  }))),
  setupTimeout: '2m',
  teardownTimeout: '2m',
};

export function setup() {
  for (const { client } of sides) client.connect();
  teardown();
  for (const one of all) {
    const [target, base] = sides.map(({ client, own }) => targetOf(client, own));
    sweep.meta({
      scenario: nameOf(one), name: `natsjs-kv-sweep-${one.layout}-${one.mix}${base ? '-duet' : ''}`, target, base,
      params: { ...one, keys: env.KEYS, value: env.VALUE },
    });
  }
}

export default function () {
  const [change, base] = sides.map(working);
  sweep.run({ change, base });
}

/** Connects, and returns the operation. */
function working({ client, stores }) {
  const store = stores[__ENV.STORE];
  const work = { iterations: 1000, keys: { count: env.KEYS }, values: env.VALUE, mix: mixes[__ENV.SHARES] }; // the step ends the last call early
  client.connect({ runs: true });
  store.prefill(work); // writes this client's share of the keys, once
  return () => store.run(work);
}

export function teardown() {
  for (const { stores } of sides) for (const layout of env.LAYOUT) stores[layout].drop();
}

export const handleSummary = (data) => sweep.report(data);
