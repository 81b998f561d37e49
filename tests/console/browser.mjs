// A browser that watches itself: an error on the console, one that nobody caught, or a violation of
// the content security policy fails the scenario.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const installed = createRequire(path.join(process.env.CONSOLE_PACKAGES, 'package.json'));
const { chromium } = installed('playwright-core');
const axe = fs.readFileSync(installed.resolve('axe-core/axe.min.js'), 'utf8');

/** How long the page has for what it should show: the machine may be five times slower. */
const PATIENCE_MS = 30_000;

function options() {
  const args = ['--disable-dev-shm-usage'];
  if (process.getuid() === 0) args.push('--no-sandbox');
  return { executablePath: process.env.CHROMIUM, args };
}

export async function launch() {
  return chromium.launch(options());
}

/** A browser for many scenarios, whose start costs more than most of them. */
export async function serve() {
  return chromium.launchServer(options());
}

/** The browser of serve(), by its address; each has pages of its own. */
export async function connect(address) {
  return chromium.connect(address);
}

/** A page of its own, with cookies of its own.
 * width: of the window; dark; expects: errors on the console that the scenario provokes; isChecked:
 * for axe, whose script no policy would let in. */
export async function open(browser, { width = 1280, dark = false, expects = [],
  isChecked = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 },
    colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce', bypassCSP: isChecked,
    acceptDownloads: true });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems = [];
  const note = (text) => {
    if (!expects.some((pattern) => pattern.test(text))) problems.push(text);
  };
  page.on('console', (message) => {
    if (message.type() === 'error') note(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => note(`not caught: ${error.stack}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => console.error(
      `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  return { page, problems,
    close: async () => {
      await context.close();
      assert.deepEqual(problems, []);
    } };
}

/** Shows the sign-in, gives it the key, and waits until it is taken. */
export async function signIn(page, base, key) {
  await page.goto(base);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.frame').waitFor();
}

/** Opens a screen by its address, and waits until it shows what it is about. */
export async function show(page, url) {
  await page.goto(url);
  await settled(page);
}

/** Waits until nothing is being loaded; an error in place of data fails. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main h1')
    && !document.querySelector('main .loading'));
  const problem = page.locator('main .problem');
  assert.equal(await problem.count() === 0 ? '' : await problem.first().innerText(), '',
    `at ${page.url()}`);
}

/** What axe finds that is serious or worse.
 * options: of axe.run. */
export async function seriousFaults(page, options = {}) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((given) => window.axe.run(given), options);
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html).join(' | ')}`);
}

/** By how many pixels the page is wider than its window. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth
    - document.documentElement.clientWidth);
}

/** Has whoever started us do something, and waits until that is done. */
export async function ask(what) {
  process.stdout.write(`ask ${what}\n`);
  return new Promise((resolve) => {
    process.stdin.once('data', (data) => resolve(String(data).trim()));
  });
}

/** For whoever reads why a scenario failed. */
export async function tellWhatIsShown(browser) {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const text = await page.locator('body').innerText({ timeout: 5_000 }).catch(String);
    console.error(`${page.url()} shows:\n${text.slice(0, 3000)}\n`);
  }
}
