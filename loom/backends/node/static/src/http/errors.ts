import type { Context } from 'hono';
import { asConflict } from '../db/errors.js';
import { DomainError, Refusal } from '../domain/errors.js';
import { errorText, log } from '../observability/log.js';
import { domainFaults } from '../observability/metrics.js';
import {
  ClientError,
  INTERNAL_ERROR,
  type Problem,
  problemOf,
  respondProblem,
} from './problems.js';

/** Turns whatever a handler threw into a problem answer, and says in the log which kind it was. */
export function handleError(thrown: Error, c: Context): Response {
  const error = isOverflow(thrown) ? new DomainError('recursion too deep') : asConflict(thrown);
  if (error instanceof ClientError) {
    recordClientError(error.problem);
    return respondProblem(c, error.problem, error.headers);
  }
  if (error instanceof Refusal) {
    domainFaults.inc({ kind: error.kind });
    log.warn({ event: error.kind, detail: error.message });
    return respondProblem(c, problemOf(error));
  }
  domainFaults.inc({ kind: 'internal_error' });
  log.error({ event: 'internal_error', error: errorText(error) });
  return respondProblem(c, INTERNAL_ERROR);
}

export function recordClientError({ detail }: Problem): void {
  domainFaults.inc({ kind: 'client_error' });
  log.warn({ event: 'client_error', detail });
}

/** True for a function of the model that calls itself more often than this process can follow. */
function isOverflow(thrown: Error): boolean {
  return thrown instanceof RangeError && thrown.message === 'Maximum call stack size exceeded';
}
