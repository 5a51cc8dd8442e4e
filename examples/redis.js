// Measures GETs per second of Redis (or Valkey), and their latency, with 1, 4 and 16 clients. Each
// step lasts DURATION, 5 s by default.
//     k6 run redis.js -e REDIS_URL=redis://127.0.0.1:6379 -e CLIENTS=1,8,32 -e DURATION=10s
import { check } from 'k6';
import redis from 'k6/x/redis';
import sweep from 'k6/x/sweep';

const url = __ENV.REDIS_URL || 'redis://127.0.0.1:6379';
const key = 'xk6-sweep-example';
const value = 'x'.repeat(100);

const client = new redis.Client(url);

export const options = sweep.options({ scenario: 'redis', op: 'get', clients: [1, 4, 16], duration: '5s', warmup: '1s' });

export async function setup() {
  sweep.meta({ target: { kind: 'redis', url } }); // for a server on this machine, the report has its processor time
  await client.set(key, value, 0);
}

// Functions of k6/x/redis return promises, so each call of this function is one operation. The
// first one connects, and is not measured. An exception or a failed check makes it a failed
// operation.
export default async function () {
  check(await client.get(key), { 'the value is the one that was set': (got) => got === value });
}

export async function teardown() {
  await client.del(key);
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
