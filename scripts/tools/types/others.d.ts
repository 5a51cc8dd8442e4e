// What the declarations of k6 and of our modules lack: the modules of others in our
// binaries, as far as our scripts use them.

/** k6's console, which is less than a browser's. */
declare const console: Record<'debug' | 'error' | 'info' | 'log' | 'warn', (...values: unknown[]) => void>;

/** What the module exports; for the init context. */
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
