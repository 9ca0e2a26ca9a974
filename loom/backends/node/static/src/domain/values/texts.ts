export const WHITE_SPACE = ' \t\n\r\f\v';

/** The number of characters, where one outside the basic plane counts once. */
export function textLength(text: string): number {
  return [...text].length;
}

/** Without blanks, tabs and line ends around it. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.includes(text.charAt(start))) start += 1;
  while (start < end && WHITE_SPACE.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Characters from `start` on, at most `count` of them; both are cut to what there is. */
export function substring(text: string, start: number, count = Number.POSITIVE_INFINITY): string {
  const from = Math.max(start, 0);
  return [...text].slice(from, from + Math.max(count, 0)).join('');
}

/** The pieces between separators; the characters when the separator is empty. */
export function split(text: string, separator: string): string[] {
  return separator === '' ? [...text] : text.split(separator);
}

/** With every occurrence of `found` replaced; an empty one occurs around every character. */
export function replaceAll(text: string, found: string, replacement: string): string {
  if (found !== '') return text.split(found).join(replacement);
  return ['', ...text, ''].join(replacement);
}

/** Less than zero when `left` comes first in the order of code points. */
export function compareTexts(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
