// The part of ycsb that only the first VU runs: it reads the settings and describes the run.
import sweep from 'k6/x/sweep';
import { refuseSlips, duration, flag, given, number, ofBase, oneOf, redisCluster, shares, text, variable, wholeNumber, wholeNumbers } from './settings.js';
import * as sweeping from './sweeping.js';

const scenario = 'ycsb';
refuseSlips(scenario);

const servers = [1, 8, 16, 32, 64, 128, 512];
const databases = [1, 8, 16, 32, 64]; // PostgreSQL accepts 100 connections by default

/**
 * The stores: setting and default of the address, numbers of clients, whether a record is one
 * value, whether a record can be missing while it is written, and unsupported operations with the
 * reason.
 */
const stores = {
  redis: { setting: 'REDIS_URL', usual: 'redis://127.0.0.1:6379', clients: servers },
  memcached: { setting: 'MEMCACHED_URL', usual: '127.0.0.1:11211', clients: servers, whole: true, without: { scan: 'it does not know the order of its keys' } },
  umem: { setting: 'UMEM_URL', usual: '[::1]:10047', clients: servers, whole: true, misses: true, without: { scan: 'it does not know the order of its keys' } },
  nats: { setting: 'NATS_URL', usual: 'nats://127.0.0.1:4222', clients: servers, whole: true, without: { scan: 'a bucket is not read in the order of its keys' } },
  postgres: { setting: 'POSTGRES_URL', usual: 'postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable', clients: databases },
  sqlite: { setting: 'SQLITE_URL', usual: 'ycsb.db', clients: databases },
  machbase: {
    setting: 'MACHBASE_URL',
    usual: 'machbase://sys:manager@127.0.0.1:5656',
    clients: databases,
    misses: true,
    without: {
      update: 'rows of a tag table do not change',
      readModifyWrite: 'rows of a tag table do not change',
      scan: 'a tag table is not read in the order of its tags',
    },
  },
};
const names = Object.keys(stores);

/** The names of the stores in TARGETS (a list) or STORE. */
export const targets = (() => {
  const list = text('TARGETS');
  if (list && text('STORE')) sweep.refuse('STORE and TARGETS exclude each other: set one of them');
  if (!list) return [oneOf('STORE', names, 'redis')];
  const asked = list.split(',').map((name) => name.trim());
  if (asked.some((name, i) => !names.includes(name) || asked.indexOf(name) !== i)) {
    sweep.refuse(`TARGETS must be a comma-separated list of ${names.join(', ')}, but is "${list}"`);
  }
  return asked;
})();

export const phase = oneOf('PHASE', ['load', 'run', 'both'], 'both');
const loads = phase !== 'run';
const runs = phase !== 'load';

/** Returns the workload of the settings, for sweep.ycsb. */
function workloadOf(store) {
  const mix = given('MIX') && shares('MIX', ['read', 'update', 'insert', 'scan', 'readModifyWrite'], 'read:50,update:50');
  const workload = {
    workload: mix && !given('WORKLOAD') ? undefined : oneOf('WORKLOAD', ['a', 'b', 'c', 'd', 'e', 'f'], 'a'),
    mix,
    recordCount: wholeNumber('RECORD_COUNT', 1000),
    operationCount: wholeNumber('OPERATION_COUNT'),
    insertOrder: oneOf('INSERT_ORDER', ['hashed', 'ordered']),
    zeroPadding: wholeNumber('ZERO_PADDING'),
    fieldCount: wholeNumber('FIELD_COUNT', 10),
    fieldLength: wholeNumber('FIELD_LENGTH', 100),
    minFieldLength: wholeNumber('MIN_FIELD_LENGTH'),
    fieldLengthDistribution: oneOf('FIELD_LENGTH_DISTRIBUTION', ['constant', 'uniform', 'zipfian']),
    readAllFields: flag('READ_ALL_FIELDS'),
    writeAllFields: flag('WRITE_ALL_FIELDS', stores[store].whole),
    dataIntegrity: flag('DATA_INTEGRITY'),
    requestDistribution: oneOf('REQUEST_DISTRIBUTION', ['uniform', 'zipfian', 'latest', 'hotspot', 'exponential', 'sequential']),
    hotspotDataFraction: number('HOTSPOT_DATA_FRACTION'),
    hotspotOpnFraction: number('HOTSPOT_OPN_FRACTION'),
    exponentialPercentile: number('EXPONENTIAL_PERCENTILE'),
    exponentialFrac: number('EXPONENTIAL_FRAC'),
    minScanLength: wholeNumber('MIN_SCAN_LENGTH'),
    maxScanLength: wholeNumber('MAX_SCAN_LENGTH'),
    scanLengthDistribution: oneOf('SCAN_LENGTH_DISTRIBUTION', ['uniform', 'zipfian']),
    seed: wholeNumber('SEED', undefined, 0),
    allowMisses: stores[store].misses,
  };
  return Object.fromEntries(Object.entries(workload).filter(([, value]) => value !== undefined));
}

