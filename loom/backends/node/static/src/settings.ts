import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { SERVICE } from './service.js';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const Environment = z.object({
  DATABASE_URL: z.string().optional(),
  DATABASE_URL_FILE: z.string().optional(),
  PORT: z.coerce.number().int().min(0).max(65535).default(SERVICE.port),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
  CORS_ORIGIN: z.string().default('*'),
  LOOM_OPENAPI_UI: flag.default(true),
  LOOM_BODY_LIMIT: z.coerce.number().int().positive().default(1_048_576),
  LOOM_DRAIN_SECONDS: z.coerce.number().int().min(0).default(5),
});

export interface Settings {
  readonly databaseUrl: string;
  readonly port: number;
  readonly corsOrigins: readonly string[];
  readonly showsDocs: boolean;
  readonly bodyLimit: number;
  readonly drainSeconds: number;
}

/** Reads the settings from the environment; a wrong one stops the start with its name. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const read = Environment.parse(environment);
  return {
    databaseUrl: databaseUrl(read.DATABASE_URL, read.DATABASE_URL_FILE),
    port: read.PORT,
    corsOrigins: read.CORS_ORIGIN.split(',').map((origin) => origin.trim()),
    showsDocs: read.LOOM_OPENAPI_UI,
    bodyLimit: read.LOOM_BODY_LIMIT,
    drainSeconds: read.LOOM_DRAIN_SECONDS,
  };
}

function databaseUrl(url: string | undefined, file: string | undefined): string {
  const text = url ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
  if (!text?.startsWith('postgresql://')) {
    throw new Error('DATABASE_URL or DATABASE_URL_FILE must give a postgresql:// address');
  }
  return text;
}
