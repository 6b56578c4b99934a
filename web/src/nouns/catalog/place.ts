/** The host and port an address leads to, as the settings name what may be reached; empty where it has none. */
export function placeOf(address: string | null | undefined): string {
  if (!address || !URL.canParse(address)) return '';
  const { protocol, hostname, port } = new URL(address);
  const usual: Record<string, string> = { 'http:': '80', 'https:': '443' };
  const number = port || usual[protocol];
  return hostname && number ? `${hostname.replace(/\.+$/, '')}:${number}` : '';
}
