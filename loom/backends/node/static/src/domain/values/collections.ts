import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../errors.js';
import { Decimal, dividedBy, plus } from './decimals.js';
import { int32, int64 } from './integers.js';
import { compareTexts } from './texts.js';

type Ordered = number | bigint | string | Date | Decimal;

type Key<Item, Result> = (item: Item) => Result;

const ZERO = new Decimal(0);

function compare(left: Ordered, right: Ordered): number {
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (left instanceof Decimal && right instanceof Decimal) return left.comparedTo(right);
  return Number(left > right) - Number(left < right);
}

/** What so many steps make of the first value; each other value is asked for at its step. */
export function folded<Result, Item>(
  step: (result: Result, item: Item) => Result,
  first: Result,
  later: readonly (() => Item)[],
): Result {
  return later.reduce((result, value) => step(result, value()), first);
}

/** Whether all of the conditions hold; none is asked after the first that does not. */
export function allOf(conditions: readonly (() => boolean)[]): boolean {
  return conditions.every((holds) => holds());
}

/** Whether any of the conditions holds; none is asked after the first that does. */
export function anyOf(conditions: readonly (() => boolean)[]): boolean {
  return conditions.some((holds) => holds());
}

export function sumOfInts<Item>(items: readonly Item[], of: Key<Item, number>): number {
  return items.reduce((sum, item) => int32(sum + of(item)), 0);
}

export function sumOfLongs<Item>(items: readonly Item[], of: Key<Item, bigint>): bigint {
  return items.reduce((sum, item) => int64(sum + of(item)), 0n);
}

export function sumOfDecimals<Item>(items: readonly Item[], of: Key<Item, Decimal>): Decimal {
  return items.reduce((sum, item) => plus(sum, of(item)), ZERO);
}

export function averageOf<Item>(
  items: readonly Item[],
  of: Key<Item, number | bigint | Decimal>,
): Decimal | null {
  if (items.length === 0) return null;
  const sum = sumOfDecimals(items, (item) => new Decimal(of(item)));
  return dividedBy(sum, new Decimal(items.length));
}

export function leastOf<Item, Result extends Ordered>(
  items: readonly Item[],
  of: Key<Item, Result>,
): Result | null {
  return (
    items
      .map((item) => of(item))
      .toSorted(compare)
      .at(0) ?? null
  );
}

export function greatestOf<Item, Result extends Ordered>(
  items: readonly Item[],
  of: Key<Item, Result>,
): Result | null {
  return (
    items
      .map((item) => of(item))
      .toSorted(compare)
      .at(-1) ?? null
  );
}

function byKey<Item>(
  items: readonly Item[],
  of: Key<Item, Ordered>,
  order: (left: Ordered, right: Ordered) => number,
): Item[] {
  const keyed = items.map((item) => ({ item, key: of(item) }));
  return keyed.toSorted((left, right) => order(left.key, right.key)).map(({ item }) => item);
}

/** In ascending order of a key; equal ones stay in their order. */
export function sortedBy<Item>(items: readonly Item[], of: Key<Item, Ordered>): Item[] {
  return byKey(items, of, compare);
}

/** In descending order of a key; equal ones stay in their order. */
export function sortedDownBy<Item>(items: readonly Item[], of: Key<Item, Ordered>): Item[] {
  return byKey(items, of, (left, right) => compare(right, left));
}

export function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new DomainError('empty collection');
  return item;
}

export function firstOrNull<Item>(items: readonly Item[]): Item | null {
  return items[0] ?? null;
}

/** The first `count` items, or all there are. */
export function take<Item>(items: readonly Item[], count: number): Item[] {
  return items.slice(0, Math.max(count, 0));
}

/** The items but the first `count`. */
export function skip<Item>(items: readonly Item[], count: number): Item[] {
  return items.slice(Math.max(count, 0));
}

/** Whether one of the items has the same value. */
export function contains<Item>(items: readonly Item[], item: Item): boolean {
  return items.some((other) => isDeepStrictEqual(other, item));
}

/** The items without later ones of the same value. */
export function distinct<Item>(items: readonly Item[]): Item[] {
  return items.filter(
    (item, index) => items.findIndex((other) => isDeepStrictEqual(other, item)) === index,
  );
}

/** The items but those of the same value. */
export function without<Item>(items: readonly Item[], item: Item): Item[] {
  return items.filter((other) => !isDeepStrictEqual(other, item));
}

/** What `make` gives, or nothing of nothing. */
export function whenPresent<Value, Result>(
  value: Value | null,
  make: (value: Value) => Result,
): Result | null {
  return value === null ? null : make(value);
}