/** Returns the operations of a workload, and refuses unsupported ones. */
function opsOf(store, workload) {
  let made;
  try {
    made = sweep.ycsb(workload);
  } catch (e) {
    return sweep.refuse(e.message.replace('sweep.ycsb: ', ''));
  }
  const { without = {}, whole } = stores[store];
  const op = { scan: 'SCAN', update: 'UPDATE', readModifyWrite: 'READ-MODIFY-WRITE' };
  const missing = Object.keys(without).find((name) => made.ops.includes(op[name]));
  if (missing) sweep.refuse(`${store} has no ${op[missing]}: ${without[missing]}; set another WORKLOAD or MIX, or STORE`);
  const single = whole && ['readAllFields', 'writeAllFields'].find((name) => workload[name] === false);
  if (single) sweep.refuse(`${variable(single === 'readAllFields' ? 'READ_ALL_FIELDS' : 'WRITE_ALL_FIELDS')} must be true: ${store} keeps a record as one value`);
  return made.ops;
}

function sideOf(store) {
  const workload = workloadOf(store);
  const plan = { store, url: text(stores[store].setting, stores[store].usual), timeout: duration('TIMEOUT', '60s') };
  if (store === 'umem') plan.own = { generation: oneOf('UMEM_GENERATION', ['G1', 'G2', 'G3'], 'G3'), threads: wholeNumber('UMEM_THREADS', 4, 1, 1024) };
  if (store === 'redis' && redisCluster()) plan.own = { cluster: true };
  return { plan, workload, ops: opsOf(store, workload) };
}

const baseSettings = ['TIMEOUT', 'READ_ALL_FIELDS', 'WRITE_ALL_FIELDS', 'REQUEST_DISTRIBUTION', 'REDIS_CLUSTER', 'UMEM_GENERATION', 'UMEM_THREADS'];

function baseOf(store) {
  if (targets.length > 1 && text('BASE_URL')) sweep.refuse(`BASE_URL is of one store: set STORE, or BASE_${stores[store].setting}`);
  return ofBase(stores[store].setting, baseSettings, () => sideOf(store));
}

/** The runs, by store; base is the base of a duet. */
export const plans = targets.map((store) => ({ target: store, ...sideOf(store), base: runs ? baseOf(store) : undefined }));

const phases = { load: `${scenario}_load`, run: scenario };
const nameOf = (kind, store) => (targets.length > 1 ? `${phases[kind]}-${store}` : phases[kind]);

/** The sweeps in their order: load and run of each store. */
const sweeps = plans.flatMap((plan) => [...(loads ? [{ ...plan, kind: 'load' }] : []), ...(runs ? [{ ...plan, kind: 'run' }] : [])])
  .map((one) => ({ ...one, name: nameOf(one.kind, one.target) }));

const loadClients = wholeNumber('LOAD_CLIENTS', 16, 1, 100000);

