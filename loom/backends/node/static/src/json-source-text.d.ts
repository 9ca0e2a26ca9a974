/** ECMAScript's "JSON.parse source text access", which Node has and TypeScript's library has not yet. */
interface RawJson {
  readonly rawJSON: string;
}

interface JSON {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawJson;
}
