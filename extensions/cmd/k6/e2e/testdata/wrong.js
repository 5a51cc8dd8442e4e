// A wrong call, selected by CALL, before anything is connected.
import memcached, { Client } from 'k6/x/memcached';
import sweep from 'k6/x/sweep';
import { sleep } from 'k6';

export const options = { vus: 2, duration: '1m' };

const client = new Client('127.0.0.1:1', { timeout: '100ms', connectTimeout: '100ms' });
const calls = {
  sync: () => client.set('key', 'value', { ttl: 60 }),
  async: async () => { await client.asyncSet('key', 'value', { ttl: 60 }); },
  inAsync: async () => { client.set('key', 'value', { ttl: 60 }); },
  name: () => client.getAsync('key'),
  asyncName: async () => { await client.getAsync('key'); },
  module: () => memcached.client('127.0.0.1'),
  op: () => sweep.op('set', () => client.set('key', 'value', 60)),
};

export default function () {
  sleep(0.1);
  switch (__ENV.CALL) {
    case 'caught':
      for (const call of ['sync', 'name', 'module']) {
        try {
          calls[call]();
        } catch (e) {
          if (!(e instanceof Error) || e.kind !== 'usage') throw new Error(`not caught: ${e}`);
        }
      }
      return calls.async().catch((e) => { if (e.kind !== 'usage') throw e; });
    case 'server':
      return client.get('key');
    default:
      return calls[__ENV.CALL]();
  }
}
