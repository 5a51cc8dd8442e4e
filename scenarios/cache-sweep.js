// Caches under 1 to 512 clients that mostly read small values. Settings: see README.md.
//
//   scripts/servers.sh with redis -- bin/k6 run scenarios/cache-sweep.js -e TARGET=redis
import sweep from 'k6/x/sweep';
import { baseOf, caches, instancesOf, newClient, servers, urlOf } from './lib/caches.js';

const others = ['BATCH', 'PIPELINE', 'TIMEOUT', 'REDIS_CLUSTER', 'POGOCACHE_PROTOCOL', 'UMEM_GENERATION', 'UMEM_THREADS'];
const env = sweep.settings({
  TARGET: { someOf: servers, usual: ['memcached'] },
  ...caches,
  REDIS_CLUSTER: 1,
  KEYS: 100000,
  DISTRIBUTION: ['uniform', 'zipf', 'hotcold', 'sequential', 'gaussian'],
  VALUE: { type: 'bytes', usual: 100, from: 0, to: 1073741824 },
  MIX: { sharesOf: ['get', 'set', 'delete', 'touch', 'getOrSet', 'getMulti'], usual: 'get:91,set:9' },
  BATCH: { usual: 50, to: 10000 },
  PIPELINE: { usual: 1, to: 10000 },
  ALLOW_MISSES: { type: 'flag' },
}, { base: ['MEMCACHED_URL', 'UMEM_URL', 'REDIS_URL', 'POGOCACHE_URL', ...others] });

const several = env.TARGET.length > 1;
const scenarioOf = (target) => (several ? `cache-sweep-${target}` : 'cache-sweep');
const bases = Object.fromEntries(env.TARGET.map((target) => [target, baseOf(env, env.TARGET, target, others)]));
const clients = Object.fromEntries(env.TARGET.map((target) => [target, newClient(env, target)]));
const baseClients = Object.fromEntries(env.TARGET.map((target) => [target, bases[target] && newClient(bases[target], target)]));
// umem's set deletes first
const allowMisses = (target) => env.ALLOW_MISSES ?? ('delete' in env.MIX || (target === 'umem' && 'set' in env.MIX));

export const options = sweep.options(env.TARGET.map((target) => ({
  scenario: scenarioOf(target), op: 'cache-sweep', opNames: Object.keys(env.MIX), env: { CACHE: target },
  clients: [1, 8, 16, 32, 64, 128, 512], duration: '10s', warmup: '2s', pause: '1s', maxDuration: '1h',
})));

export function setup() {
  for (const target of env.TARGET) {
    const base = bases[target];
    const { MIX: mix, KEYS: keys, DISTRIBUTION: distribution, VALUE: value, BATCH: batch, PIPELINE: pipeline } = env;
    sweep.meta({
      scenario: scenarioOf(target),
      name: `cache-sweep-${target}${base ? '-duet' : ''}`,
      target: { kind: target, url: urlOf(env, target), instances: instancesOf(env, target) },
      params: { mix, keys, distribution, value, batch, pipeline, ...(allowMisses(target) && { allowMisses: true }) },
      base: base && { url: urlOf(base, target), instances: instancesOf(base, target), batch: base.BATCH, pipeline: base.PIPELINE },
    });
  }
}

export default function () {
  const target = __ENV.CACHE;
  const [client, base] = [clients[target], baseClients[target]];
  client.connect();
  if (base) base.connect();
  sweep.run({ change: working(client, env, target), base: base && working(base, bases[target], target) });
}

/** Returns the operation of one side. */
function working(client, own, target) {
  const work = {
    iterations: 1000, // per call; the step ends the last call early
    mix: own.MIX,
    keys: { count: own.KEYS, distribution: own.DISTRIBUTION },
    values: own.VALUE,
    batch: own.BATCH,
    pipeline: own.PIPELINE,
    allowMisses: allowMisses(target),
  };
  client.prefill(work); // writes this client's share of the keys, once
  return () => client.run(work);
}

/** Returns the report of each server, with all of them side by side. */
export const handleSummary = (data) => sweep.report(data, several ? { together: 'cache-sweep' } : {});
