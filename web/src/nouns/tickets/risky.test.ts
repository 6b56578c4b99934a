import { describe, expect, it } from 'vitest';
import { visible } from '../../lib/format';
import { hides, hiding, size, spelled, strangers } from './risky';

describe('what is risky in a value', () => {
  it('says how long a value is that its field cuts', () => {
    expect(size('notes.txt')).toBe('');
    expect(size('x'.repeat(300))).toBe('');
    expect(size(`${'a line\n'.repeat(84)}${'x'.repeat(4844)}`)).toBe('5,432 characters, 85 lines');
    expect(size('1\n2\n3\n4\n5\n6\n7')).toBe('13 characters, 7 lines');
    expect(size('1\n2\n3\n4\n5\n6\n')).toBe('');
  });

  it('spells out every character that cannot be seen or turns the text', () => {
    // Arabic letter mark, soft hyphen, grapheme joiner, Hangul fillers, Khmer vowel, Mongolian, line and paragraph separators,
    // variation selectors, tags, the byte order mark, an isolate, a zero width space, an empty Braille pattern.
    const unseen = [
      0x61c, 0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x2028, 0x2029, 0x3164, 0xffa0, 0xfe0f, 0xe0100, 0xe0041, 0xfeff, 0x2066, 0x200b, 0x2800,
    ];
    for (const code of unseen) {
      const text = `a${String.fromCodePoint(code)}b`;
      expect(visible(text)).toBe(`a\\u{${code.toString(16)}}b`);
      expect(hides(text)).toBe(true);
    }
    for (const text of ['notes.txt', 'Zoë', 'two\nlines\tand a tab', '漢字', 'привет']) expect(hides(text)).toBe(false);
  });

  it('names the values that hide something', () => {
    expect(hiding({ path: 'notes\u061c\u00ad\u3164\u{e0041}.txt', content: 'plain' })).toEqual(['path']);
    expect(hiding({ 'pa\u200bth': 'plain' })).toEqual(['pa\\u{200b}th']);
    expect(hiding({ tool_uses: [{ parameters: { 'na\u00adme': 1 } }], n: 1, none: null })).toEqual(['tool_uses']);
  });

  it('spells out a whole value, names too', () => {
    expect(spelled({ 'pa\u200bth': ['a\u{e0041}', 1, null, { b: 'c' }] })).toEqual({ 'pa\\u{200b}th': ['a\\u{e0041}', 1, null, { b: 'c' }] });
  });

  it('finds hosts in letters of another alphabet, at any depth', () => {
    // The first letter is Cyrillic.
    const found = strangers({ calls: [{ url: 'https://\u0430pple.com/x' }, { url: 'https://apple.com' }], to: '\u0430pple.com:8443' });
    expect(found).toEqual(['xn--pple-43d.com']);
    expect(strangers({ url: 'HTTPS://xn--pple-43d.com/', note: 'see https://apple.com', at: '12:30' })).toEqual(['xn--pple-43d.com']);
    expect(strangers({ url: 'https://apple.com', text: '\u0430pple' })).toEqual([]);
  });
});
