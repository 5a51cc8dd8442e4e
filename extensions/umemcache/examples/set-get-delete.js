// Stores a value, reads it back and deletes it.
//
//   UMEM_URL=[::1]:10047 bin/k6 run extensions/umemcache/examples/set-get-delete.js
import umemcache from 'k6/x/umemcache';
import { check } from 'k6';

export const options = { vus: 4, iterations: 400 };

const client = new umemcache.Client(__ENV.UMEM_URL, { values: 'binary', timeout: '10s' });
const value = new Uint8Array(1024).fill(7);

export default function () {
  const key = `example ${__VU}`;
  client.set(key, value);
  check(client.get(key), { 'what was set is there': (v) => v instanceof ArrayBuffer && v.byteLength === value.length });
  client.delete(key);
  check(client.get(key), { 'what was deleted is not': (v) => v === null }); // a miss costs a connection: see index.d.ts
}
