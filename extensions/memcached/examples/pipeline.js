// Many commands in one round trip: pipelines, a call with many keys, and meta commands.
//
//   MEMCACHED_URL=127.0.0.1:11211 bin/k6 run extensions/memcached/examples/pipeline.js
import memcached from 'k6/x/memcached';

export const options = { vus: 2, iterations: 20 };

const client = new memcached.Client(__ENV.MEMCACHED_URL, { protocol: 'meta' });
const names = Array.from({ length: 50 }, (_, i) => `example-${i}`);

export default function () {
  client.pipeline(names.map((name) => ['set', name, `of ${name}`, '60s']));
  const values = client.getMulti(names);
  for (const name of names) {
    if (values[name] !== `of ${name}`) {
      throw new Error(`${name} is ${values[name]}`);
    }
  }

  const counter = `example-counter-${__VU}`;
  const [, , n] = client.pipeline([
    ['set', counter, '41', '60s'],
    ['touch', counter, '2m'],
    ['incr', counter],
    ['delete', counter],
  ]);
  if (n !== 42) {
    throw new Error(`41 + 1 is ${n}`);
  }

  const reply = client.meta.get(names[0], 'v t');
  if (__ITER === 0) {
    console.log(`${reply.value}, for another ${reply.flags.t} s`);
  }
}
