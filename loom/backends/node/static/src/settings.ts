import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LIMITS, SERVICE } from './service.js';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A whole number within bounds. */
function whole(least: number, greatest = Number.MAX_SAFE_INTEGER) {
  const digits = z.string().regex(/^[0-9]{1,15}$/);
  return digits.transform(Number).pipe(z.number().min(least).max(greatest));
}

const level = z.enum(['debug', 'info', 'warn', 'error']);

/** What each variable must be, as a refusal says it. */
const ALLOWED: Readonly<Record<string, string>> = {
  PORT: 'a whole number from 0 to 65535',
  LOG_LEVEL: 'debug, info, warn or error',
  LOOM_OPENAPI_UI: 'true or false',
  LOOM_BODY_LIMIT: 'a whole number from 1',
  LOOM_REQUEST_SECONDS: 'a whole number from 1',
  LOOM_DATABASE_CONNECTIONS: 'a whole number from 1',
  LOOM_DATABASE_SECONDS: 'a whole number from 1',
  LOOM_DRAIN_SECONDS: 'a whole number from 0',
  LOOM_GRACE_SECONDS: 'a whole number from 1',
};

const Environment = z.object({
  DATABASE_URL: z.string().optional(),
  DATABASE_URL_FILE: z.string().optional(),
  PORT: whole(0, 65535).default(SERVICE.port),
  LOG_LEVEL: level.default('info'),
  CORS_ORIGIN: z.string().default('*'),
  LOOM_OPENAPI_UI: flag.default(true),
  LOOM_BODY_LIMIT: whole(1).default(LIMITS.bodyBytes),
  LOOM_REQUEST_SECONDS: whole(1).default(LIMITS.requestSeconds),
  LOOM_DATABASE_CONNECTIONS: whole(1).default(LIMITS.databaseConnections),
  LOOM_DATABASE_SECONDS: whole(1).default(LIMITS.databaseSeconds),
  LOOM_DRAIN_SECONDS: whole(0).default(LIMITS.drainSeconds),
  LOOM_GRACE_SECONDS: whole(1).default(LIMITS.graceSeconds),
});

/** An environment that the service cannot start with: what is wrong, by variable. */
export class SettingsError extends Error {
  constructor(readonly refusals: ReadonlyMap<string, string>) {
    super([...refusals.values()].join('; '));
  }
}

export interface Settings {
  readonly databaseUrl: string;
  readonly port: number;
  readonly logLevel: z.infer<typeof level>;
  readonly corsOrigins: readonly string[];
  readonly showsDocs: boolean;
  readonly bodyLimit: number;
  readonly requestSeconds: number;
  readonly databaseConnections: number;
  readonly databaseSeconds: number;
  readonly drainSeconds: number;
  readonly graceSeconds: number;
}

/** Reads the settings from the environment; wrong ones stop the start with their names. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const read = parsed(environment);
  return {
    databaseUrl: databaseUrl(read.DATABASE_URL, read.DATABASE_URL_FILE),
    port: read.PORT,
    logLevel: read.LOG_LEVEL,
    corsOrigins: read.CORS_ORIGIN.split(',').map((origin) => origin.trim()),
    showsDocs: read.LOOM_OPENAPI_UI,
    bodyLimit: read.LOOM_BODY_LIMIT,
    requestSeconds: read.LOOM_REQUEST_SECONDS,
    databaseConnections: read.LOOM_DATABASE_CONNECTIONS,
    databaseSeconds: read.LOOM_DATABASE_SECONDS,
    drainSeconds: read.LOOM_DRAIN_SECONDS,
    graceSeconds: read.LOOM_GRACE_SECONDS,
  };
}

function parsed(environment: NodeJS.ProcessEnv): z.infer<typeof Environment> {
  const { data, error } = Environment.safeParse(given(environment));
  if (data !== undefined) return data;
  const names = error.issues.map(({ path }) => String(path[0]));
  throw new SettingsError(new Map(names.map((name) => [name, `${name} must be ${ALLOWED[name]}`])));
}

/** Spaces around a value do not count, and an empty one is not given; no origin is one, too. */
function given(environment: NodeJS.ProcessEnv): object {
  const trimmed = Object.entries(environment).map(([name, text = '']) => [name, text.trim()]);
  return Object.fromEntries(trimmed.filter(([name, text]) => text || name === 'CORS_ORIGIN'));
}

function databaseUrl(url: string | undefined, file: string | undefined): string {
  const text = url ?? (file === undefined ? '' : content(file));
  if (!text.startsWith('postgresql://')) {
    const refusal = 'DATABASE_URL or DATABASE_URL_FILE must give a postgresql:// address';
    throw new SettingsError(new Map([['DATABASE_URL', refusal]]));
  }
  return text;
}

function content(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const refusal = 'DATABASE_URL_FILE must name a file that can be read';
    throw new SettingsError(new Map([['DATABASE_URL_FILE', refusal]]));
  }
}
