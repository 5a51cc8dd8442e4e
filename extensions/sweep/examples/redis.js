// Sweeps Redis: how fast is a GET with 1, 4 and 16 clients? The functions of k6/x/redis return
// promises, so the scenario's function is async. sweep.run is not for those: the executor repeats
// the whole function, and waits for each promise.
//     k6 run -e REDIS_URL=redis://127.0.0.1:6379 redis.js
import { check } from 'k6';
import redis from 'k6/x/redis';
import sweep from 'k6/x/sweep';

const key = 'xk6-sweep-example';
const value = 'x'.repeat(100);

const client = new redis.Client(__ENV.REDIS_URL || 'redis://127.0.0.1:6379');

export const options = {
  scenarios: {
    redis: { executor: 'client-sweep', clients: [1, 4, 16], iterations: 200, warmup: '500ms', op: 'get' },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    'sweep_p99{clients:16}': ['value<1000'], // ms
  },
};

export async function setup() {
  await client.set(key, value, 0);
}

export default async function () {
  // An error of Redis makes it a failed operation, and so does a check that fails.
  check(await client.get(key), { 'the value is the one that was set': (got) => got === value });
}

export async function teardown() {
  await client.del(key);
}

export const handleSummary = (data) => sweep.report(data);
