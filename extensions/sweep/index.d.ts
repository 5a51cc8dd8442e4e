/**
 * Sweeps in k6: the executor `client-sweep` runs a scenario with one number of clients after the other and measures
 * each step; this module lets scripts take part in it.
 *
 * ```js
 * import sweep from 'k6/x/sweep';
 *
 * export const options = {
 *   scenarios: {
 *     lookups: { executor: 'client-sweep', clients: [1, 8, 64], iterations: 10000, warmup: '2s' },
 *   },
 *   thresholds: { sweep_failed: ['count==0'], 'sweep_p99{clients:64}': ['value<20'] },
 * };
 *
 * export default function () {
 *   // Here a client connects; then all clients of the step start together.
 *   sweep.run(() => lookUp());
 * }
 *
 * export const handleSummary = (data) => sweep.report(data);
 * ```
 *
 * Metrics, all tagged with `scenario`, `clients` and `op`. Gauges go out once a second (of that second) and at the end
 * of a step (of the whole step, which is what a threshold judges in the end): `sweep_ops_per_second`; `sweep_p50`,
 * `sweep_p90`, `sweep_p95`, `sweep_p99`, `sweep_p999`, `sweep_max`, `sweep_mean` in milliseconds, of successful operations;
 * `sweep_clients_done` (without `op`). Counters: `sweep_ops`, `sweep_failed`, and `sweep_incomplete` (without `op`),
 * which counts steps in which not every client did its whole share. What modules emit in a warm-up has the tag
 * `phase: 'warm-up'` and no tag `clients`.
 */
declare module 'k6/x/sweep' {
  /** Options of a scenario with the executor `client-sweep`, beside those that all k6 executors have. */
  export interface ClientSweep {
    executor: 'client-sweep';
    /** The steps: how many clients each has. Steps run one after another, each as soon as the one before has ended. */
    clients: number[];
    /** How many operations each client does in each step. Either this or `duration`. */
    iterations?: number;
    /** For how long each step is measured. Operations under way at its end are done and counted. */
    duration?: string | number;
    /** How long the clients work before the start line, unmeasured. Default: not at all. */
    warmup?: string | number;
    /** How many times each step is run. Default: 1. */
    repeats?: number;
    /** The rest between two steps. Default: none. */
    pause?: string | number;
    /**
     * Cuts a step, counted from its beginning: connecting, warm-up and measured phase together. The step is then
     * reported as incomplete. Default: 10m.
     */
    maxDuration?: string | number;
    /** How long operations that are under way at maxDuration may still take; then they count as failed. Default: 5s. */
    gracefulStop?: string | number;
    /** The name of the operations, the tag `op`. Default: the scenario's name. */
    op?: string;
    exec?: string;
    env?: Record<string, string>;
    tags?: Record<string, string>;
    startTime?: string;
  }

  /**
   * Calls `fn` for each operation, until this client's share of the step is done. Before that it waits until all
   * clients of the step have come here, so that they start together; what a script does before, such as connecting, is
   * not measured. Call it once in a scenario's function.
   *
   * The loop is Go's: an operation costs one call of `fn`, one reading of the clock and one increment of a histogram,
   * and memory does not grow with the number of operations. What `fn` throws is counted as a failed operation, said in
   * the log once for each different text, and does not come out of here.
   *
   * A function that does not call it works as well: the executor then repeats that whole function, every call one
   * operation, its first call (which connects) unmeasured.
   *
   * @throws TypeError when `fn` is not a function
   * @throws SweepError under another executor, at a second call in one step, and when `fn` returns a promise
   */
  export function run(fn: () => unknown): void;

  /**
   * Tells the report what only the script knows. Call it in `setup()`. Later calls add to earlier ones.
   *
   * `target` is what was measured: `kind`, `version`, `driver`, `url`. A password in `url` is taken out. When the URL
   * names a server on this machine, the report has that server's processor time too. `params` is with what it was
   * measured.
   *
   * `results` is the folder that `report` will write to: it is made and tried now, so that no sweep ends without a report.
   *
   * @throws TypeError for an unknown fact, or when `target.url` is not a URL
   * @throws SweepError when nothing can be written to `results`
   */
  export function meta(facts: {
    target?: Record<string, unknown>;
    params?: Record<string, unknown>;
    results?: string;
  }): void;

  /**
   * What `handleSummary` is to return: the table of each scenario on standard output, and the files `<scenario>.json`
   * and `<scenario>.md` in `dir` ("results" when not given), which is created when it is missing. Where nothing can be
   * written to it, there is the table, and the reason on standard error.
   *
   * @param data what k6 gives to `handleSummary`; nothing of it is needed yet
   */
  export function report(data: unknown, options?: { dir?: string }): Record<string, string>;

  const sweep: { run: typeof run; meta: typeof meta; report: typeof report };
  export default sweep;
}
