// Requests to a server on this machine, judged by the gates of GATES.
import http from 'k6/http';
import sweep from 'k6/x/sweep';

export const options = sweep.options({
  scenario: 'burning', clients: [4], duration: '4s', warmup: '0s', quiet: '0s', op: 'get', ...(__ENV.GATES && { gates: __ENV.GATES }),
});

sweep.meta({ target: { kind: 'http', url: __ENV.URL } });

export default function () {
  sweep.run(() => http.get(__ENV.URL));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
