// Gets of 100 bytes as no scenario does them: each a call of JavaScript, which is what client.run
// saves; or in pipelines of the meta protocol, as memcached answers those of the text protocol one
// by one. See scripts/bench.sh.
import memcached from 'k6/x/memcached';
import redis from 'k6/x/redis';
import sweep from 'k6/x/sweep';
import { oneOf, wholeNumber } from '../../scenarios/lib/settings.js';
import { sweepOptions, sweepReport } from '../../scenarios/lib/sweeping.js';

const count = 10000;
const value = 'x'.repeat(100);
const pipeline = wholeNumber('PIPELINE', 1); // 1: calls
// The keys of calls; client.run has keys of its own.
const names = pipeline > 1 ? [] : Array.from({ length: count }, (_, i) => `key:${String(i).padStart(12, '0')}`);

const isRedis = oneOf('TARGET', ['memcached', 'redis']) === 'redis';
const client = isRedis
  ? new redis.Client(__ENV.REDIS_URL)
  : new memcached.Client(__ENV.MEMCACHED_URL, { protocol: pipeline > 1 ? 'meta' : 'text' });

export const options = sweepOptions('caches', 'caches', pipeline > 1 ? { opNames: ['get'] } : {});

export async function setup() {
  if (isRedis) {
    for (const name of names) await client.set(name, value, 0);
  } else if (pipeline === 1) {
    client.setMulti(Object.fromEntries(names.map((name) => [name, value])));
  }
}

let calls = 0;
function next() {
  calls += 1;
  return names[calls % names.length];
}

function check(got) {
  if (got !== value) throw new Error('get gave another value than was set');
}

// k6/x/redis returns promises, which are not for sweep.run: the executor repeats the whole
// function.
async function callRedis() {
  check(await client.get(next()));
}

function callMemcached() {
  client.connect();
  sweep.run(() => check(client.get(next())));
}

const work = { iterations: 1000, mix: { get: 1 }, keys: { count }, values: value.length, pipeline };

function runMemcached() {
  client.connect();
  client.prefill(work); // writes this client's share of the keys
  sweep.run(() => client.run(work));
}

const called = isRedis ? callRedis : callMemcached;
export default pipeline > 1 ? runMemcached : called;

export const handleSummary = sweepReport;
