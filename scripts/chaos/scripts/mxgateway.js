// An MXAccess gateway: sessions, in which each client reads different tags.
import mxgateway from 'k6/x/mxgateway';
import sweep from 'k6/x/sweep';
import exec from 'k6/execution';
import { address, cell, optionsOf, timeout, tls, work, wrong } from './lib.js';

const client = new mxgateway.Client(address, {
  apiKey: __ENV.KEY, proto: '../../../scenarios/lib/mxaccess_gateway.proto', timeout, connectTimeout: timeout, ...(tls ? { tls: {} } : {}),
});

export const options = optionsOf('open', 'read');

export default function () {
  const own = exec.vu.idInTest;
  const tags = [1, 2, 3].map((i) => `TestMachine_${`${(own * 3 + i) % 20 + 1}`.padStart(3, '0')}.TestChangingInt`);
  let open = false;

  work(() => {
    if (!open) {
      sweep.op('open', () => {
        quietly(() => client.close());
        client.open(cell);
        client.register(cell);
        client.subscribe(tags);
        open = true;
      });

      return;
    }
    sweep.op('read', () => {
      try {
        const got = client.readBulk(tags).map(({ tag }) => tag);
        if (got.join() !== tags.join()) wrong(`asked for ${tags.join()}, got ${got.join()}`);
      } catch (e) {
        open = e.kind === 'timeout'; // otherwise its session may be gone
        throw e;
      }
    });
  });
  quietly(() => client.close());
}

// Closing a session fails without a server. It does not count as an operation.
function quietly(end) {
  try {
    end();
  } catch (e) {
    console.debug(`the session did not end as it should: ${e.message}`);
  }
}

export { handleSummary, setup, teardown } from './lib.js';
