// The output sweep-influxdb: the test checks the written points. The operations send requests to
// scripts/chaos, so that sockets are used.
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
