// A plain function, repeated by the executor.
import { Client } from 'k6/x/machbase';

const db = new Client(__ENV.MACHBASE_URL);
let calls = 0;

export const options = {
  scenarios: {
    plain: {
      executor: 'client-sweep',
      clients: JSON.parse(__ENV.CLIENTS || '[1, 3]'),
      ...(__ENV.DURATION ? { duration: __ENV.DURATION } : { iterations: 20 }),
      warmup: __ENV.WARMUP || '0s',
      maxDuration: '20s',
      // Completes the share even without any success, however long a busy machine takes.
      ...(__ENV.SQL ? { onError: 'continue' } : {}),
      tags: { flavour: 'vanilla' },
    },
  },
};

export default function () {
  calls += 1;
  db.query(__ENV.SQL || 'select count(*) from v$version', [], { rows: 'discard' });
  if (__ENV.FAIL && calls % Number(__ENV.FAIL) === 0) throw new Error('call failed on purpose');
}
