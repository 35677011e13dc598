import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import test from 'ava'
import type { Browser, Page } from 'puppeteer-core'
import { browserTimeout, chromiumPath, fullChromiumPath, launchChromium } from './chromium.ts'
import { lasting } from './lasting.ts'
import { isLong } from './tier.ts'

/** A test that needs a browser. It is skipped if there is none, which `npm test` reports at its start. */
export const browserTest = chromiumPath === null ? test.skip : test
/** A browser test that shares something with the others of its file, such as the camera's picture. */
export const serialBrowserTest = chromiumPath === null ? test.skip : test.serial

/** A test in whose browser a page asks for the camera. */
export const cameraTest = fullChromiumPath === null ? test.serial.skip : test.serial

let launched: Promise<Browser> | null = null

async function close(): Promise<void> {
  await (await launched)?.close()
}

/** The browser of a test file, or of a group of them, which `closeBrowser` ends. */
export function openBrowser(): Promise<Browser> {
  if (launched === null) lasting.ends.push(close)
  launched ??= launchChromium()
  return launched
}

export async function closeBrowser(): Promise<void> {
  if (!lasting.inGroup) await close()
}

/**
 * Polls every 50 ms: `waitForFunction` by default looks before each frame, for which a page is drawn sixty times a
 * second, a quarter of its CPU.
 */
function lookLessOften(page: Page): void {
  const wait = page.waitForFunction.bind(page)
  page.waitForFunction = (body, options, ...values) => wait(body, { polling: 50, ...options }, ...values)
}

/**
 * Opens a page in a profile of its own. Hidden faults fail the test: an exception, or an action that its policy
 * forbids.
 */
export async function openPage(
  t: { fail(message?: string): unknown; teardown(end: () => Promise<void>): unknown },
  browser: Browser,
  url: string,
): Promise<Page> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  page.setDefaultTimeout(browserTimeout)
  lookLessOften(page)
  await page.setViewport({ width: 1280, height: 800 })
  page.on('pageerror', error => t.fail(String(error)))
  page.on('console', message => {
    if (/Content Security Policy|Permissions-Policy/.test(message.text())) t.fail(message.text())
  })
  t.teardown(() => context.close())
  await page.goto(url)
  return page
}

/** Texts of the elements that a selector finds. */
export function textsOf(page: Page, selector: string): Promise<readonly string[]> {
  return page.$$eval(selector, elements => elements.map(element => element.textContent ?? ''))
}

/** An attribute of the elements that a selector finds. */
export function attributesOf(page: Page, selector: string, attribute: string): Promise<readonly string[]> {
  return page.$$eval(selector, (elements, name) => elements.map(element => element.getAttribute(name) ?? ''), attribute)
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the violations that axe finds in the page: each rule with its first element. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  // Styles are fetched again for two rules, which takes a third of the time: on turned screens, and on sounds.
  return (await page.evaluate(`axe.run(document, { resultTypes: ['violations'], preload: ${isLong} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => \`\${id}: \${nodes[0].target.join(' ')}\`))`)) as readonly string[]
}
