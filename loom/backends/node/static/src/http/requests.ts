import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { z } from 'zod';
import { parseJson } from '../json.js';
import {
  ClientError,
  contentTooLarge,
  type FieldError,
  invalidFields,
  malformedJson,
  requestTimeout,
  unsupportedMediaType,
} from './problems.js';
import { ownMembers } from './schemas.js';

export const REQUEST_ID = 'x-request-id';

export interface HttpEnvironment {
  Bindings: HttpBindings;
  Variables: { bodyLimit: number; requestSeconds: number };
}

type Shape = { path?: z.ZodType; query?: z.ZodType; body?: z.ZodType };

/** The parts of a request that `shape` names, checked; every violation is told at once. */
export async function readRequest<Parts extends Shape>(
  c: Context<HttpEnvironment>,
  shape: Parts,
): Promise<z.output<z.ZodObject<Parts>>> {
  const parts = {
    path: c.req.param(),
    query: lastValues(c.req.queries()),
    body: shape.body === undefined ? undefined : await readBody(c),
  };
  const result = z.object(shape).safeParse(parts);
  if (!result.success) throw invalidFields(fieldErrors(result.error.issues));
  return result.data;
}

/** A parameter given more than once has its last value, as a JSON member has. */
function lastValues(queries: Record<string, string[]>): unknown {
  const last = Object.entries(queries).map(([name, values]) => [name, values.at(-1)]);
  return ownMembers(Object.fromEntries(last));
}

/** The JSON value of the body; no body counts as an empty object. */
async function readBody(c: Context<HttpEnvironment>): Promise<unknown> {
  const bytes = await readBytes(c.req.raw, c.get('bodyLimit'), c.get('requestSeconds'));
  if (bytes.length === 0) return {};
  if (!isJson(c.req.header('content-type'))) throw unsupportedMediaType();
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw malformedJson();
  }
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** The bytes of the body, if all arrive in time. */
async function readBytes(request: Request, limit: number, seconds: number): Promise<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(requestTimeout(seconds)), seconds * 1_000);
  });
  try {
    return await Promise.race([readWithin(request, limit), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readWithin(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > limit) throw contentTooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > limit) throw contentTooLarge(limit);
      chunks.push(chunk);
    }
  } catch (error) {
    // A client that goes away leaves half a body.
    throw error instanceof ClientError ? error : malformedJson();
  }
  return Buffer.concat(chunks);
}

/** One error per pointer, in the order in which the members are declared. */
function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const issue of issues) {
    const pointer = issue.path
      .slice(1)
      .map((name) => `/${escapePointer(String(name))}`)
      .join('');
    if (!errors.has(pointer)) {
      errors.set(pointer, { pointer, message: issue.message, code: messageCode(issue) });
    }
  }
  return [...errors.values()];
}

/** The stable id of a message that the model's author wrote. */
function messageCode(issue: z.core.$ZodIssue): string | undefined {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
