// Sweeps the number of clients: each gets keys of which most are there, and sets those that are
// not.
//
//   MEMCACHED_URL=127.0.0.1:11211 k6 run examples/memcached.js
import sweep from 'k6/x/sweep';
import memcached from 'k6/x/memcached';

export const options = {
  scenarios: { lookup: { executor: 'client-sweep', clients: [1, 8, 32], iterations: 2000, warmup: '500ms', op: 'lookup' } },
  thresholds: { sweep_failed: ['count==0'], sweep_incomplete: ['count==0'] },
};

const client = new memcached.Client(__ENV.MEMCACHED_URL);
const value = 'x'.repeat(100);

export default function () {
  client.connect(); // before the start line
  sweep.run(() => {
    client.getOrSet(`example-${Math.floor(Math.random() * 10000)}`, '60s', () => value);
  });
}

export const handleSummary = (data) => sweep.report(data);
