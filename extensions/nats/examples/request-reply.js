// Sends requests to a service that one VU of the test provides, single ones and in batches.
//
//   NATS_URL=nats://127.0.0.1:4222 bin/k6 run extensions/nats/examples/request-reply.js
import nats from 'k6/x/nats';

export const options = {
  vus: 2,
  iterations: 20,
  thresholds: {
    'nats_ops{op:request,outcome:ok}': ['count>0'],
    'nats_op_duration{op:request}': ['p(99)<1000'],
    'nats_op_duration{name:loud}': ['p(99)<1000'],
  },
};

const client = new nats.Client(__ENV.NATS_URL, { timeout: '2s' });

export default async function () {
  const subject = `example.service.${__VU}.${__ITER}`;

  const echo = client.respond(subject); // in Go: returns the data of each request
  if (client.request(subject, 'hello').data !== 'hello') {
    throw new Error('no echo');
  }
  const answers = await Promise.all(['a', 'b', 'c'].map((data) => client.asyncRequest(subject, data)));
  if (answers.map((m) => m.data).join('') !== 'abc') {
    throw new Error('answers are mixed up');
  }
  echo.close();

  const service = client.subscribe(subject, (m) => m.respond(m.data.toUpperCase()), { queue: 'workers' }); // in JavaScript
  const answer = await client.asyncRequest(subject, 'loud', { headers: { Trace: '1' }, tags: { name: 'loud' } });
  if (answer.data !== 'LOUD') {
    throw new Error(`${answer.data} is not loud`);
  }
  service.close();

  try {
    client.request('example.nobody', 'x');
  } catch (e) {
    if (e.kind !== 'no_responders') {
      throw e;
    }
  }
}
