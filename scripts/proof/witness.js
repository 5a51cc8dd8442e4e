// HTTP steps for scripts/proof/witness.sh. WORK selects what an operation does besides its request.
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const { URL: url, WORK: work, CLIENTS: clients, RATE: rate, RESULTS: dir } = __ENV;
const load = rate ? { rate: [Number(rate)], preAllocatedVUs: 16 } : { clients: [Number(clients || 8)] };

export const options = {
  ...sweep.options({
    scenario: 'witness', ...load, duration: __ENV.DURATION || '4s', warmup: __ENV.WARMUP || '500ms', quiet: '0s', allowFailed: true, onError: 'continue',
  }),
  noConnectionReuse: __ENV.REUSE === 'false', // saves some of the few files for the report
};

sweep.meta({ target: { kind: 'http', url } });

const works = {
  get: () => http.get(url),
  compute: () => {
    for (let n = 0; n < 100000; n += 1) Math.sqrt(n);
    http.get(url);
  },
  garbage: () => {
    const garbage = Array.from({ length: 20000 }, (_, n) => ({ n, text: `${n}` }));
    http.get(`${url}/?${garbage.length}`);
  },
};

export default function () {
  sweep.run(works[work || 'get']);
}

export const handleSummary = (data) => sweep.report(data, { dir });
