// The published hit-rate benchmark of caches: one pass warms the cache, the next one is measured.
// Source: imchuncai/umem-cache-benchmark at 17218b3. Settings: see README.md.
//
// With the published limits of the servers (in MB), for one server and for all:
//   export MEMCACHED_MEMORY=2048 MEMCACHED_ITEM=2 MEMCACHED_CONNECTIONS=512
//   scripts/servers.sh with memcached -- bin/k6 run scenarios/cache-hitrate.js
//   REDIS_MEMORY=100 REDIS_CONNECTIONS=512 scripts/servers.sh up redis
//   eval "$(scripts/servers.sh env)"
//   bin/k6 run scenarios/cache-hitrate.js -e TARGET=all -e CONFIG=100m-512b
// Build umem-cache with its limit: make MEM_LIMIT=2147483648. Start pogocache with: --threads=4
// --maxmemory=2147483648 --maxconns=512.
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { caches, instancesOf, newClient, servers, urlOf } from './lib/caches.js';
import { configOf, memoryOf, published, table } from './lib/hitrate.js';

const pids = { type: 'integers', to: 2147483647 };
const env = sweep.settings({
  TARGET: { someOf: servers, usual: ['memcached'] },
  ...caches,
  CLIENTS: { usual: 64, to: 100000 },
  CONFIG: { oneOf: Object.keys(published) },
  MEMORY: { type: 'bytes' },
  ITEM: { type: 'bytes', from: 12 },
  RANDOM: { type: 'flag' },
  HOT: { type: 'integer', to: 99 },
  ACCESS: { type: 'integer', from: 0, to: 100 },
  DATA: { type: 'integer', to: 1000 },
  MEMCACHED_PID: pids, UMEM_PID: pids, REDIS_PID: pids, POGOCACHE_PID: pids,
  VMHWM: { type: 'integer' },
  OTHER_MEMORY: false,
}, { sweep: ['QUIET', 'MAX_DURATION', 'GATES', 'RESULTS'] });
const several = env.TARGET.length > 1;
if (env.VMHWM && several) sweep.refuse('VMHWM is for one server: set one TARGET, or NAME_PID for each');

const benchmark = configOf(env);
const { config } = benchmark;
const scenarioOf = (target) => (several ? `cache-hitrate-${target}` : 'cache-hitrate');
const clients = Object.fromEntries(env.TARGET.map((target) => [target, newClient(env, target)]));

export const options = sweep.options(env.TARGET.map((target) => ({
  scenario: scenarioOf(target), opNames: ['getOrSet'], env: { CACHE: target }, clients: [env.CLIENTS], untilDone: true, maxDuration: '6h',
})));

/** Calls fn; an error ends the test with one line. */
function orAbort(fn) {
  try {
    return fn();
  } catch (e) {
    return exec.test.abort(e.message);
  }
}

export function setup() {
  const memories = env.TARGET.map((target) => orAbort(() => memoryOf(env, target, clients[target], benchmark))); // of all, before the first is measured
  env.TARGET.forEach((target, i) => sweep.meta({
    scenario: scenarioOf(target),
    name: `cache-hitrate-${target}`,
    target: { kind: target, url: urlOf(env, target), instances: instancesOf(env, target), ...memories[i] },
    params: { config: benchmark.name || 'own', ...config, accesses: benchmark.accesses },
    cache: {
      memory: config.memory,
      item: config.random ? Math.floor(config.item / 2) : config.item, // on average, as published
      ...(env.VMHWM ? { vmHwm: env.VMHWM } : { pids: env[`${target.toUpperCase()}_PID`] || [] }),
    },
  }));
}

export default function () {
  const client = clients[__ENV.CACHE];
  orAbort(() => {
    client.connect();
    const { failed } = client.hitRate({ config, pass: 'warmup' });
    if (failed > 0) throw new Error(`${failed} accesses of the warm-up pass failed`);
  });
  sweep.run(() => client.hitRate({ config, pass: 'timed', iterations: 100 }));
}

/** Returns the report of each server; the last one has all of them side by side. */
export function handleSummary(data) {
  const measured = [];
  const tables = (report) => {
    measured.push({ target: env.TARGET.find((target) => scenarioOf(target) === report.scenario), report });
    return [table(benchmark, measured.length === env.TARGET.length ? measured : measured.slice(-1))];
  };
  return sweep.report(data, several ? { tables, together: 'cache-hitrate' } : { tables });
}
