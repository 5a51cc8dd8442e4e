// YCSB's core workloads on a store: loads records with fields, then reads, updates, inserts and
// scans them. Settings: see README.md.
//
//   scripts/servers.sh with redis -- bin/k6 run scenarios/ycsb.js -e STORE=redis -e WORKLOAD=a
//   bin/k6 run scenarios/ycsb.js -e STORE=redis,memcached
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { baseOf } from './lib/caches.js';
import { addresses, connection, newStore, stores } from './lib/records.js';

/** YCSB's properties: RECORD_COUNT is recordCount, and so on. */
const properties = {
  RECORD_COUNT: 1000, OPERATION_COUNT: { type: 'integer' }, INSERT_ORDER: { oneOf: ['hashed', 'ordered'] }, FIELD_COUNT: 10, FIELD_LENGTH: 100,
  READ_ALL_FIELDS: { type: 'flag' }, WRITE_ALL_FIELDS: { type: 'flag' }, DATA_INTEGRITY: { type: 'flag' },
  REQUEST_DISTRIBUTION: { oneOf: ['uniform', 'zipfian', 'latest'] }, MIN_SCAN_LENGTH: { type: 'integer' }, MAX_SCAN_LENGTH: { type: 'integer' },
  SEED: { type: 'integer', from: 0 },
};
const others = [...Object.keys(connection), 'READ_ALL_FIELDS', 'WRITE_ALL_FIELDS', 'REQUEST_DISTRIBUTION'];
const env = sweep.settings({
  STORE: { someOf: Object.keys(stores), usual: ['redis'] },
  WORKLOAD: { oneOf: ['a', 'b', 'c', 'd', 'e', 'f'] },
  MIX: { sharesOf: ['read', 'update', 'insert', 'scan', 'readModifyWrite'] },
  PHASE: { oneOf: ['load', 'run', 'both'], usual: 'both' },
  LOAD_CLIENTS: { usual: 16, to: 100000 },
  ...properties,
  ...addresses,
  ...connection,
}, { base: [...Object.keys(addresses), ...others] });

const camelCase = (name) => name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** Returns the workload of the settings, for sweep.ycsb. */
function workloadOf(own, store) {
  const { whole, misses } = stores[store];
  const given = Object.keys(properties).filter((name) => own[name] !== undefined).map((name) => [camelCase(name), own[name]]);
  return {
    ...(own.MIX && { mix: own.MIX }), ...((!own.MIX || own.WORKLOAD) && { workload: own.WORKLOAD || 'a' }), ...(whole && { writeAllFields: true }),
    ...Object.fromEntries(given), ...(misses && { allowMisses: true }),
  };
}

/** Returns the operations of a workload, and refuses unsupported ones. */
function opsOf(store, workload) {
  const { without = {}, whole } = stores[store];
  const words = { scan: 'SCAN', update: 'UPDATE', readModifyWrite: 'READ-MODIFY-WRITE' };
  let made;
  try {
    made = sweep.ycsb(workload);
  } catch (e) {
    return sweep.refuse(e.message.replace('sweep.ycsb: ', ''));
  }
  const missing = Object.keys(without).find((name) => made.ops.includes(words[name]));
  if (missing) sweep.refuse(`${store} has no ${words[missing]}: ${without[missing]}; set another WORKLOAD or MIX, or STORE`);
  const part = whole && ['READ_ALL_FIELDS', 'WRITE_ALL_FIELDS'].find((name) => workload[camelCase(name)] === false);
  if (part) sweep.refuse(`${part} must be true: ${store} keeps a record as one value`);
  return made.ops;
}

const sideOf = (own, store) => ({ store: newStore(own, store), workload: workloadOf(own, store), ops: opsOf(store, workloadOf(own, store)) });

/** Change and base of each store. */
const sides = Object.fromEntries(env.STORE.map((store) => {
  const base = env.PHASE !== 'load' && baseOf(env, env.STORE, store, others);
  return [store, [sideOf(env, store), ...(base ? [sideOf(base, store)] : [])]];
}));

/** The sweeps in their order: load and run of each store. */
const sweeps = env.STORE.flatMap((store) => ['load', 'run'].filter((kind) => [kind, 'both'].includes(env.PHASE)).map((kind) => ({
  kind, store, name: `${kind === 'load' ? 'ycsb_load' : 'ycsb'}${env.STORE.length > 1 ? `-${store}` : ''}`,
})));

