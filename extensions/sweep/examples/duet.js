// Compares two variants in one run: all clients alternate between them, so that noise affects both.
// Here the variants are two addresses, such as two builds of a server.
//     k6 run -e BASE_URL=http://127.0.0.1:8080/ -e HTTP_URL=http://127.0.0.1:8081/ duet.js
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8081/';
const baseURL = __ENV.BASE_URL || 'http://127.0.0.1:8080/';

export const options = sweep.options({ scenario: 'duet', clients: [1, 8], duration: '10s', warmup: '1s' });

export function setup() {
  sweep.meta({ target: { kind: 'http', url }, base: { url: baseURL } });
}

export default function () {
  sweep.run({ base: () => http.get(baseURL), change: () => http.get(url) });
}

export const handleSummary = (data) => sweep.report(data);
