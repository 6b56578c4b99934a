/** The same call from a terminal. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export function snippet(kind: 'curl' | 'shell', tool: string, params: unknown, origin: string): string {
  if (kind === 'shell') return `satchel call ${tool} ${quote(JSON.stringify(params))}`;
  return [
    'curl -X POST \\',
    `  ${origin}/api/tools/${tool}/invoke \\`,
    '  -H "Authorization: Bearer $SATCHEL_KEY" \\',
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quote(JSON.stringify({ params }))}`,
  ].join('\n');
}
