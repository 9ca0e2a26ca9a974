import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Refusal } from '../domain/errors.js';
import { writeJson } from '../json.js';
import { sentPath } from './paths.js';

export interface FieldError {
  readonly pointer: string;
  readonly message: string;
  readonly code?: string | undefined;
}

/** What a problem body says; its members are written in this order. */
export interface Problem {
  readonly status: ContentfulStatusCode;
  readonly title: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

/** A request that cannot be understood, before any rule of the domain is asked. */
export class ClientError extends Error {
  constructor(
    readonly problem: Problem,
    readonly headers: Record<string, string> = {},
  ) {
    super(problem.detail ?? problem.title);
  }
}

const REFUSALS: Record<Refusal['kind'], Pick<Problem, 'status' | 'title'>> = {
  domain_error: { status: 422, title: 'Unprocessable Entity' },
  forbidden: { status: 403, title: 'Forbidden' },
  disallowed: { status: 409, title: 'Disallowed' },
  not_found: { status: 404, title: 'Not Found' },
  conflict: { status: 409, title: 'Conflict' },
};

export function problemOf(refusal: Refusal): Problem {
  return { ...REFUSALS[refusal.kind], detail: refusal.message };
}

export const INTERNAL_ERROR: Problem = {
  status: 500,
  title: 'Internal Server Error',
  detail: 'internal',
};

export function malformedJson(): ClientError {
  return new ClientError({
    status: 400,
    title: 'Bad Request',
    detail: 'Malformed JSON in request body',
  });
}

export function unsupportedMediaType(): ClientError {
  return new ClientError({
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'Content-Type must be application/json',
  });
}

export function contentTooLarge(limit: number): ClientError {
  return new ClientError({
    status: 413,
    title: 'Content Too Large',
    detail: `Request body is larger than ${limit} bytes`,
  });
}

export function invalidFields(errors: readonly FieldError[]): ClientError {
  return new ClientError({
    status: 422,
    title: 'Validation failed',
    detail: 'One or more fields are invalid.',
    errors,
  });
}

export function noSuchRoute(): ClientError {
  return new ClientError({ status: 404, title: 'Not Found', detail: 'no such route' });
}

export function methodNotAllowed(method: string, allowed: readonly string[]): ClientError {
  return new ClientError(
    { status: 405, title: 'Method Not Allowed', detail: `${method} is not allowed here` },
    { allow: allowed.join(', ') },
  );
}

export function malformedRequest(): ClientError {
  return new ClientError({ status: 400, title: 'Bad Request', detail: 'Malformed HTTP request' });
}

export function headTooLarge(limit: number): ClientError {
  return new ClientError({
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: `Request head is larger than ${limit} bytes`,
  });
}

export function requestTimeout(seconds: number): ClientError {
  return new ClientError({
    status: 408,
    title: 'Request Timeout',
    detail: `Request did not arrive within ${seconds} seconds`,
  });
}

export function unknownCoding(): ClientError {
  return new ClientError({
    status: 501,
    title: 'Not Implemented',
    detail: 'Transfer-Encoding must be chunked',
  });
}

/** The body of the answer to a request for the path `instance`. */
export function problemText(problem: Problem, instance: string): string {
  const { status, title, detail, errors } = problem;
  return writeJson({ type: 'about:blank', title, status, detail, instance, errors });
}

/** Answers with `application/problem+json`. */
export function respondProblem(
  c: Context,
  problem: Problem,
  headers: Record<string, string> = {},
): Response {
  return c.body(problemText(problem, sentPath(c)), problem.status, {
    ...headers,
    'content-type': 'application/problem+json',
  });
}
