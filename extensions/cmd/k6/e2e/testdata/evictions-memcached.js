// Four clients write more than a small memcached keeps.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';
import { Client } from 'k6/x/memcached';

export const options = {
  scenarios: { evictions: { executor: 'client-sweep', clients: [4], duration: '4s', warmup: '200ms', quiet: '0s' } },
};

const client = new Client(__ENV.CACHE);
const value = 'v'.repeat(100000);
let n = 0;

export default function () {
  client.connect();
  sweep.run(() => {
    sleep(0.01);
    client.set(`${__VU}-${n++}`, value);
  });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
