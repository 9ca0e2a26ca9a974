import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { parseJson } from '../json.js';
import { errorText, log } from '../observability/log.js';
import { SESSION_OPTIONS } from '../service.js';
import type { Settings } from '../settings.js';

/** The database itself or a transaction on it: what repositories read and write through. */
export type Connection = PgDatabase<NodePgQueryResultHKT>;

types.setTypeParser(types.builtins.JSONB, parseJson);

/** A connection that gives up on a database that does not answer. */
class TimedClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: 5_000 });
  }
}

type Connected = (error?: Error, client?: PoolClient) => void;

/** A pool that says when a request finds all connections in use. */
class WatchedPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<PoolClient> | undefined {
    const connection = this.isFull() ? this.waited() : super.connect();
    if (connected === undefined) return connection;
    connection.then((client) => connected(undefined, client), connected);
    return undefined;
  }

  private isFull(): boolean {
    return this.idleCount === 0 && this.totalCount >= this.options.max;
  }

  private async waited(): Promise<PoolClient> {
    const { max: connections, connectionTimeoutMillis = 0 } = this.options;
    if (this.waitingCount === 0) log.warn({ event: 'db_pool_exhausted', connections });
    try {
      return await super.connect();
    } catch (cause) {
      const error = `none of ${connections} connections was free for ${connectionTimeoutMillis / 1_000} s`;
      log.error({ event: 'db_pool_exhausted', connections, error });
      throw new Error(error, { cause });
    }
  }
}

/** A pool whose sessions speak UTC, so that instants read back as they were written. */
export function createPool(settings: Settings): Pool {
  const pool = new WatchedPool({
    connectionString: settings.databaseUrl,
    Client: TimedClient,
    max: settings.databaseConnections,
    // So long a request waits for one of the connections that others use.
    connectionTimeoutMillis: settings.databaseSeconds * 1_000,
    options: SESSION_OPTIONS,
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
