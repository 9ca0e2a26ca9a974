import { DomainError } from '../errors.js';

/** A result of int arithmetic, which must fit 32 bits. */
export function int32(value: number): number {
  if (value < -(2 ** 31) || value > 2 ** 31 - 1) throw new DomainError('arithmetic overflow');
  // Adding zero takes the sign from a negative zero.
  return value + 0;
}

/** A result of long arithmetic, which must fit 64 bits. */
export function int64(value: bigint): bigint {
  if (value !== BigInt.asIntN(64, value)) throw new DomainError('arithmetic overflow');
  return value;
}

/** A divisor of an integer remainder or quotient. */
export function nonZero<Value extends number | bigint>(divisor: Value): Value {
  if (!divisor) throw new DomainError('division by zero');
  return divisor;
}

export function absoluteLong(value: bigint): bigint {
  return int64(value < 0n ? -value : value);
}

export function lesserLong(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

export function greaterLong(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
