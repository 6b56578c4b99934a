/** Files a person adds to a message. */
import type { components } from '../../lib/api';
import { bytes, plural } from '../../lib/format';
import { upload, words } from '../../lib/http';
import type { Attachment } from '../../lib/types';

const MOST = 5 * 1024 * 1024;
/** About what of a document goes into the message itself, in characters; the server cuts by the model's own measure. */
const WHOLE = 30_000;
const IMAGE = /^image\/(png|jpeg|gif|webp)$/;
const TEXT = /^(text\/|application\/(json|xml|yaml|toml)$)/;

type Stored = components['schemas']['StoredFile'];

/** A file that goes with the message, and what the person is told of it. */
export interface Added {
  file: Attachment;
  /** Its size, and what will read it. */
  about: string;
}

/** Pictures and texts as they are; documents where tools reach them too. What nothing can read is refused with a sentence. */
export async function attach(files: Iterable<File>): Promise<{ added: Added[]; refused: string[] }> {
  const added: Added[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const shown = IMAGE.test(file.type) || TEXT.test(file.type);
    if (!shown)
      await store(file).then(
        (one) => added.push(one),
        (failure) => refused.push(`${file.name}: ${words(failure)}`),
      );
    else if (file.size > MOST) refused.push(`${file.name} is ${bytes(file.size)}; the most is ${bytes(MOST)}.`);
    else added.push(await shownAsIs(file));
  }
  return { added, refused };
}

async function shownAsIs(file: File): Promise<Added> {
  const about = `${bytes(file.size)}, ${IMAGE.test(file.type) ? 'will be seen by the model' : 'will be read by the model'}`;
  return { file: { name: file.name || 'image', mime: file.type, data: await base64(file) }, about };
}

/** Stores a document, which the server reads: where it cannot, nothing is stored. */
async function store(file: File): Promise<Added> {
  const form = new FormData();
  form.append('read', 'true');
  form.append('file', file);
  const [stored] = (await upload('/api/files', form, () => {}, new AbortController().signal)) as Stored[];
  if (!stored) throw new Error('Nothing was stored. Try again.');
  return { file: { name: file.name, mime: file.type || 'application/octet-stream', data: '', path: stored.path }, about: about(stored) };
}

/** Returns the facts about a document: `1.2 MB, 12 pages, will be read by the model`. */
export function about({ bytes: size, pages, characters }: Stored): string {
  const reader = (characters ?? 0) > WHOLE ? 'its beginning will be read by the model, the rest by document_read' : 'will be read by the model';
  const empty = characters === 0 ? 'holds no text a model could read' : reader;
  return [bytes(size), ...(pages ? [plural(pages, 'page')] : []), empty].join(', ');
}

async function base64(file: Blob): Promise<string> {
  const raw = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < raw.length; at += 0x8000) text += String.fromCharCode(...raw.subarray(at, at + 0x8000));
  return btoa(text);
}
