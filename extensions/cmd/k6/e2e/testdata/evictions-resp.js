// Four clients write more than a small Redis keeps.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';
import { Client } from 'k6/x/resp';

export const options = {
  scenarios: { evictions: { executor: 'client-sweep', clients: [4], duration: '4s', warmup: '200ms', quiet: '0s' } },
};

const client = new Client(__ENV.CACHE);

export default function () {
  client.connect();
  sweep.run(() => {
    sleep(0.01);
    client.run({ iterations: 10, mix: { set: 1 }, keys: { count: 2000 }, values: 10000 });
  });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
