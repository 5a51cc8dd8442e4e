// An operation that does nothing: what sweep.run itself costs. It needs no server.
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'empty', clients: [1], duration: '4s', warmup: '1s' }); // or CLIENTS and the like

export default function () {
  sweep.run(() => {});
}

export const handleSummary = (data) => sweep.report(data);
