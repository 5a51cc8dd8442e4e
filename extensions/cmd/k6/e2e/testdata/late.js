// An open loop of requests; with STOP=true the first one asks for k6 to be stopped.
import http from 'k6/http';
import sweep from 'k6/x/sweep';

export const options = sweep.options({
  scenario: 'late', rate: [100], preAllocatedVUs: 8, duration: '2s', warmup: '0s', quiet: '0s', op: 'get',
});

export default function () {
  sweep.run(() => http.get(`${__ENV.URL}?stop=${__ENV.STOP}`));
}
