// Gets of 100 bytes from memcached at a rate, whether those before have ended or not. See
// scripts/bench.sh.
import memcached from 'k6/x/memcached';
import sweep from 'k6/x/sweep';

const client = new memcached.Client(__ENV.MEMCACHED_URL);
// The time of the step is what ends it.
const work = { duration: '1h', mix: { get: 1 }, keys: { count: 10000 }, values: 100, verify: true };

export const options = sweep.options({
  scenario: 'open',
  op: 'get',
  rate: [Number(__ENV.RATE)],
  preAllocatedVUs: Number(__ENV.CLIENTS),
  duration: __ENV.DURATION,
  warmup: __ENV.WARMUP,
});

export default function () {
  client.connect();
  client.prefill(work); // writes this client's share of the keys
  sweep.run(() => client.run(work));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
