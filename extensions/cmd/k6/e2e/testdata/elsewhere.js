// k6's own scenario. With OP, sweep.op times its operations; without, it calls sweep.run, which is
// an error here.
import sweep from 'k6/x/sweep';

export const options = { scenarios: { elsewhere: { executor: 'constant-vus', vus: 3, duration: '2s' } } };

export default function () {
  if (__ENV.OP) sweep.op('get', () => {});
  else sweep.run(() => {});
}
