import { z } from 'zod';
import type { Direction, PageRequest } from '../db/paging.js';
import { fromText, int32Between, oneOf } from './schemas.js';

const DEFAULT_PAGE_SIZE = 20;

/** The query parameters of a list that can be sorted by the columns of these names, by the first unless told. */
export function pageQuery<Column extends string>(sortable: Readonly<Record<Column, unknown>>) {
  const [first, ...others] = Object.keys(sortable) as [Column, ...Column[]];
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
