// A sweep of a server that got work from the script's setup.
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const { URL: url, QUIET: quiet, RESULTS: dir } = __ENV;

export const options = sweep.options({ scenario: 'quiet', clients: [2, 1], iterations: 5, quiet });

export function setup() {
  sweep.meta({ target: { kind: 'http', url } });
  http.get(`${url}/load`);
}

export default function () {
  sweep.run(() => http.get(url));
}

export const handleSummary = (data) => sweep.report(data, { dir });
