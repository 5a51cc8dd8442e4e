// Thresholds on failed operations, as on http_req_failed, with one of k6's executors.
import { Client } from 'k6/x/memcached';

export const options = {
  iterations: 20,
  thresholds: { [__ENV.METRIC || 'memcached_failed']: ['rate==0'], 'memcached_failed{page:home}': ['rate==0'] },
};

const client = new Client(__ENV.MEMCACHED_URL, { timeout: '5s', connectTimeout: '5s', prefix: 'failed-' });

export default function () {
  client.get('key', { tags: { page: 'home' } });
}
