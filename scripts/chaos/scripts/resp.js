// Redis: pipelines.
import resp from 'k6/x/resp';
import { address, optionsOf, runs, timeout, tls, work } from './lib.js';

const client = new resp.Client(`${tls ? 'rediss' : 'redis'}://${address}`, { timeout, connectTimeout: timeout });

export const options = optionsOf('set', 'get');

export default function () {
  work(...runs(client));
}

export { handleSummary, setup, teardown } from './lib.js';
