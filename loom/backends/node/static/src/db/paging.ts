export type Direction = 'asc' | 'desc';

/** Which page of a list is wanted, and in which order. */
export interface PageRequest<Column extends string = string> {
  readonly page: number;
  readonly pageSize: number;
  readonly sort: Column;
  readonly dir: Direction;
}
