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
