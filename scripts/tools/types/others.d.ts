//
// Declarations missing in @types/k6 and in ours: other modules in our binaries, as far as our
// scripts use them.

/** k6's console, a subset of a browser's. */
declare const console: Record<'debug' | 'error' | 'info' | 'log' | 'warn', (...values: unknown[]) => void>;

/** Returns the module's exports; only in the init context. */
declare function require(module: string): any;

declare module 'k6/x/redis' {
  class Client {
    constructor(url: string);
    del(...keys: string[]): Promise<number>;
    get(key: string): Promise<string>;
    set(key: string, value: string | number | boolean, seconds: number): Promise<string>;
  }
  const redis: { Client: typeof Client };
  export default redis;
}
