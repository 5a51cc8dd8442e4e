// A sweep of HTTP in time windows, for scripts/distributed.sh: 4 clients, far longer than a test
// waits.
import http from 'k6/http';
import sweep from 'k6/x/sweep';

export const options = sweep.options({
  scenario: 'http', clients: [4], duration: __ENV.DURATION, warmup: '0s', portable: __ENV.PORTABLE === 'true',
});

export default function () {
  sweep.run(() => http.get(__ENV.HTTP_URL));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
