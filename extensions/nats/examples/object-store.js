// An object store: objects of any size, in chunks.
//
//   NATS_URL=nats://127.0.0.1:4222 bin/k6 run extensions/nats/examples/object-store.js
import nats from 'k6/x/nats';

export const options = { vus: 2, iterations: 20, thresholds: { nats_errors: ['count==0'] } };

const bucket = 'example';
const js = new nats.Client(__ENV.NATS_URL, { timeout: '10s' }).jetStream();
const store = js.objectStore(bucket);
const megabyte = new Uint8Array(1024 * 1024).fill(7);

export function setup() {
  js.ensureObjectStore({ bucket, storage: 'memory', maxAge: '10m' });
}

export default function () {
  const name = `vu ${__VU}, iteration ${__ITER}`;
  const { size, chunks } = store.put({ name, description: 'sevens', chunkSize: 65536 }, megabyte);
  if (size !== megabyte.length || chunks !== 16) {
    throw new Error(`${size} bytes in ${chunks} chunks`);
  }
  if (store.get(name).raw.byteLength !== megabyte.length || store.list().length < 1) {
    throw new Error('it did not come back');
  }
  store.delete(name);
  if (store.get(name) !== null) {
    throw new Error('it is still there');
  }
}

export function teardown() {
  js.deleteObjectStore(bucket);
}
