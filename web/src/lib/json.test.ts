import { describe, expect, it } from 'vitest';
import { parse, whole } from './json';

const exact = 'rawJSON' in JSON;

describe('JSON', () => {
  it('is read as ever where doubles hold its numbers', () => {
    expect(parse('{"n": 9007199254740991, "x": [1.5, -2e3, "1234567890123456789"]}')).toEqual({ n: 9007199254740991, x: [1.5, -2000, '1234567890123456789'] });
    expect(() => parse('{"n": 1234567890123456789,}')).toThrow(SyntaxError);
  });

  it('keeps larger whole numbers where the browser can write them, and rounds them elsewhere', () => {
    const text = '{"id":1234567890123456789,"near":-9007199254740993,"float":12345678901234567.5}';
    const value = parse(text) as Record<string, unknown>;
    expect(typeof value['id']).toBe(exact ? 'bigint' : 'number');
    expect(String(value['near'])).toBe(exact ? '-9007199254740993' : '-9007199254740992');
    expect(typeof value['float']).toBe('number');
    expect(JSON.stringify(value).startsWith(exact ? text.slice(0, 53) : '{"id":1234567890123456800')).toBe(true);
  });

  it('takes whole numbers as they are typed', () => {
    expect([whole('12'), whole('-0.5'), whole('1e3')]).toEqual([12, -0.5, 1000]);
    expect(String(whole('1234567890123456789'))).toBe(exact ? '1234567890123456789' : '1234567890123456800');
  });
});
