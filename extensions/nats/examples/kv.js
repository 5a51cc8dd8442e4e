// A key-value bucket: values, revisions, keys, and a watch.
//
//   NATS_URL=nats://127.0.0.1:4222 bin/k6 run extensions/nats/examples/kv.js
import nats from 'k6/x/nats';

export const options = {
  vus: 2,
  iterations: 20,
  thresholds: { 'nats_op_duration{op:kv.put}': ['p(99)<1000'], 'nats_op_duration{op:kv.get}': ['p(99)<1000'] },
};

const bucket = 'example';
const js = new nats.Client(__ENV.NATS_URL).jetStream();
const kv = js.keyValue(bucket);

export function setup() {
  js.ensureKeyValue({ bucket, history: 5, storage: 'memory' });
}

export default async function () {
  const key = `vu-${__VU}.iteration-${__ITER}`;
  const revision = kv.put(key, 'one');
  if (kv.get(key).value !== 'one' || kv.get(`${key}-nobody-has-this`) !== null) {
    throw new Error('it did not come back');
  }
  kv.update(key, 'two', revision);
  try {
    kv.update(key, 'three', revision);
    throw new Error('only the first may update');
  } catch (e) {
    if (e.kind !== 'wrong_sequence') {
      throw e;
    }
  }
  if (kv.history(key).length !== 2 || kv.keys(`vu-${__VU}.*`).length < 1) {
    throw new Error('the bucket forgets');
  }

  const watch = kv.watch(key, (entry) => {
    if (entry.operation === 'purge') {
      watch.close(); // the iteration ends with it
    }
  });
  kv.purge(key);
}

export function teardown() {
  js.deleteKeyValue(bucket);
}
