import type { Context } from 'hono';
import { VersionConflictError } from '../domain/errors.js';

/** The entity tag of a version of an aggregate. */
export function versionTag(version: number): { etag: string } {
  return { etag: `"${version}"` };
}

/** Refuses a change to another version than the one that the caller knows. */
export function checkVersion(c: Context, current: number): void {
  const expected = expectedVersion(c);
  if (expected !== undefined && expected !== current) throw new VersionConflictError();
}

/** The version that the caller believes to change; anything but digits is no belief. */
function expectedVersion(c: Context): number | undefined {
  const match = /^"?(\d{1,10})"?$/.exec(c.req.header('if-match') ?? '');
  return match === null ? undefined : Number(match[1]);
}
