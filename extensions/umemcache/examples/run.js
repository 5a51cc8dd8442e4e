// Sweeps the number of clients: many operations in each call, done in Go, on keys of which some are
// asked for more often.
//
//   UMEM_URL=[::1]:10047 bin/k6 run extensions/umemcache/examples/run.js
import sweep from 'k6/x/sweep';
import umemcache from 'k6/x/umemcache';

export const options = sweep.options({
  scenario: 'run', clients: [1, 4, 16], iterations: 200, warmup: '500ms', opNames: ['getOrSet'],
});

const client = new umemcache.Client(__ENV.UMEM_URL);
/** @type {XK6SweepCaches.Workload} */
const work = { iterations: 1000, mix: { getOrSet: 1 }, keys: { distribution: 'zipf', count: 1000, prefix: 'example:' } };

export default function () {
  client.connect(); // before the start line,
  client.prefill(work); // and so is the writing of all keys
  sweep.run(() => client.run(work)); // each operation counts; the client's share ends the call
}

export const handleSummary = (data) => sweep.report(data);
