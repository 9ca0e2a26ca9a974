import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Pool, PoolClient } from 'pg';
import { errorText, log } from '../observability/log.js';

/** A file that cannot be applied, by its context and name. */
export class MigrationError extends Error {
  constructor(
    readonly migration: string,
    reason: unknown,
  ) {
    super(errorText(reason));
  }
}

const BREAKPOINT = /^--> statement-breakpoint$/m;

/** Any number, as long as every replica takes the same lock. */
const LOCK = 7_110_317;

interface Migration {
  readonly context: string;
  readonly version: string;
  readonly file: string;
  readonly sql: string;
  readonly sha256: string;
}

/** Brings the database up to date; replicas that start together wait for each other. */
export async function migrate(pool: Pool, folder: URL): Promise<void> {
  const migrations = await readMigrations(folder);
  log.info({ event: 'migrations_starting' });
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    for (const migration of await pending(client, migrations)) await apply(client, migration);
    log.info({ event: 'migrations_complete' });
  } finally {
    client.release(true);
  }
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const context of (await readdir(folder)).sort()) {
    for (const name of (await readdir(new URL(`${context}/`, folder))).sort()) {
      const file = `${context}/${name}`;
      const sql = await readFile(new URL(file, folder), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      migrations.push({ context, version: name.slice(0, 14), file, sql, sha256 });
    }
  }
  return migrations;
}

/** Those that were not applied yet; stops at one that was changed after it had been. */
async function pending(client: PoolClient, migrations: Migration[]): Promise<Migration[]> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS "public"."__loom_migrations" (
      "context" TEXT NOT NULL,
      "version" TEXT NOT NULL,
      "sha256" TEXT NOT NULL,
      "applied_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
      PRIMARY KEY ("context", "version")
    )`,
  );
  const { rows } = await client.query<{ context: string; version: string; sha256: string }>(
    'SELECT "context", "version", "sha256" FROM "public"."__loom_migrations"',
  );
  const applied = new Map(rows.map((row) => [`${row.context}/${row.version}`, row.sha256]));
  return migrations.filter((migration) => {
    const sha256 = applied.get(`${migration.context}/${migration.version}`);
    if (sha256 !== undefined && sha256 !== migration.sha256) {
      throw new MigrationError(migration.file, 'changed after it was applied');
    }
    return sha256 === undefined;
  });
}

async function apply(client: PoolClient, { context, version, file, sql, sha256 }: Migration) {
  await client.query('BEGIN');
  try {
    for (const statement of sql.split(BREAKPOINT)) await client.query(statement);
    await client.query(
      'INSERT INTO "public"."__loom_migrations" ("context", "version", "sha256") VALUES ($1, $2, $3)',
      [context, version, sha256],
    );
    await client.query('COMMIT');
  } catch (error) {
    throw new MigrationError(file, error);
  }
  log.info({ event: 'migration_applied', context, version });
}
