// The same, with the report that a script without k6/x/sweep does not write.
import sweep from 'k6/x/sweep';

export { default, options } from './plain.js';
export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
