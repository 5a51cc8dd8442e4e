// Sweeps Redis (or Valkey): how many GETs a second, and how long do they take, the more clients
// there are?
//     k6 run redis.js -e REDIS_URL=redis://127.0.0.1:6379 -e CLIENTS=1,8,32 -e DURATION=10s
import { check } from 'k6';
import redis from 'k6/x/redis';
import sweep from 'k6/x/sweep';

const url = __ENV.REDIS_URL || 'redis://127.0.0.1:6379';
const key = 'xk6-sweep-example';
const value = 'x'.repeat(100);

const client = new redis.Client(url);

export const options = sweep.options({ scenario: 'redis', op: 'get', clients: [1, 4, 16], iterations: 200, warmup: '500ms' });

export async function setup() {
  sweep.meta({ target: { kind: 'redis', url } }); // on this machine, the report has the server's processor time as well
  await client.set(key, value, 0);
}

// Functions of k6/x/redis return promises. So the whole function is the operation: it is repeated,
// and its first call, which connects, is not measured. What throws and a check that fails make it a
// failed operation.
export default async function () {
  check(await client.get(key), { 'the value is the one that was set': (got) => got === value });
}

export async function teardown() {
  await client.del(key);
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
