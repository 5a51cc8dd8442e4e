// PostgreSQL queries that last longer than the timeout.
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'sleeping', clients: [8], iterations: 1, warmup: '0s', op: 'sleep' });

export default function () {
  const db = sql.open(postgres, __ENV.POSTGRES_URL, { max_open_conns: 1 });
  db.exec('select 1');
  sweep.run(() => db.query('select pg_sleep(300)'));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
