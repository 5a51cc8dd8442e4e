// A sweep in a script that knows nothing of sweeps, nor of reports.
export const options = {
  scenarios: { bare: { executor: 'client-sweep', clients: [1, 2], iterations: 50 } },
};

export default function () {}
