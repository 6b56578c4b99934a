import { beforeEach, describe, expect, it } from 'vitest';
import { go, later, listen, match, route } from './router.svelte';

const routes = [
  [/^\/$/, 'home'],
  [/^\/tools$/, 'tools'],
  [/^\/tools\/([^/]+)$/, 'tool'],
  [/^\/audit(?:\/(\d+))?$/, 'audit'],
] as const;

function click(html: string, init: MouseEventInit = {}): boolean {
  document.body.innerHTML = html;
  const event = new MouseEvent('click', { bubbles: true, cancelable: true, button: 0, ...init });
  // What the router leaves alone must not leave the page in a test either.
  document.body.querySelector('a')?.parentElement?.addEventListener('click', (one) => one.stopPropagation(), { once: true, capture: false });
  document.body.querySelector('a')?.dispatchEvent(event);
  return event.defaultPrevented;
}

describe('matching', () => {
  it('gives the page and what its groups caught, decoded', () => {
    expect(match(routes, '/tools/multi_tool_use.parallel')).toEqual({ page: 'tool', parts: ['multi_tool_use.parallel'] });
    expect(match(routes, '/tools/a%20b')).toEqual({ page: 'tool', parts: ['a b'] });
    expect(match(routes, '/audit')).toEqual({ page: 'audit', parts: [''] });
    expect(match(routes, '/audit/12')).toEqual({ page: 'audit', parts: ['12'] });
  });

  it('knows what is not there', () => {
    expect(match(routes, '/audit/x')).toBeNull();
    expect(match(routes, '/nowhere')).toBeNull();
    expect(match(routes, '/tools/%E0%A4%A')).toBeNull();
  });
});

describe('going', () => {
  beforeEach(() => go('/'));

  it('later leaves alone who has gone elsewhere meanwhile, also where they are back', () => {
    const [stayed, left] = [later(), later()];
    go('/?q=1', { replace: true });
    stayed('/tools/a');
    expect(location.pathname).toBe('/tools/a');
    go('/');
    left('/tools/b');
    expect(location.pathname).toBe('/');
  });

  it('changes the address and what the pages read', () => {
    go('/audit?q=write');
    expect([location.pathname, route.path, route.query.get('q')]).toEqual(['/audit', '/audit', 'write']);
  });

  it('replaces without a new step back', () => {
    const before = history.length;
    go('/tools', { replace: true });
    expect([history.length, route.path]).toEqual([before, '/tools']);
  });
});

describe('links', () => {
  listen();
  beforeEach(() => go('/'));

  it('of our own open here', () => {
    document.body.innerHTML = '<a href="/tools?q=x"><b>Tools</b></a>';
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, button: 0 });
    document.querySelector('b')?.dispatchEvent(event);
    expect([event.defaultPrevented, route.path, route.query.get('q')]).toEqual([true, '/tools', 'x']);
  });

  it.each([
    '<a href="https://example.com/tools">x</a>',
    '<a href="/api/audit/export">x</a>',
    '<a href="/tools" target="_blank">x</a>',
    '<a href="/tools" download>x</a>',
  ])('are left to the browser: %s', (html) => {
    expect(click(html)).toBe(false);
    expect(route.path).toBe('/');
  });

  it('with a modifier are left to the browser', () => {
    expect(click('<a href="/tools">x</a>', { ctrlKey: true })).toBe(false);
    expect(route.path).toBe('/');
  });
});
