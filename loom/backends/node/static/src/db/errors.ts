import { DatabaseError } from 'pg';
import { ConflictError, VersionConflictError } from '../domain/errors.js';

const UNIQUE_VIOLATION = '23505';

const FOREIGN_KEY_VIOLATION = '23503';

const INTEGRITY_CLASS = '23';

const SERIALIZATION_FAILURE = '40001';

const DEADLOCK_DETECTED = '40P01';

/** The database's own error inside whatever the query builder wrapped around it. */
function databaseError(error: unknown): DatabaseError | undefined {
  if (error instanceof DatabaseError) return error;
  return error instanceof Error && error.cause !== undefined
    ? databaseError(error.cause)
    : undefined;
}

/** The SQLSTATE that says another transaction got in the way: the same work may succeed if run again. */
export function retryableState(error: unknown): string | undefined {
  const code = databaseError(error)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED ? code : undefined;
}

export function isForeignKeyViolation(error: unknown): boolean {
  return databaseError(error)?.code === FOREIGN_KEY_VIOLATION;
}

/** A conflict in the caller's terms when the database refused the change, else the error itself. */
export function asConflict(error: unknown): unknown {
  const code = databaseError(error)?.code;
  if (code === UNIQUE_VIOLATION) {
    return new ConflictError('A resource with these values already exists.');
  }
  if (code?.startsWith(INTEGRITY_CLASS)) {
    return new ConflictError('The request conflicts with the current state.');
  }
  return retryableState(error) !== undefined ? new VersionConflictError() : error;
}
