import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Browser, Page } from 'puppeteer-core'
import { findViolations, openPage } from '../../../test/browser.ts'
import { isLong } from '../../../test/tier.ts'
import { createReader, type Look, phone, type Reader, setLook } from './reader.ts'

/** Folder for a picture of each screen when it is first seen; none by default. */
const gallery = process.env.SCREENSHOTS ?? null

/** A person at the page. */
export interface Visitor extends Reader {
  /** Chooses a file of this content. */
  chooses(picture: Uint8Array, name?: string): Promise<void>
}

/** Checks that nothing scrolls sideways, and that there is one heading. */
async function checkFit(t: ExecutionContext, page: Page, screen: string): Promise<void> {
  t.true(
    await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    `${screen} scrolls sideways`,
  )
  t.is((await page.$$('h1')).length, 1, screen)
}

/** Checks every screen: it must fit, and have no barrier that axe knows. */
export async function checkScreen(t: ExecutionContext, page: Page, screen: string): Promise<void> {
  t.deepEqual(await findViolations(page), [], screen)
  await checkFit(t, page, screen)
}

async function keepScreen(page: Page, folder: string, screen: string, { width, scheme }: Look): Promise<void> {
  const language = await page.evaluate('document.documentElement.lang')
  const name = [screen.toLowerCase(), width, scheme ?? 'light', language, process.hrtime.bigint()].join('-')
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** A person with a link. Each screen is checked when it is first seen. */
export async function openVisitor(
  t: ExecutionContext,
  browser: Browser,
  url: string,
  look: Look = phone,
): Promise<Visitor> {
  const page = await openPage(t, browser, 'about:blank')
  await page.browserContext().overridePermissions(new URL(url).origin, look.camera === false ? [] : ['camera'])
  const folder = mkdtempSync(join(tmpdir(), 'attestor-visitor-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await setLook(page, look)
  await page.goto(url)
  const reader = createReader(page, async screen => {
    // `screens` shows them all to axe.
    await (isLong ? checkScreen : checkFit)(t, page, screen)
    if (gallery !== null) await keepScreen(page, gallery, screen, look)
  })
  return {
    ...reader,
    async chooses(picture, name = 'photo.jpg') {
      const path = join(folder, name)
      writeFileSync(path, picture)
      const input = await page.waitForSelector('input[type=file]')
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path)
    },
  }
}
