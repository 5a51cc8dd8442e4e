// Records in the layouts of go-orb and go-micro: single calls, and many operations in one call.
//
//   NATS_URL=nats://127.0.0.1:4222 bin/k6 run extensions/nats/examples/layout.js
import nats from 'k6/x/nats';

export const options = { vus: 2, iterations: 20, thresholds: { nats_errors: ['count==0'] } };

const client = new nats.Client(__ENV.NATS_URL);
/** @type {('orb' | 'orb-compat' | 'micro')[]} */
const names = ['orb', 'orb-compat', 'micro'];
const layouts = names.map((layout) => client.layout({ layout, database: `example-${layout}` }));

export default function () {
  const key = `vu-${__VU}-iteration-${__ITER}`;
  for (const layout of layouts) {
    layout.put(key, 'a value', { table: 'books' });
    if (layout.get(key, { table: 'books' }).value !== 'a value' || layout.get('nobody') !== null) {
      throw new Error('it did not come back');
    }
    if (layout.list({ table: 'books', prefix: `vu-${__VU}-` }).length < 1) {
      throw new Error('there are no keys');
    }
    layout.delete(key, { table: 'books' });

    const { succeeded, failed } = layout.run({ iterations: 100, mix: { get: 9, set: 1 }, keys: { count: 50 }, values: 200 }); // in Go
    if (succeeded !== 100 || failed !== 0) {
      throw new Error(`${failed} operations failed`);
    }
  }
}

export function teardown() {
  layouts.forEach((layout) => layout.drop());
}
