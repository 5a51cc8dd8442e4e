// Deletes the rows that stock-append.js has appended so far.
import { Client } from 'k6/x/machbase';

const db = new Client(__ENV.MACHBASE_URL);

export default function () {
  db.exec('exec table_flush(stock_append_tick)');
  console.log(`${db.exec('delete from stock_append_tick')} rows are lost`);
}