/** Returns the options of a load, whose clients insert each record once. */
function loadOptions({ name, target }, after) {
  return {
    scenarios: {
      [name]: {
        executor: 'client-sweep', op: 'INSERT', opNames: ['INSERT'], clients: [loadClients], untilDone: true, maxDuration: duration('MAX_DURATION', '1h'),
        env: { TARGET: target, KIND: 'load' }, ...after,
      },
    },
    thresholds: { [`sweep_failed{scenario:${name}}`]: ['count==0'], [`sweep_incomplete{scenario:${name}}`]: ['count==0'] },
    setupTimeout: '2m',
  };
}

function runOptions({ name, target, ops }, after) {
  return sweeping.sweepOptions(name, scenario, {
    clients: wholeNumbers('CLIENTS', stores[target].clients, 100000), opNames: ops, env: { TARGET: target, KIND: 'run' }, ...after,
  }, sweeping.tenSeconds);
}

const ofRuns = !runs && ['CLIENTS', 'RATE', 'FIND', 'DURATION', 'ITERATIONS', 'PRECISION', 'GATES', 'GATE'].find((setting) => given(setting));
if (ofRuns) sweep.refuse(`${variable(ofRuns)} is for the run phase, and PHASE is load: set LOAD_CLIENTS`);
if (targets.length > 1 && text('GATES')) sweep.refuse('GATES is for one store, and TARGETS has several: set STORE');

export const options = sweeping.oneAfterAnother(sweeps.map(({ name }) => name), (_, after, i) => (sweeps[i].kind === 'load' ? loadOptions : runOptions)(sweeps[i], after));

/** Describes the runs in the reports. */
export function describe() {
  for (const { name, kind, target, plan, workload, base } of sweeps) {
    const label = workload.mix ? 'mix' : workload.workload;
    sweep.meta({
      scenario: name,
      target: { kind: target, url: addressOf(plan) },
      params: { phase: kind, ...flat(workload), ...(kind === 'load' ? { loadClients } : {}) },
      results: sweeping.results,
      name: sweeping.fileName(scenario, kind === 'load' ? `load-${target}` : `${target}-${label}`, kind === 'run' && base),
    });
    if (base && kind === 'run') sweep.meta({ scenario: name, base: { url: addressOf(base.plan), ...flat(base.workload) } });
  }
}

/** Returns the URL of a store. */
const addressOf = ({ store, url }) => (url.includes('://') ? url.split(',')[0] : `${store}://${url}`);

/** Returns a workload without nested objects. */
const flat = ({ mix, ...workload }) => ({ ...workload, ...(mix ? { mix: Object.entries(mix).map(([op, share]) => `${op}:${share}`).join(',') } : {}) });

/**
 * Returns the mean latencies of read-modify-write operations and their parts.
 *
 * @returns {import('k6/x/sweep').Table[]}
 */
function parts({ steps }) {
  const rows = steps.filter(({ op, ops }) => op === 'READ-MODIFY-WRITE' && ops > 0).map(({ clients, rate, variant, repeat, ops, latencyMs, extra }) => [
    rate || clients, variant, repeat, ops, latencyMs.mean,
    extra.counters.readModifyWriteReadMicroseconds / 1000 / ops, extra.counters.readModifyWriteUpdateMicroseconds / 1000 / ops,
  ]);
  return rows.length === 0 ? [] : [{
    title: 'READ-MODIFY-WRITE and its parts',
    columns: [
      { name: 'clients or rate' }, { name: 'variant' }, { name: 'repeat' }, { name: 'ops' }, { name: 'whole', unit: 'ms', better: 'lower' },
      { name: 'read', unit: 'ms', better: 'lower' }, { name: 'update', unit: 'ms', better: 'lower' },
    ],
    rows,
    notes: ['Means. In an open loop the whole begins when the operation was due.'],
  }];
}

/** Returns the report of each store, with all of them side by side. */
export const report = (data) => sweeping.sweepReport(data, parts, targets.length > 1 ? { together: scenario } : {});
