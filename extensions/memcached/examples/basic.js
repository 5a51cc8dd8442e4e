// Stores, reads, counts and compares-and-swaps.
//
//   MEMCACHED_URL=127.0.0.1:11211 bin/k6 run extensions/memcached/examples/basic.js
import memcached from 'k6/x/memcached';

export const options = {
  vus: 2,
  iterations: 20,
  thresholds: {
    'memcached_ops{outcome:ok}': ['count>0'],
    'memcached_op_duration{op:get}': ['p(99)<1000'],
  },
};

// One connection per VU, opened by its first operation and closed when the test ends.
const client = new memcached.Client(__ENV.MEMCACHED_URL, { prefix: 'example:', timeout: '1s' });

export default function () {
  const key = `vu-${__VU}`;
  client.set(key, 'value', '60s');
  if (client.get(key) !== 'value') {
    throw new Error('it did not come back');
  }
  if (client.get(`${key}-nobody-has-this`) !== null) {
    throw new Error('a miss is null');
  }

  const seen = client.gets(key);
  if (client.cas(key, 'new', seen.cas, '60s') !== 'stored' || client.cas(key, 'newer', seen.cas, '60s') !== 'exists') {
    throw new Error('only the first may swap');
  }

  const bytes = new Uint8Array([0, 13, 10, 255]);
  client.set(key, bytes, { ttl: '60s', flags: 1 });
  if (client.get(key, { as: 'binary' }).byteLength !== bytes.length) {
    throw new Error('bytes come back as they are');
  }

  client.add(`${key}-count`, '0', '60s');
  client.incr(`${key}-count`);
  client.getOrSet(`${key}-page`, '60s', (name) => `the page of ${name}`);

  try {
    client.incr(key);
  } catch (e) {
    if (e.kind !== 'invalid') {
      throw e;
    }
    if (__ITER === 0) {
      console.log(`${e.name}: ${e.message}`);
    }
  }
}
