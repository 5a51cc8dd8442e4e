// A duet whose change sleeps for MS milliseconds and whose base for 5, judged by the gates of GATES.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'work', clients: [4], duration: '8s', gates: __ENV.GATES });

const of = (ms) => () => sleep(ms / 1000);
const variants = { base: of(5), change: of(Number(__ENV.MS)) };

export default () => sweep.run(variants);

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
