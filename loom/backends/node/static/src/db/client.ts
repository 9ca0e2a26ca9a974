import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import { Client, type ClientConfig, Pool, types } from 'pg';
import { parseJson } from '../json.js';
import { errorText, log } from '../observability/log.js';

/** The database itself or a transaction on it: what repositories read and write through. */
export type Connection = PgDatabase<NodePgQueryResultHKT>;

types.setTypeParser(types.builtins.JSONB, parseJson);

/** A connection that gives up on a database that does not answer. */
class TimedClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: 5_000 });
  }
}

/** A pool whose sessions speak UTC, so that instants read back as they were written. */
export function createPool(databaseUrl: string): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    Client: TimedClient,
    // So long a request waits for one of the connections that others use.
    connectionTimeoutMillis: 30_000,
    options: '-c timezone=UTC',
  });
  // An error of a connection that nothing listens to would end the process. The pool tells those of
  // connections that wait for work, a connection all of its own; the log needs them once.
  pool.on('connect', (client) => client.on('error', reportError));
  pool.on('error', () => undefined);
  return pool;
}

function reportError(error: Error): void {
  log.error({ event: 'db_error', error: errorText(error) });
}

export function createDatabase(pool: Pool): Connection {
  const db: Connection = drizzle(pool);
  // By itself, a transaction that cannot begin would keep its connection for ever.
  db.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client).transaction(work, config);
    } finally {
      client.release();
    }
  };
  return db;
}
