// An open loop of calls with many operations each: WORK is one of works.
import memcached from 'k6/x/memcached';
import nats from 'k6/x/nats';
import sweep from 'k6/x/sweep';

const cache = new memcached.Client(__ENV.MEMCACHED_URL);
const client = new nats.Client(__ENV.NATS_URL);
// Runs of the test are parallel, and each drops its database.
const layout = client.layout({ layout: 'orb', database: `rates${__ENV.WORK.replace('.', '')}` });
const many = { iterations: 50 };
const gets = { ...many, mix: { get: 1 }, keys: { count: 10 } };

const works = {
  requestBatch: () => client.requestBatch('$JS.API.INFO', '', many), // a service of the server
  'layout.run': () => layout.run(gets),
  'client.run': () => cache.run(gets),
};

export const options = sweep.options({
  scenario: 'rates', rate: [500], preAllocatedVUs: 8, duration: '4s', op: __ENV.WORK === 'requestBatch' ? 'request' : 'get',
});

export default function () {
  client.connect();
  cache.connect();
  layout.prefill(gets);
  cache.prefill(gets);
  sweep.run(works[__ENV.WORK]);
}

export function teardown() {
  layout.drop();
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
