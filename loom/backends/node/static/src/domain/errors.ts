/** A refusal that the caller can understand; the message is what the caller reads. */
export abstract class Refusal extends Error {
  abstract readonly kind: 'domain_error' | 'forbidden' | 'disallowed' | 'not_found' | 'conflict';
}

/** A business rule does not hold: a precondition, an invariant, or arithmetic without a result. */
export class DomainError extends Refusal {
  readonly kind = 'domain_error';
}

/** The caller may not do this. */
export class ForbiddenError extends Refusal {
  readonly kind = 'forbidden';
}

/** The operation is not allowed in the current state. */
export class DisallowedError extends Refusal {
  readonly kind = 'disallowed';
}

export class NotFoundError extends Refusal {
  readonly kind = 'not_found';
}

/** No aggregate has this id. */
export class AggregateNotFoundError extends NotFoundError {}

/** The request contradicts what is stored. */
export class ConflictError extends Refusal {
  readonly kind = 'conflict';
}

export class VersionConflictError extends ConflictError {
  constructor() {
    super('The resource was modified by another request; reload and retry.');
  }
}

/** Stops unless a rule of the domain holds. */
export function ensure(holds: boolean, detail: string): void {
  if (!holds) throw new DomainError(detail);
}

/** Stops unless the caller may do this. */
export function authorize(allowed: boolean, detail: string): void {
  if (!allowed) throw new ForbiddenError(detail);
}
