// A duet whose change sleeps for MS milliseconds and whose base for BASE_MS. GATES judges it. With
// DISTURBED, both sleep for up to five times as long in every other half second.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = sweep.options({
  scenario: 'work', clients: [4], gates: __ENV.GATES, ...(__ENV.PRECISION ? { precision: '5%', maxDuration: '60s' } : { duration: '8s' }),
});
if (__ENV.SERVERS) sweep.meta({ target: { url: 'http://127.0.0.1:1' }, base: { url: 'http://127.0.0.1:2' } });

const disturbed = () => __ENV.DISTURBED && Date.now() % 1000 < 500;
const of = (ms) => () => sleep((disturbed() ? ms * (1 + 4 * Math.random()) : ms) / 1000);
const variants = { base: of(Number(__ENV.BASE_MS || 5)), change: of(Number(__ENV.MS)) };

export default () => sweep.run(variants);

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
