// Gets of 100 bytes from memcached at a rate, whether those before have ended or not. See
// scripts/bench.sh.
import memcached from 'k6/x/memcached';
import sweep from 'k6/x/sweep';

const names = Array.from({ length: 10000 }, (_, i) => `key:${String(i).padStart(12, '0')}`);
const value = 'x'.repeat(100);
const client = new memcached.Client(__ENV.MEMCACHED_URL);

export const options = sweep.options({
  scenario: 'open',
  op: 'get',
  rate: [Number(__ENV.RATE)],
  preAllocatedVUs: Number(__ENV.CLIENTS),
  duration: __ENV.DURATION,
  warmup: __ENV.WARMUP,
});

export function setup() {
  client.setMulti(Object.fromEntries(names.map((name) => [name, value])));
}

export default function () {
  client.connect();
  sweep.run(() => {
    if (client.get(names[Math.floor(Math.random() * names.length)]) !== value) throw new Error('get gave another value than was set');
  });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
