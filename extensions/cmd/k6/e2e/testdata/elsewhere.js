// k6's own scenario: with OP its operations are timed by sweep.op; without, it calls sweep.run, which has no place here.
import sweep from 'k6/x/sweep';

export const options = { scenarios: { elsewhere: { executor: 'constant-vus', vus: 3, duration: '2s' } } };

export default function () {
  if (__ENV.OP) sweep.op('get', () => {});
  else sweep.run(() => {});
}
