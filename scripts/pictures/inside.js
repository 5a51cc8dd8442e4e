// A memcached that scripts/pictures.sh stops for a second, then kills and restarts, as the log
// shows.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';
import { Client } from 'k6/x/memcached';

export const options = {
  scenarios: {
    inside: { executor: 'client-sweep', clients: [4], duration: '8s', warmup: '1s', quiet: '0s', onError: 'count' },
    faults: { executor: 'shared-iterations', vus: 1, iterations: 1, exec: 'faults' },
  },
};

const client = new Client(__ENV.MEMCACHED_URL, { timeout: '3s', connectTimeout: '1s' });

export function setup() {
  sweep.meta({ target: { kind: 'memcached', url: `tcp://${__ENV.MEMCACHED_URL}` } });
}

export default function () {
  client.set('key', 'value');
  sweep.run(() => {
    try {
      client.set('key', 'value');
    } catch (e) {
      sleep(0.01);
      throw e;
    }
  });
}

export function faults() {
  for (const [after, fault] of [[2.5, 'stop'], [1, 'cont'], [1.5, 'kill'], [1.2, 'start']]) {
    sleep(after);
    if (fault === 'stop') sweep.mark('the server is stopped');
    console.log(`fault ${fault}`);
  }
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
