// VUs of k6 that do nothing, under an executor of its own: what there is less of in no script. See
// scripts/bench.sh.
export const options = {
  scenarios: { bare: { executor: 'per-vu-iterations', vus: Number(__ENV.CLIENTS), iterations: 1 } },
};

export default function () {}
