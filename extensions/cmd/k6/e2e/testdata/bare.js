// A sweep in a script without k6/x/sweep and without a report.
export const options = {
  scenarios: { bare: { executor: 'client-sweep', clients: [1, 2], iterations: 50 } },
};

export default function () {}
