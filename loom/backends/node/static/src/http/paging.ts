import { z } from 'zod';
import { fromText, int32Between, oneOf } from './schemas.js';

type Direction = 'asc' | 'desc';

const DEFAULT_PAGE_SIZE = 20;

/** Which page of a list is wanted, and in which order. */
export interface PageRequest<Column extends string = string> {
  readonly page: number;
  readonly pageSize: number;
  readonly sort: Column;
  readonly dir: Direction;
}

/** The query parameters of a list that can be sorted by these columns. */
export function pageQuery<const Column extends string>(first: Column, ...others: Column[]) {
  return {
    page: fromText(int32Between(1, 1_000_000)).default(1),
    pageSize: fromText(int32Between(1, 500)).default(DEFAULT_PAGE_SIZE),
    sort: oneOf(first, ...others)
      .optional()
      .transform((column) => column ?? first),
    dir: z
      .unknown()
      .optional()
      .transform((text): Direction => (text === 'desc' ? 'desc' : 'asc')),
  };
}

/** One page as it is answered. */
export function pageBody(items: readonly object[], total: number, request: PageRequest) {
  const { page, pageSize } = request;
  return { items, page, pageSize, total, totalPages: Math.ceil(total / pageSize) };
}
