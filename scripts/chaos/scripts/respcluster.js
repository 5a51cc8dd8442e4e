// A Redis Cluster: pipelines. The address is the proxy's; the other servers are found through it.
import resp from 'k6/x/resp';
import { address, optionsOf, runs, timeout, work } from './lib.js';

const client = new resp.Client(address, { cluster: true, timeout, connectTimeout: timeout });

export const options = optionsOf('set', 'get');

export default function () {
  work(...runs(client));
}

export { handleSummary, setup, teardown } from './lib.js';
