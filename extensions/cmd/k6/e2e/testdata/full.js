// 64 clients of a server with a lower limit.
import { sleep } from 'k6';
import memcached from 'k6/x/memcached';
import nats from 'k6/x/nats';
import resp from 'k6/x/resp';
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

const url = __ENV.SERVER;
const stores = {
  memcached: () => new memcached.Client(url),
  nats: () => new nats.Client(url),
  redis: () => new resp.Client(url),
  postgres: () => {
    const db = sql.open(postgres, url, { max_open_conns: 1 });
    return { connect: () => db.query('select 1'), info: () => db.query('select 1') };
  },
};
const works = { memcached: (client) => client.get('key'), nats: (client) => client.flush() };
const client = stores[__ENV.STORE]();
const work = works[__ENV.STORE] || ((c) => c.info());

export const options = sweep.options({ scenario: 'full', clients: [64], duration: '1s', onError: 'continue' });

export default function () {
  try {
    client.connect();
  } catch (e) {
    if (__ITER === 0) {
      console.log(`refused: ${e.kind}`);
    }
    throw e;
  }
  sweep.run(() => {
    sleep(0.01);
    work(client);
  });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
