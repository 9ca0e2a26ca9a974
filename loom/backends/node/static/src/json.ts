import { Decimal } from './domain/values/decimals.js';

const MAX_DEPTH = 64;

/** A number as it was written, so that no digit is lost on the way through a float. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** The value of a JSON text, its numbers as written; throws a SyntaxError when it is none. */
export function parseJson(text: string): unknown {
  if (depth(text) > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
  return JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' ? new JsonNumber(context.source ?? String(value)) : value,
  );
}

function depth(text: string): number {
  let deepest = 0;
  let level = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gs)) {
    if (token === '[' || token === '{') level += 1;
    if (token === ']' || token === '}') level -= 1;
    deepest = Math.max(deepest, level);
  }
  return deepest;
}

/** Whether a number can be written without an exponent, in the digits that any double has. */
export function isPlain(number: JsonNumber): boolean {
  const value = new Decimal(number.text);
  return value.isZero() || (value.e <= 308 && value.decimalPlaces() <= 340);
}

/** The text of a wire value: numbers of any size are written exactly. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member));
    return member instanceof JsonNumber ? JSON.rawJSON(plainNumber(member.text)) : member;
  });
}

/** Without exponent or trailing zeros. */
function plainNumber(text: string): string {
  return /[.eE]/.test(text) ? new Decimal(text).toFixed() : text;
}

/** A decimal as a JSON number. */
export function decimalNumber(value: Decimal): JsonNumber {
  return new JsonNumber(value.toFixed());
}
