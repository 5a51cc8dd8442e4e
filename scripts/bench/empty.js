// An operation that does nothing, to measure sweep.run. It needs no server.
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'empty', clients: [1], duration: '4s', warmup: '1s' }); // CLIENTS and others override these

export default function () {
  sweep.run(() => {});
}

export const handleSummary = (data) => sweep.report(data);
