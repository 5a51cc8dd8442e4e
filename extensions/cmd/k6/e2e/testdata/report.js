// The same with a report.
import sweep from 'k6/x/sweep';

export { default, options } from './plain.js';
export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
