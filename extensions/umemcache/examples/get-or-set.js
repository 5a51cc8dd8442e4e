// Each VU reads keys, some more often than others, and stores missing ones.
//
//   UMEM_URL=[::1]:10047 bin/k6 run extensions/umemcache/examples/get-or-set.js
import umemcache from 'k6/x/umemcache';
import { check } from 'k6';

export const options = { vus: 8, iterations: 8000 };

const client = new umemcache.Client(__ENV.UMEM_URL, { timeout: '10s' });

export default function () {
  const key = `key:${Math.floor(1000 * Math.random() ** 3)}`;
  const value = client.getOrSet(key, () => `value of ${key}`);
  check(value, { 'it is the key\'s': (v) => v === `value of ${key}` });
}
