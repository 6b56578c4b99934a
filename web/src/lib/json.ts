/**
 * JSON without loss. Whole numbers a double cannot hold, as many systems use for ids, are BigInts here, and are written
 * as they were read. Browsers from before 2025 cannot write them: there they are rounded, as by `JSON.parse` alone.
 */
interface Raw {
  rawJSON?: (text: string) => unknown;
}
const { rawJSON } = JSON as Raw;

if (rawJSON) {
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value(this: bigint) {
      return rawJSON(String(this));
    },
    configurable: true,
    writable: true,
  });
}

/** A whole number of these digits as it is. */
export function whole(digits: string): number | bigint {
  const near = Number(digits);
  return rawJSON && !Number.isSafeInteger(near) && /^-?\d+$/.test(digits) ? BigInt(digits) : near;
}

/** Reads JSON; fails as `JSON.parse` does. */
export function parse(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, exact as (this: unknown, key: string, value: unknown) => unknown);
}

function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source ? whole(context.source) : value;
}
