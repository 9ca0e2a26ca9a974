import { isDeepStrictEqual } from 'node:util';
import { and, eq, getTableColumns, or, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Connection } from './client.js';

/** How many values one statement may bind. */
const MAX_VALUES = 65_535;

/** How many rows one statement names; many more are too complex for the database. */
const MAX_ROWS = 1_000;

type Row = Record<string, unknown>;

/** The rows that a table has of one aggregate, by primary key. */
export interface TableRows {
  readonly table: PgTable;
  readonly key: readonly string[];
  readonly rows: ReadonlyMap<string, Row>;
}

export function tableRows<Table extends PgTable>(
  table: Table,
  key: readonly (keyof Table['$inferInsert'] & string)[],
  rows: readonly Table['$inferInsert'][],
): TableRows {
  const byKey = rows.map((row): [string, Row] => [key.map((name) => row[name]).join(), row]);
  return { table, key, rows: new Map(byKey) };
}

/** Writes the difference: for each table, one statement for what is gone and one for what is new or changed. */
export async function saveChanges(
  tx: Connection,
  before: readonly TableRows[],
  after: readonly TableRows[],
): Promise<void> {
  const changes = after.map((now, index) => ({ now, known: before[index]?.rows ?? new Map() }));
  for (const { now, known } of changes.toReversed()) {
    const gone = [...known].filter(([key]) => !now.rows.has(key)).map(([, row]) => row);
    await deleteRows(tx, now, gone);
  }
  for (const { now, known } of changes) {
    const changed = [...now.rows].filter(([key, row]) => !isDeepStrictEqual(row, known.get(key)));
    const rows = changed.map(([, row]) => row);
    await upsertRows(tx, now, rows);
  }
}

async function deleteRows(tx: Connection, { table, key }: TableRows, gone: Row[]): Promise<void> {
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => key.includes(name));
  const isRow = (row: Row) => and(...columns.map(([name, column]) => eq(column, row[name])));
  for (const batch of batches(gone, key.length)) {
    await tx.delete(table).where(or(...batch.map(isRow)));
  }
}

async function upsertRows(tx: Connection, { table, key }: TableRows, rows: Row[]): Promise<void> {
  const columns = Object.entries(getTableColumns(table));
  const target = columns.filter(([name]) => key.includes(name)).map(([, column]) => column);
  const set = columns
    .filter(([name]) => !key.includes(name))
    .map(([name, column]): [string, SQL] => [name, sql`excluded.${sql.identifier(column.name)}`]);
  for (const batch of batches(rows, columns.length)) {
    const insertion = tx.insert(table).values(batch);
    if (set.length === 0) await insertion;
    else await insertion.onConflictDoUpdate({ target, set: Object.fromEntries(set) });
  }
}

/** Rows in portions for one statement each; a row has as many values. */
function* batches(rows: readonly Row[], values: number): Generator<Row[]> {
  const size = Math.min(MAX_ROWS, Math.floor(MAX_VALUES / values));
  for (let start = 0; start < rows.length; start += size) {
    yield rows.slice(start, start + size);
  }
}

/** A list of the child, if there is one. */
export function present<Child>(child: Child | null): Child[] {
  return child === null ? [] : [child];
}

/** What `make` gives for each row, by the owner of the row. */
export function groupedBy<Row, Owner, Child>(
  rows: readonly Row[],
  owner: (row: Row) => Owner,
  make: (row: Row) => Child,
): Map<Owner, Child[]> {
  const children = new Map<Owner, Child[]>();
  for (const row of rows) {
    const siblings = children.get(owner(row));
    if (siblings === undefined) children.set(owner(row), [make(row)]);
    else siblings.push(make(row));
  }
  return children;
}

/** The one child that every owner has. */
export function onlyChild<Child>(children: readonly Child[] | undefined): Child {
  const [child] = children ?? [];
  if (child === undefined) throw new Error('a row that every owner has is missing');
  return child;
}
