import type { ExecutionContext } from 'ava'
import type { Page } from 'puppeteer-core'
import type { Environment } from '../../../src/config/settings.ts'
import type { Role } from '../../../src/database/words.ts'
import { commandLine } from '../../../src/identity/operators/audit.ts'
import { createOperator, type OperatorCredentials } from '../../../src/identity/operators/operators.ts'
import { findViolations, openBrowser, openPage } from '../../../test/browser.ts'
import { openOperated } from '../../../test/console/service.ts'
import { sqlite } from '../../../test/database.ts'
import { codeAt } from '../../../test/identity/operators/rig.ts'
import type { Rig } from '../../../test/service/rig.ts'
import { isLong } from '../../../test/tier.ts'

/** A text that would run if it were read as HTML. */
export const hostile = `"><img src=x onerror="document.title='owned'"><b>'&amp;`

/** Returns the pixels by which the page is wider than its window. */
function excessWidth(page: Page) {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth')
}

/** Checks a screen, wide by day and narrow by night, where axe looks in the long tier alone; there also between. */
export async function checkScreen(t: ExecutionContext, page: Page, name: string): Promise<void> {
  for (const [width, scheme, looks] of [
    [1280, 'light', true],
    [320, 'dark', isLong],
    // A phone on its side, and the least window with the navigation beside the page.
    ...(isLong ? ([844, 1190] as const).map(width => [width, 'light', false] as const) : []),
  ] as const) {
    await page.setViewport({ width, height: 800 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    if (process.env.SCREENSHOTS)
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/${name.replaceAll('/', '_')}-${width}.png`,
        fullPage: true,
      })
    t.is(await excessWidth(page), 0, `${name}, ${width}`)
    if (looks) t.deepEqual(await findViolations(page), [], `${name}, ${width}, ${scheme}`)
  }
  t.is(await page.evaluate('document.querySelectorAll("img[src=x]").length'), 0, name)
  t.not(await page.title(), 'owned', name)
  t.false(
    await page.evaluate('document.body.innerText.includes("\\u202e")'),
    `${name}: no text turns the others around`,
  )
  await page.setViewport({ width: 1280, height: 800 })
}

export interface Visitor {
  readonly page: Page
  readonly operator: OperatorCredentials
  /** Opens a screen as the address bar does. */
  visit(path: string): Promise<void>
}

export interface ConsoleRig {
  readonly rig: Rig
  /** A new operator, logged in by hand. */
  logIn(name: string, role: Role): Promise<Visitor>
}

/** Resolves when the screen has loaded. */
export function loaded(page: Page) {
  return page.waitForFunction(
    "document.querySelector('main h1') !== null && document.querySelector('.loading') === null",
  )
}

export function clickText(page: Page, text: string): Promise<void> {
  return page.locator(`::-p-text(${text})`).click()
}

/** A running service with reviews, and its console in a browser. */
export async function openConsole(t: ExecutionContext, settings: Environment = {}): Promise<ConsoleRig> {
  const { rig } = await openOperated(sqlite, settings)
  t.teardown(rig.close)
  return {
    rig,
    async logIn(name, role) {
      const operator = await createOperator(rig.node().service, { name, role }, commandLine)
      const page = await openPage(t, await openBrowser(), `${rig.node().url}/console`)
      await page.waitForSelector('[name=code]')
      await page.type('[name=name]', name)
      await page.type('[name=password]', operator.password)
      await page.type('[name=code]', codeAt(rig.clock.now(), operator.totp.secret))
      await page.keyboard.press('Enter')
      await page.waitForSelector('#main h1')
      return {
        page,
        operator,
        async visit(path) {
          await page.goto(`${rig.node().url}/console${path}`)
          await loaded(page)
        },
      }
    },
  }
}