const made = sweeps.map(({ kind, store, name }, i) => {
  const after = i > 0 ? { after: sweeps[i - 1].name } : {};
  const vary = { TARGET: store, KIND: kind };
  if (kind === 'run') {
    return sweep.options({
      scenario: name, op: 'ycsb', opNames: sides[store][0].ops, env: vary, clients: stores[store].clients, duration: '10s', warmup: '2s', pause: '1s', maxDuration: '1h', ...after,
    });
  }
  return { // its clients insert each record once, whatever the settings of the run
    scenarios: {
      [name]: {
        executor: 'client-sweep', op: 'INSERT', opNames: ['INSERT'], env: vary, clients: [env.LOAD_CLIENTS], untilDone: true, maxDuration: '1h', ...after,
      },
    },
    thresholds: { [`sweep_failed{scenario:${name}}`]: ['count==0'], [`sweep_incomplete{scenario:${name}}`]: ['count==0'] },
  };
});
export const options = {
  scenarios: Object.assign({}, ...made.map(({ scenarios }) => scenarios)),
  thresholds: Object.assign({}, ...made.map(({ thresholds }) => thresholds)),
  setupTimeout: '2m',
};

/** Returns a workload without nested objects. */
const flat = ({ mix, ...workload }) => ({ ...workload, ...(mix && { mix: Object.entries(mix).map(([op, share]) => `${op}:${share}`).join(',') }) });

export function setup() {
  for (const { kind, store, name } of sweeps) {
    const [change, base] = kind === 'run' ? sides[store] : sides[store].slice(0, 1);
    const label = kind === 'load' ? `load-${store}` : `${store}-${env.MIX ? 'mix' : change.workload.workload}`;
    sweep.meta({
      scenario: name,
      name: `ycsb-${label}${base ? '-duet' : ''}`,
      target: { kind: store, url: change.store.url },
      params: { phase: kind, ...flat(change.workload), ...(kind === 'load' && { loadClients: env.LOAD_CLIENTS }) },
      base: base && { url: base.store.url, ...flat(base.workload) },
    });
  }
  for (const store of env.STORE) {
    const [change, base] = sides[store];
    for (const side of base && base.store.url !== change.store.url ? [change, base] : [change]) {
      if (env.PHASE === 'run') mustBeLoaded(store, side);
      else side.store.clear(side.workload);
    }
  }
}

/** Ends the test if there is nothing to read. */
function mustBeLoaded(name, { store, workload }) {
  const { missing, failed } = store.ycsb({ ...workload, mix: { read: 1 }, requestDistribution: 'uniform' }, { phase: 'run', iterations: 10 });
  if (missing + failed > 0) exec.test.abort(`${missing + failed} of 10 records cannot be read: load them first, with -e PHASE=load -e STORE=${name}`);
}

export default function () {
  const load = __ENV.KIND === 'load';
  const own = load ? sides[__ENV.TARGET].slice(0, 1) : sides[__ENV.TARGET];
  for (const { store } of own) store.connect();
  const share = load ? { phase: 'load', iterations: 100 } : { phase: 'run', iterations: 1000 };
  const [change, base] = own.map(({ store, workload }) => () => store.ycsb(workload, share));
  sweep.run({ change, base });
}

/** Returns the report of each store, with all of them side by side. */
export const handleSummary = (data) => sweep.report(data, { tables: parts, ...(env.STORE.length > 1 && { together: 'ycsb' }) });

/** Returns the mean latencies of read-modify-write operations and their parts. */
function parts({ steps }) {
  const rows = steps.filter(({ op, ops }) => op === 'READ-MODIFY-WRITE' && ops > 0).map(({ clients, rate, variant, repeat, ops, latencyMs, extra }) => [
    rate || clients, variant, repeat, ops, latencyMs.mean,
    extra.counters.readModifyWriteReadMicroseconds / 1000 / ops, extra.counters.readModifyWriteUpdateMicroseconds / 1000 / ops,
  ]);
  return rows.length === 0 ? [] : [{
    title: 'READ-MODIFY-WRITE and its parts',
    columns: [
      { name: 'clients or rate' }, { name: 'variant' }, { name: 'repeat' }, { name: 'ops' },
      ...['whole', 'read', 'update'].map((name) => ({ name, unit: 'ms', better: /** @type {const} */ ('lower') })),
    ],
    rows,
    notes: ['Means. In an open loop the whole begins when the operation was due.'],
  }];
}
