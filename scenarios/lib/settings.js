// What scenarios are told: variables from `-e NAME=value` or from the environment. A malformed value is an error that
// names the variable and what it accepts.

function refuse(name, accepts) {
  throw new Error(`${name} must be ${accepts}, but is "${__ENV[name]}"`);
}

function given(name) {
  return __ENV[name] !== undefined && __ENV[name] !== '';
}

/** A text, or fallback when the variable is not set. */
export function text(name, fallback) {
  return given(name) ? __ENV[name] : fallback;
}

/** A whole number from least to most. */
export function wholeNumber(name, fallback, least = 1, most = Number.MAX_SAFE_INTEGER) {
  if (!given(name)) return fallback;
  const n = Number(__ENV[name]);
  if (!Number.isInteger(n) || n < least || n > most) {
    refuse(name, `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`);
  }
  return n;
}

/** A comma-separated list of whole numbers from 1 to most. */
export function wholeNumbers(name, fallback, most) {
  if (!given(name)) return fallback;
  const list = __ENV[name].split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (list.some((n) => !Number.isInteger(n) || n < 1 || n > most)) {
    refuse(name, `a comma-separated list of whole numbers from 1 to ${most}, such as 1,8,64`);
  }
  return list;
}

/** A duration as k6 writes it: "30s", "1m30s", "500ms". More than nothing, unless zero is allowed. */
export function duration(name, fallback, { zero = false } = {}) {
  if (!given(name)) return fallback;
  const nothing = !/[1-9]/.test(__ENV[name]);
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(__ENV[name]) || (nothing && !zero)) {
    refuse(name, `a duration such as 30s, 1m30s or 500ms${zero ? '' : ', more than 0'}`);
  }
  return __ENV[name];
}

/** true or false; also 1 and 0, yes and no. */
export function flag(name, fallback) {
  if (!given(name)) return fallback;
  const value = __ENV[name].toLowerCase();
  if (['true', '1', 'yes'].includes(value)) return true;
  if (['false', '0', 'no'].includes(value)) return false;
  return refuse(name, 'true or false');
}

/** One of the values. */
export function oneOf(name, values, fallback) {
  if (!given(name)) return fallback;
  if (!values.includes(__ENV[name])) refuse(name, `one of ${values.join(', ')}`);
  return __ENV[name];
}

/** A comma-separated list of some of the values, all of them when the variable is not set. */
export function someOf(name, values) {
  if (!given(name)) return values;
  const list = __ENV[name].split(',').map((part) => part.trim());
  if (list.some((value) => !values.includes(value))) refuse(name, `a comma-separated list of some of ${values.join(', ')}`);
  return list;
}
