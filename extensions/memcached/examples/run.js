// Sweeps the number of clients. Each call runs many operations in Go; some keys are read more often
// than others.
//
//   MEMCACHED_URL=127.0.0.1:11211 bin/k6 run extensions/memcached/examples/run.js
import sweep from 'k6/x/sweep';
import memcached from 'k6/x/memcached';

export const options = sweep.options({
  scenario: 'run', clients: [1, 4, 16], iterations: 200, warmup: '500ms', opNames: ['get'],
});

const client = new memcached.Client(__ENV.MEMCACHED_URL);
/** @type {XK6SweepCaches.Workload} */
const work = { iterations: 1000, mix: { get: 1 }, keys: { distribution: 'zipf', count: 1000, prefix: 'example:' } };

export default function () {
  client.connect(); // before the measurement starts
  client.prefill(work); // also before it starts
  sweep.run(() => client.run(work)); // each operation counts; the call ends with the client's share
}

export const handleSummary = (data) => sweep.report(data);
