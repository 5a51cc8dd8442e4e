// A sweep with a selectable limit.
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const { URL: url, RATE: rate, DURATION: duration, WORK: work, RESULTS: dir } = __ENV;

const load = rate ? { rate: [Number(rate)], preAllocatedVUs: 4 } : { clients: [4] };

export const options = sweep.options({
  scenario: 'witness', ...load, duration: duration || '2s', warmup: '200ms', allowFailed: true, quiet: '0s',
});

sweep.meta({ target: { kind: 'http', url } });

const works = {
  get: () => http.get(url),
  compute: () => {
    for (let n = 0; n < 5000; n++) Math.sqrt(n);
    http.get(url);
  },
};

export default function () {
  sweep.run(works[work || 'get']);
}

export const handleSummary = (data) => sweep.report(data, { dir });
