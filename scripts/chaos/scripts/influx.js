// The output sweep-influxdb: what counts is what it writes. The operations themselves ask
// scripts/chaos, so that sockets are taken.
import http from 'k6/http';
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';
import { optionsOf } from './lib.js';

export const options = optionsOf('wait');

export default function () {
  sweep.run(() => sweep.op('wait', () => {
    if (http.get(`${__ENV.CONTROL}/alive`, { timeout: '5s' }).status !== 200) throw new Error('scripts/chaos does not answer');
    sleep(0.02);
  }));
}

export { handleSummary, setup, teardown } from './lib.js';
