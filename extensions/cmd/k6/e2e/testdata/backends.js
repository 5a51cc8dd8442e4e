// Queries that use processor time of PostgreSQL's backends, one process per connection.
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'backends', clients: [1, 2], iterations: 10, pause: '0s' });

export function setup() {
  sweep.meta({ target: { kind: 'postgres', url: __ENV.ADDRESS } });
}

export default function () {
  const db = sql.open(postgres, __ENV.POSTGRES_URL, { max_open_conns: 1 });
  db.query('select 1');
  sweep.run(() => db.query('select count(*) from generate_series(1, 1000000)'));
  db.close();
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
