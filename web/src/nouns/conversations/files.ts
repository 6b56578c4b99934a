/** Files a person adds to a message. */
import { bytes } from '../../lib/format';
import { words } from '../../lib/http';
import { stored } from '../../lib/stored';
import type { Attachment } from '../../lib/types';

const MOST = 5 * 1024 * 1024;
/** What a model is shown as it is; a file without a type is taken for text. */
const SHOWN = /^($|text\/|image\/(png|jpeg|gif|webp)$|application\/(json|xml|yaml|toml)$)/;

/** What the server takes with a message: pictures and texts themselves, and of other files where they are stored. */
export async function attach(files: Iterable<File>): Promise<{ added: Attachment[]; refused: string[] }> {
  const added: Attachment[] = [];
  const refused: string[] = [];
  for (const file of files) {
    if (!SHOWN.test(file.type))
      await store(file).then(
        (one) => added.push(one),
        (failure) => refused.push(`${file.name}: ${words(failure)}`),
      );
    else if (file.size > MOST) refused.push(`${file.name} is ${bytes(file.size)}; the most is ${bytes(MOST)}.`);
    else added.push({ name: file.name || 'image', mime: file.type || 'text/plain', data: await base64(file) });
  }
  return { added, refused };
}

/** Puts a document where tools read it; the message tells them its storage path. */
async function store(file: File): Promise<Attachment> {
  return {
    name: file.name,
    mime: 'text/plain',
    data: await base64(new Blob([`The file is stored at ${await stored(file)}. document_read reads it by that path.`])),
  };
}

async function base64(file: Blob): Promise<string> {
  const raw = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < raw.length; at += 0x8000) text += String.fromCharCode(...raw.subarray(at, at + 0x8000));
  return btoa(text);
}
