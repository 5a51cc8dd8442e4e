// umem-cache: single commands, and runs of commands.
import umemcache from 'k6/x/umemcache';
import { address, optionsOf, runs, timeout, tls, work, writeAndRead } from './lib.js';

const client = new umemcache.Client(address, { timeout, connectTimeout: timeout, maxValue: 1 << 20, ...(tls ? { tls: {} } : {}) });

export const options = optionsOf('write', 'read', 'set', 'get');

export default function () {
  work(...writeAndRead((key, value) => client.set(key, value), (key) => client.get(key)), ...runs(client));
}

export { handleSummary, setup, teardown } from './lib.js';
