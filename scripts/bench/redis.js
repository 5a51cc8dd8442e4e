// Gets of 100 bytes from Redis. FORM: run (client.run of k6/x/resp), call (one call of k6/x/redis
// per get) or pipeline (client.run with pipelines of 50 gets).
import redis from 'k6/x/redis';
import resp from 'k6/x/resp';
import sweep from 'k6/x/sweep';
import { report, step, target } from './step.js';

const called = __ENV.FORM === 'call';
const client = called ? new redis.Client(__ENV.REDIS_URL) : new resp.Client(__ENV.REDIS_URL);
const count = 10000;
const work = { duration: '1h', mix: { get: 1 }, keys: { count }, values: 100, pipeline: __ENV.FORM === 'pipeline' ? 50 : 1 };
const value = 'x'.repeat(100);
const key = (i) => `call:${i}`;

export const options = step('get');

export async function setup() {
  target('redis', __ENV.REDIS_URL);
  if (!called) return;
  for (let i = 0; i < count; i += 1) await client.set(key(i), value, 0);
}

// k6/x/redis returns promises, which sweep.run does not accept; the executor repeats this function.
async function get() {
  if (await client.get(key(Math.floor(Math.random() * count))) !== value) throw new Error('get gave another value than was set');
}

function run() {
  client.connect();
  client.prefill(work); // writes this client's share of the keys
  sweep.run(() => client.run(work));
}

export default called ? get : run;

export const handleSummary = report;
