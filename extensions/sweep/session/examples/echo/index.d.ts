/** A client of servers that send each line back. */
declare module 'k6/x/echo' {
  /** What goes wrong with an operation. */
  export interface EchoError extends Error {
    name: 'EchoError';
    /** `other` (another line came back), `connection`, `cancelled` (the test ended), `usage`. */
    kind: string;
    /** 0: these servers have no codes. */
    code: number;
  }

  /**
   * Connects to a server at the first operation, or with `connect`. All methods throw an
   * `EchoError`.
   */
  export class Client {
    /** @param address host:port */
    constructor(address: string);
    connect(): void;
    close(): void;
    /**
     * Sends a line, and returns what comes back. Bytes count in `data_sent` and `data_received`.
     */
    echo(text: string): string;
    /** The same as a promise. */
    asyncEcho(text: string): Promise<string>;
    /**
     * `iterations` operations in one call, in Go: each sends `batch` lines (1) of `size` characters
     * (10), and reads them.
     */
    run(options: { iterations: number; size?: number; batch?: number }): { succeeded: number; failed: number; seconds: number };
  }

  const echo: { Client: typeof Client };
  export default echo;
}
