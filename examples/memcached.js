// Measures gets and sets per second of memcached, and their latency, with 1, 4 and 16 clients.
// Each step lasts DURATION, 5 s by default.
//     k6 run memcached.js -e MEMCACHED_URL=127.0.0.1:11211 -e CLIENTS=1,8,32 -e DURATION=10s
import memcached from 'k6/x/memcached';
import sweep from 'k6/x/sweep';

const address = __ENV.MEMCACHED_URL || '127.0.0.1:11211';
const keys = 10000;
const value = 'x'.repeat(100);

const client = new memcached.Client(address);

export const options = sweep.options({ scenario: 'memcached', op: 'lookup', clients: [1, 4, 16], duration: '5s', warmup: '1s' });

export function setup() {
  sweep.meta({ target: { kind: 'memcached', url: `memcached://${address}` } });
}

export default function () {
  client.connect(); // all clients of a step connect; then they start together
  sweep.run(() => { // one call is one operation: a get and, if the key is missing, a set
    client.getOrSet(`xk6-sweep-${Math.floor(Math.random() * keys)}`, '60s', () => value);
  });
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
