/** Backups under way, in words and as a share. */
import type { Backup } from '../../lib/types';

type Progress = NonNullable<Backup['progress']>;

/** Returns what a backup is doing, in words. */
export function part(name: Progress['part']): string {
  return {
    preparing: 'preparing',
    database: 'copying the database',
    writing: 'writing the file',
    reading: 'comparing digests',
    checking: 'looking through the copy',
    asking: 'asking the copy questions',
  }[name];
}

/** Returns the share of that which is done, 0 to 1; `null` where nobody knows. */
export function share(progress: Progress | null | undefined): number | null {
  return progress && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;
}
