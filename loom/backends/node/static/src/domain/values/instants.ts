const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** The instant that an ISO 8601 text with an offset names, cut off to milliseconds. */
export function parseInstant(text: string): Date | undefined {
  const [, date, time, fraction = '', offset] = INSTANT.exec(text) ?? [];
  const local = new Date(`${date}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  // A date such as February 30 is moved into March instead of being refused.
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(`${date}T${time}`)) {
    return undefined;
  }
  const instant = new Date(local.toISOString().replace('Z', offset ?? 'Z'));
  return isInRange(instant) ? instant : undefined;
}

function isInRange(instant: Date): boolean {
  return instant.getTime() >= FIRST && instant.getTime() <= LAST;
}

/** The wire text of an instant: UTC, without trailing zeros in its fraction. */
export function instantText(instant: Date): string {
  return instant.toISOString().replace(/\.?0+Z$/, 'Z');
}
