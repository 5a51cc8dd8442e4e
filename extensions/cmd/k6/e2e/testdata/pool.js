// Clients that share a pool of fewer connections.
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'pool', clients: [1, 8], iterations: 50, warmup: '0s' });

const db = sql.open(postgres, __ENV.POSTGRES_URL, { shared: true, max_open_conns: 2 });

export default function () {
  db.query('select 1');
  sweep.run(() => db.query("select pg_sleep(0.005), count(*) as open from pg_stat_activity where application_name = 'xk6-sweep-pool'")
    .forEach(({ open }) => {
      if (open > 2) throw new Error(`${open} connections are open`);
    }));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
