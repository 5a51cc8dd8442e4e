// A sweep of a memcached, with a scenario that logs what to do to the server.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';
import { Client } from 'k6/x/memcached';

export const options = {
  scenarios: {
    inside: { executor: 'client-sweep', clients: [4], duration: '8s', quiet: '0s', onError: 'count' },
    marks: { executor: 'shared-iterations', vus: 1, iterations: 1, exec: 'marks' },
  },
};

const client = new Client(__ENV.MEMCACHED_URL, { timeout: '3s', connectTimeout: '1s' });

export function setup() {
  sweep.meta({ target: { kind: 'memcached', url: `tcp://${__ENV.MEMCACHED_URL}` } });
}

export default function () {
  client.set('key', 'value');
  sweep.run(() => {
    sleep(0.005);
    try {
      client.set('key', 'value');
    } catch (e) {
      sleep(0.01);
      throw e;
    }
  });
}

export function marks() {
  sleep(1);
  sweep.mark('the server is stopped');
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
