/** The name in a script's header, and names that are still free. */
const NAME = /^(\s*\/\/\s*@name\s+)(\S+)/m;

export const nameIn = (source: string): string => NAME.exec(source)?.[2] ?? '';

/** The text under another name; one without a name gets a line for it. */
export function renamed(source: string, name: string): string {
  return NAME.test(source) ? source.replace(NAME, `$1${name.replaceAll('$', '$$$$')}`) : `// @name ${name}\n${source}`;
}

/** Returns what somebody typed as a name may be written. */
export function tidy(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^[_\d]+|_+$/g, '');
}

/** The name itself, or with the first number that nobody has. */
export function free(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}
