// An operation works in -e ROUNDS rounds: nothing but the processor takes part in it.
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'spin', clients: [1], duration: '1s', warmup: '200ms', quiet: '0s', op: 'work' });

const rounds = Number(__ENV.ROUNDS);

function work() {
  let sum = 0;
  for (let i = 0; i < rounds; i += 1) sum += i;
  return sum;
}

export default function () {
  sweep.run(work);
}
