/** Files that the console shows or plays: by their endings, as the server stores what tools make. */
const TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
};

/** The media type of a file that is shown; null of any other. */
export const typeOf = (path: string): string | null => TYPES[path.split('.').at(-1)?.toLowerCase() ?? ''] ?? null;

/** Whether a file is a picture or a recording; null of any other. */
export function kindOf(path: string): 'image' | 'audio' | null {
  const type = typeOf(path);
  return type === null ? null : type.startsWith('image/') ? 'image' : 'audio';
}
