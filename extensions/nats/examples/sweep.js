// Sweeps the number of clients: each puts and gets keys of a bucket.
//
//   NATS_URL=nats://127.0.0.1:4222 bin/k6 run extensions/nats/examples/sweep.js
import sweep from 'k6/x/sweep';
import nats from 'k6/x/nats';

export const options = {
  scenarios: { kv: { executor: 'client-sweep', clients: [1, 8, 32], iterations: 1000, warmup: '500ms', op: 'put-get' } },
  thresholds: { sweep_failed: ['count==0'], sweep_incomplete: ['count==0'] },
};

const bucket = 'example-sweep';
const client = new nats.Client(__ENV.NATS_URL);
const js = client.jetStream();
const kv = js.keyValue(bucket);

export function setup() {
  js.ensureKeyValue({ bucket, storage: 'memory' });
}

export default function () {
  client.connect(); // before the measurement starts
  sweep.run(() => {
    const key = `key-${Math.floor(Math.random() * 1000)}`;
    kv.put(key, 'a value');
    kv.get(key);
  });
}

export function teardown() {
  js.deleteKeyValue(bucket);
}

export const handleSummary = (data) => sweep.report(data);
