/** The number of characters, where one outside the basic plane counts once. */
export function length(text: string): number {
  return [...text].length;
}

/** Characters from `start` on, at most `count` of them; both are cut to what there is. */
export function substring(text: string, start: number, count = Number.POSITIVE_INFINITY): string {
  const from = Math.max(start, 0);
  return [...text].slice(from, from + Math.max(count, 0)).join('');
}

/** Less than zero when `left` comes first in the order of code points. */
export function compareTexts(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
