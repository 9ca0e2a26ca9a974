import type { Context } from 'hono';
import { VersionConflictError } from '../domain/errors.js';

/** The entity tag of a version of an aggregate. */
export function versionTag(version: number): { etag: string } {
  return { etag: `"${version}"` };
}

/** Refuses a change to another version than the one that the caller knows. */
export function checkVersion(c: Context, current: number): void {
  const expected = expectedVersion(c);
  if (expected !== undefined && expected !== BigInt(current)) throw new VersionConflictError();
}

/** The version that the caller believes to change; anything but digits, in quotes or not, is no belief. */
function expectedVersion(c: Context): bigint | undefined {
  const [, quoted, bare] = /^(?:"(\d+)"|(\d+))$/.exec(c.req.header('if-match') ?? '') ?? [];
  const digits = quoted ?? bare;
  return digits === undefined ? undefined : BigInt(digits);
}
