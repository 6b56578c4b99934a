import { expect, it, vi } from 'vitest';
import { speak } from './valid';

it('says at its field what a form needs, and keeps the focus on the first', async () => {
  speak();
  document.body.innerHTML = `<form>
    <div class="field"><label for="a">Name <span class="req">required</span></label><input id="a" required></div>
    <div class="field"><label for="b">Days</label><input id="b" type="number" min="1" value="0"></div>
    <div class="field"><label for="c">Address</label><input id="c" type="url" value="x"></div><button>Save</button></form>`;
  const form = document.querySelector('form');
  form?.requestSubmit();
  form?.requestSubmit();
  await vi.waitFor(() => expect(document.activeElement?.id).toBe('a'));
  expect([...document.querySelectorAll('.err')].map((one) => one.textContent)).toEqual([
    'Fill in "Name".',
    'Enter 1 or more.',
    'Enter a whole address, such as https://example.org.',
  ]);
  const name = document.querySelector('input');
  if (name) name.value = 'x';
  name?.dispatchEvent(new Event('input', { bubbles: true }));
  expect(document.querySelectorAll('.err')).toHaveLength(2);
});
