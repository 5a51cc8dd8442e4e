// Gets from a memcached, with RATE in an open loop, while k6 or the server is stopped.
import memcached from 'k6/x/memcached';
import sweep from 'k6/x/sweep';

const client = new memcached.Client(__ENV.MEMCACHED_URL);
const work = { duration: '1h', mix: { get: 1 }, keys: { count: 100 }, values: 100 };
const load = __ENV.RATE
  ? { rate: [Number(__ENV.RATE)], preAllocatedVUs: Number(__ENV.CLIENTS) }
  : { clients: [Number(__ENV.CLIENTS)] };

export const options = sweep.options({
  scenario: 'stopped', op: 'get', ...load, duration: __ENV.DURATION, warmup: '200ms', gates: __ENV.GATES,
});

export default function () {
  client.connect();
  client.prefill(work);
  client.set('key', 'value');
  sweep.run(__ENV.IN_GO ? () => client.run(work) : () => client.get('key'));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
