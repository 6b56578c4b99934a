/** Files of a person's own, where tools reach them. */
import type { components } from './api';
import { upload } from './http';

/** Stores a file among them; its path, as tools take it. */
export async function stored(file: File): Promise<string> {
  const form = new FormData();
  form.append('file', file);
  const files = (await upload('/api/files', form, () => {}, new AbortController().signal)) as components['schemas']['StoredFile'][];
  return files[0]?.path ?? '';
}
