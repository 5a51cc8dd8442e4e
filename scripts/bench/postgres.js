// PostgreSQL with k6/x/sql, one connection per client. FORM: select (a row of pgbench by its key,
// as pgbench --select-only) or insert (a row into pgbench_history).
import sql from 'k6/x/sql';
import postgres from 'k6/x/sql/driver/postgres';
import sweep from 'k6/x/sweep';
import { report, step, target } from './step.js';

export const options = step(__ENV.FORM);

export const setup = () => target('postgres', __ENV.POSTGRES_URL);

const id = () => 1 + Math.floor(Math.random() * 100000);

function select(db) {
  if (db.query('select abalance from pgbench_accounts where aid = $1', id()).length !== 1) throw new Error('there is no such row');
}

function insert(db) {
  if (db.exec('insert into pgbench_history (tid, bid, aid, delta, mtime) values ($1, $2, $3, $4, current_timestamp)', 1, 1, id(), 7).rowsAffected() !== 1) {
    throw new Error('no row was inserted');
  }
}

export default function () {
  const db = sql.open(postgres, __ENV.POSTGRES_URL, { max_open_conns: 1 });
  const operation = __ENV.FORM === 'insert' ? insert : select;
  try {
    operation(db); // connects
    sweep.run(() => operation(db));
  } finally {
    db.close();
  }
}

export const handleSummary = report;
