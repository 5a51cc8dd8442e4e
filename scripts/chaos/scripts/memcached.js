// memcached: single commands, and pipelines.
import memcached from 'k6/x/memcached';
import { address, optionsOf, runs, timeout, tls, work, writeAndRead } from './lib.js';

const client = new memcached.Client(address, { timeout, connectTimeout: timeout, maxValue: 1 << 20, ...(tls ? { tls: {} } : {}) });

export const options = optionsOf('write', 'read', 'set', 'get');

export default function () {
  work(...writeAndRead((key, value) => client.set(key, value), (key) => client.get(key)), ...runs(client));
}

export { handleSummary, setup, teardown } from './lib.js';
