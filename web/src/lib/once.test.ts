import { describe, expect, it } from 'vitest';
import { once } from './once.svelte';

describe('work done once', () => {
  it('is not begun again while it goes on, and shares its end', async () => {
    const ends: ((made: number) => void)[] = [];
    const add = once((_name: string) => new Promise<number>((done) => ends.push(done)));
    expect(add.busy).toBe(false);
    const both = [add('a'), add('b')];
    expect(add.busy).toBe(true);
    expect(ends).toHaveLength(1);
    ends[0]?.(7);
    expect(await Promise.all(both)).toEqual([7, 7]);
    expect(add.busy).toBe(false);
    void add('c');
    expect(ends).toHaveLength(2);
  });

  it('may be tried again after it has failed', async () => {
    let tries = 0;
    const send = once(async () => {
      tries += 1;
      if (tries === 1) throw new Error('no');
      return tries;
    });
    await expect(send()).rejects.toThrow('no');
    expect(send.busy).toBe(false);
    expect(await send()).toBe(2);
  });
});
