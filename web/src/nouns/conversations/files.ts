/** Files a person adds to a message. */
import { bytes } from '../../lib/format';
import type { Attachment } from '../../lib/types';

const MOST = 5 * 1024 * 1024;

/** What the server takes with a message: base64 without a data URL's head. */
export async function attach(files: Iterable<File>): Promise<{ added: Attachment[]; refused: string[] }> {
  const added: Attachment[] = [];
  const refused: string[] = [];
  for (const file of files) {
    if (file.size > MOST) refused.push(`${file.name} is ${bytes(file.size)}; the most is ${bytes(MOST)}.`);
    else added.push({ name: file.name || 'image', mime: file.type || 'text/plain', data: await base64(file) });
  }
  return { added, refused };
}

async function base64(file: File): Promise<string> {
  const raw = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < raw.length; at += 0x8000) text += String.fromCharCode(...raw.subarray(at, at + 0x8000));
  return btoa(text);
}
