import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import { pieces, type Piece, type Segment } from './passages';
import SegmentView from './SegmentView.svelte';

const segment: Segment = { key: '7', text: 'One. Two\nlines.', chunk: 7, ordinal: 1, page: null, heading: '', opens: false };
let shown: object;
function view(given: Piece[] | null): Element | null {
  shown = mount(SegmentView, { target: document.body, props: { segment, chosen: true, document: 'd1', pieces: given } });
  flushSync();
  return document.querySelector('section');
}
afterEach(() => unmount(shown));

it('marks the sentence that was looked for, and none where it is not known', async () => {
  const text = (part: Element | null) => part?.querySelector('p:last-child')?.textContent;
  const marked = view(pieces(segment.text, [[5, 15]]));
  expect([text(marked), marked?.querySelector('mark')?.textContent]).toEqual(['One. Two\nlines.', 'Two\nlines.']);
  await unmount(shown);
  const plain = view(null);
  expect([text(plain), plain?.querySelector('mark')]).toEqual(['One. Two\nlines.', null]);
});
