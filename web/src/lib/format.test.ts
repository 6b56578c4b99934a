import { describe, expect, it } from 'vitest';
import {
  ago,
  brief,
  browser,
  bytes,
  called,
  count,
  countdown,
  day,
  duration,
  field,
  figure,
  money,
  ordinal,
  plural,
  purpose,
  sentence,
  shortly,
  together,
  until,
  visible,
} from './format';

const now = Date.parse('2026-11-20T12:00:00Z');
const before = (seconds: number) => new Date(now - seconds * 1000).toISOString();

describe('formatting', () => {
  it('writes numbers without what binary fractions add, and integers exactly', () => {
    expect([3703.7034000000003, 0.1 + 0.2, 1.23456789e-9, -2.5, 12_345_678_901, 0, 2.1234567891].map(figure)).toEqual([
      '3703.7034',
      '0.3',
      '1.23457e-9',
      '-2.5',
      '12345678901',
      '0',
      '2.123457',
    ]);
  });

  it('says a nested value as JSON and a list of plain ones as words', () => {
    expect([{ a: 1 }, [1.10000000000001, 'x', null], [[1]], null, ' a  b '].map((one) => field(one))).toEqual(['{"a":1}', '1.1, x, ', '[[1]]', '', 'a b']);
  });

  it('says durations in the unit that fits', () => {
    expect([null, 0, 412, 1200, 61_000].map(duration)).toEqual(['', '<1 ms', '412 ms', '1.2 s', '1 min 1 s']);
    expect([3_600_000, 12_000_000, 360_000_000].map(duration)).toEqual(['1 h', '3 h 20 min', '100 h']);
  });

  it('says a duration that rounds to a whole of the next unit in that unit', () => {
    expect([999.4, 999.6, 59_949, 59_960, 60_000].map(duration)).toEqual(['999 ms', '1.0 s', '59.9 s', '1 min', '1 min']);
    expect([119_400, 119_700, 3_599_400, 3_599_600, 7_199_000].map(duration)).toEqual(['1 min 59 s', '2 min', '59 min 59 s', '1 h', '2 h']);
  });

  it('says when a tool is chosen only where that is known', () => {
    expect(
      [
        { description: 'Adds.', when_to_use: 'Sums are asked for' },
        { description: 'Adds.', when_to_use: '' },
      ].map(purpose),
    ).toEqual(['Adds. Use it when: sums are asked for', 'Adds.']);
  });

  it('says how long ago', () => {
    expect([10, 120, 7200, 2 * 86_400].map((seconds) => ago(before(seconds), now))).toEqual(['now', '2 min ago', '2 h ago', '2 days ago']);
    expect([ago(null), ago(before(30 * 86_400), now)]).toEqual(['never', day(before(30 * 86_400))]);
  });

  it('names a browser and its system', () => {
    const agents = [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'curl/8.5.0',
      '',
    ];
    expect(agents.map(browser)).toEqual([
      'Chrome 156 on Linux',
      'Edge 140 on Windows',
      'Safari 18 on macOS',
      'Firefox 140 on Linux',
      'curl/8.5.0',
      'A browser',
    ]);
  });

  it('counts down to nothing and not below', () => {
    expect([252, 5, -10].map((seconds) => countdown(new Date(now + seconds * 1000).toISOString(), now))).toEqual(['4:12', '0:05', '0:00']);
  });

  it('counts down a short time, and says the day at the end of a long one', () => {
    const told = (seconds: number) => until(new Date(now + seconds * 1000).toISOString(), now);
    expect([told(252), told(3_600)]).toEqual(['expires in 4:12', 'expires in 60:00']);
    expect(told(366 * 86_400)).toMatch(/^open until \d+ \w+ \d{4}$/);
    expect(told(7_200)).toMatch(/^open until \d+ \w+ \d{4}, \d\d:\d\d$/);
  });

  it('groups thousands and names sizes', () => {
    expect([count(84_112), plural(1, 'tool'), plural(2, 'tool'), bytes(900), bytes(18_637)]).toEqual(['84,112', '1 tool', '2 tools', '900 B', '18.2 KB']);
    expect([1023, 1024, 1492 * 1024, 1024 ** 2 - 1, 71_915 * 1024 ** 2, 3 * 1024 ** 4].map(bytes)).toEqual([
      '1023 B',
      '1 KB',
      '1.5 MB',
      '1 MB',
      '70.2 GB',
      '3 TB',
    ]);
    expect([count(1_000_000), together([400, null, 900]), together([null, undefined])]).toEqual(['1,000,000', '1.3 s', '']);
  });

  it('counts places', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal)).toEqual(['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd', '111th']);
  });

  it('makes one short line of any value', () => {
    expect(brief({ path: 'a.txt', lines: [1, 2], none: null })).toBe('a.txt, 1, 2');
    expect(brief('a\n  b')).toBe('a b');
    expect(brief('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`);
  });

  it('calls tools by the names people know', () => {
    expect(called({ tool: 'catalog:desk.get_ticket', asked_as: 'catalog__desk--get_ticket' })).toBe('desk.get_ticket');
    expect(called({ tool: 'builtin:web_fetch', asked_as: 'builtin:web_fetch' })).toBe('web_fetch');
    expect(called({ tool: 'builtin:web_fetch', asked_as: 'web-fetch' })).toBe('web-fetch');
    expect(called({ tool: 'made__up', asked_as: 'made__up' })).toBe('made__up');
  });

  it('reads names as sentences', () => {
    expect(sentence('high_write')).toBe('High write');
  });

  it('shows characters that hide or turn text', () => {
    expect(visible('rm\u202e -rf\u0007\u200b ok\n')).toBe('rm\\u{202e} -rf\\u{7}\\u{200b} ok\n');
  });

  it('says the time of a moment of today, and the day of another one', () => {
    const noon = new Date(2026, 4, 3, 20, 0, 0);
    expect(shortly(new Date(2026, 4, 3, 14, 3, 7).toISOString(), noon)).toBe('14:03:07');
    expect(shortly(new Date(2026, 4, 2, 14, 3, 7).toISOString(), noon)).toBe('2 May 14:03');
  });
});

it('writes money so that small amounts are seen', () => {
  expect([0, 0.00042, 0.5, 12.3, 1234.5].map((amount) => money({ amount, currency: 'EUR' }))).toEqual([
    '0.00 EUR',
    '0.00042 EUR',
    '0.5 EUR',
    '12.30 EUR',
    '1,234.50 EUR',
  ]);
});
