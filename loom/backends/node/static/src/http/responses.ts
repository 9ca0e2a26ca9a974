import type { Context } from 'hono';
import { writeJson } from '../json.js';

/** Answers with a JSON body. */
export function respondJson(
  c: Context,
  body: unknown,
  status: 200 | 201 | 503 = 200,
  headers: Record<string, string> = {},
): Response {
  return c.body(writeJson(body), status, { ...headers, 'content-type': 'application/json' });
}

/** Answers that the work is done, with nothing to tell. */
export function respondEmpty(c: Context, headers: Record<string, string> = {}): Response {
  return c.body(null, 204, headers);
}
