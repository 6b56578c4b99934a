// The browsers, and who sits before them: each person has cookies and storage of their own, and is watched.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { current } from './walk.mjs';
import { LIMIT } from './wait.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium, firefox } = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// Nothing but the server under test is there for them.
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];
// A browser that starts while everything else on the machine does the same.
const START = 180_000;
const PREFERENCES = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'network.proxy.no_proxies_on': '127.0.0.1',
  'layout.css.prefers-color-scheme.content-override': 1,
};

/**
 * Firefox as the distribution ships it, over WebDriver BiDi. It is older than what the library speaks to: commands it does not
 * know yet that only emulate something, such as a colour scheme, are passed over.
 */
async function launchFirefox() {
  const executablePath = process.env.FIREFOX || '/usr/bin/firefox-esr';
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs: PREFERENCES, timeout: START });
  // There is no public way to say so: this is the library's own object, of the version in web/package-lock.json.
  const session = browser._connection?.toImpl?.(browser)?._browserSession;
  if (!session?.send) throw new Error('playwright-core has changed: browser.mjs no longer finds where it sends the commands of BiDi');
  const kind = Object.getPrototypeOf(session);
  if (!kind.strict) {
    kind.strict = kind.send;
    kind.send = async function (method, parameters) {
      try {
        return await this.strict(method, parameters);
      } catch (error) {
        if (method.startsWith('emulation.') && error.message.includes('unknown command')) return {};
        throw error;
      }
    };
  }
  return browser;
}

export const launch = (kind = 'chromium') =>
  kind === 'firefox' ? launchFirefox() : chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS, timeout: START });

export const isFirefox = (browser) => browser.browserType().name() === 'firefox';

// What follows from a refusal is the refusal once more; what is broken off by leaving a page was not wanted any more.
const ECHO = /^Failed to load resource: /;
const LEFT = /ERR_ABORTED|NS_BINDING_ABORTED|NS_ERROR_ABORT|^cancelled$|ERR_BLOCKED_BY_CLIENT/i;

/** A line for everything a page complains of: errors, broken policies, refusals, answers that never came. */
function watch(page) {
  const walk = current();
  const complain = (text) => walk?.complaints.push(text);
  const path = (url) => URL.parse(url)?.pathname ?? url;
  page.on('console', (message) => message.type() === 'error' && !ECHO.test(message.text()) && complain(`console at ${path(page.url())}: ${message.text()}`));
  page.on('pageerror', (error) => complain(`uncaught at ${path(page.url())}: ${error.stack ?? error.message}`));
  page.on('response', (response) => response.status() >= 400 && complain(`${response.status()} ${response.request().method()} ${path(response.url())}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? 'no answer';
    if (!LEFT.test(why)) complain(`lost ${request.method()} ${path(request.url())}: ${why}`);
  });
}

/** A browser of its own: cookies, theme and storage are its alone. */
export async function person(browser, { theme = 'light', width = 1440, state } = {}) {
  const size = { width, height: width < 500 ? 800 : 900 };
  const context = await browser.newContext({ viewport: size, colorScheme: theme, hasTouch: width < 500, acceptDownloads: true, storageState: state });
  context.setDefaultTimeout(LIMIT);
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  await current()?.follow(context);
  const page = await context.newPage();
  watch(page);
  return page;
}

/** Half faded in, text has half its contrast: waits until nothing moves that comes to an end. */
export const still = (page) =>
  page.waitForFunction(() => document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Infinity || one.playState !== 'running'));

const SERIOUS = `axe.run(document,{resultTypes:['violations']}).then((found)=>JSON.stringify(found.violations
    .filter((one)=>['serious','critical'].includes(one.impact))
    .map((one)=>one.id+': '+one.nodes.slice(0,3).map((node)=>node.target.join(' ')).join(', '))))`;

/** What axe calls serious or critical. */
export async function axe(page) {
  await still(page);
  if (isFirefox(page.context().browser())) return JSON.parse(await page.evaluate(`${AXE};${SERIOUS}`));
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', { expression: `${AXE};${SERIOUS}`, awaitPromise: true, returnByValue: true });
  await session.detach();
  return JSON.parse(result.value);
}
