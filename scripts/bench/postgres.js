// A row of pgbench's by its key, over a connection of each client: what pgbench --select-only does.
// See scripts/bench.sh.
import { sweepOptions, sweepReport } from '../../scenarios/lib/sweeping.js';
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';

export const options = sweepOptions('postgres', 'select');

export default function () {
  const db = sql.open(postgres, __ENV.POSTGRES_URL, { max_open_conns: 1 });
  const select = () => {
    const id = 1 + Math.floor(Math.random() * 100000);
    if (db.query('SELECT abalance FROM pgbench_accounts WHERE aid = $1', id).length !== 1) throw new Error(`there is no row ${id}`);
  };
  try {
    select(); // connects
    sweep.run(select);
  } finally {
    db.close();
  }
}

export const handleSummary = sweepReport;
