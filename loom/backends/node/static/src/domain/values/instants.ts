import { DomainError } from '../errors.js';

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');

const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const LONGEST = LAST - FIRST + 1;

function isInRange(milliseconds: number): boolean {
  return milliseconds >= FIRST && milliseconds <= LAST;
}

/** The instant that an ISO 8601 text with an offset names, cut off to milliseconds. */
export function parseInstant(text: string): Date | undefined {
  const [, date, time, fraction = '', offset = 'Z'] = INSTANT.exec(text) ?? [];
  const local = new Date(`${date}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  // A date such as February 30 is moved into March instead of being refused.
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(`${date}T${time}`)) {
    return undefined;
  }
  const instant = new Date(local.toISOString().replace('Z', offset));
  return isInRange(instant.getTime()) ? instant : undefined;
}

/** The wire text of an instant: UTC, without trailing zeros in its fraction. */
export function instantText(instant: Date): string {
  return instant.toISOString().replace(/\.?0+Z$/, 'Z');
}

function settled(milliseconds: number): Date {
  if (!isInRange(milliseconds)) throw new DomainError('arithmetic overflow');
  return new Date(milliseconds);
}

/** The instant that comes so many milliseconds after another. */
export function later(instant: Date, length: number): Date {
  return settled(instant.getTime() + length);
}

export function earlier(instant: Date, length: number): Date {
  return settled(instant.getTime() - length);
}

/** The milliseconds from `start` to `end`. */
export function elapsed(end: Date, start: Date): number {
  return end.getTime() - start.getTime();
}

/** Midnight, UTC. */
export function startOfDay(instant: Date): Date {
  return new Date(new Date(instant).setUTCHours(0, 0, 0, 0));
}

/** A length of time in milliseconds, which must not exceed that of all years there are. */
export function duration(milliseconds: number): number {
  if (Math.abs(milliseconds) > LONGEST) throw new DomainError('arithmetic overflow');
  return milliseconds + 0;
}

export function days(count: number): number {
  return duration(count * 86_400_000);
}

export function hours(count: number): number {
  return duration(count * 3_600_000);
}

export function minutes(count: number): number {
  return duration(count * 60_000);
}
