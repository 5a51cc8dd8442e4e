// Sweeps the number of clients. Each call runs many operations in Go; some keys are read more often
// than others.
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
  client.connect(); // before the measurement starts
  client.prefill(work); // also before it starts
  sweep.run(() => client.run(work)); // each operation counts; the call ends with the client's share
}

export const handleSummary = (data) => sweep.report(data);
