import { describe, expect, it } from 'vitest';
import { visible } from '../../lib/format';
import { coverage, size, spelled } from './risky';

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
    }
    for (const text of ['notes.txt', 'Zoë', 'two\nlines\tand a tab', '漢字', 'привет']) expect(visible(text)).toBe(text);
  });

  it('spells out a whole value, names too', () => {
    expect(spelled({ 'pa\u200bth': ['a\u{e0041}', 1, null, { b: 'c' }] })).toEqual({ 'pa\\u{200b}th': ['a\\u{e0041}', 1, null, { b: 'c' }] });
  });

  it('says what a yes for the conversation covers, where there is one', () => {
    expect(coverage({ scope: null })).toBe('');
    expect(coverage({ scope: 'write files in “reports” in this conversation' })).toBe(
      'For this conversation covers: write files in “reports” in this conversation, and nothing else. It ends once content from outside comes in.',
    );
  });
});
