import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Browser, Page } from 'puppeteer-core'
import type { Screen } from '../../machines/capture.ts'
import { openPage } from '../browser.ts'

/** How a person looks at the page. */
export interface Look {
  readonly width: number
  readonly height: number
  /** Held in a hand, and touched. */
  readonly isPhone: boolean
  readonly scheme?: 'light' | 'dark'
  /** What the browser prefers. */
  readonly language?: string
  /** How large the person's letters are, 1 by default. */
  readonly letters?: number
  /** False where the person refuses the camera. */
  readonly camera?: boolean
}

export const phone: Look = { width: 390, height: 844, isPhone: true }
export const desktop: Look = { width: 1280, height: 800, isPhone: false }

/** Where each screen is photographed when it is first seen; nowhere by default. */
const gallery = process.env.SCREENSHOTS ?? null

/** In milliseconds. A page in the background draws no frames, which would be waited for otherwise. */
export const polling = 100

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A person at the page. */
export interface Visitor {
  readonly page: Page
  /** Resolves when this screen is shown. */
  sees(screen: Screen): Promise<void>
  /** Presses the button with this text, as a reader of the page would. */
  presses(text: string): Promise<void>
  /** Chooses a file of this content. */
  chooses(picture: Uint8Array, name?: string): Promise<void>
  /** Resolves when the first element of a selector has this text. */
  reads(selector: string, text: string): Promise<void>
  text(): Promise<string>
}

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What every screen has to have: no barrier that axe knows, no scrolling sideways, a heading. */
const checkScreen = async (t: ExecutionContext, page: Page, screen: string): Promise<void> => {
  await page.evaluate(axe)
  const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[]
  t.deepEqual(
    violations.map(({ id, nodes }) => `${screen}: ${id} ${nodes.map(({ html }) => html).join(' ')}`),
    [],
  )
  t.true(
    await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    `${screen} scrolls sideways`,
  )
  t.is((await page.$$('h1')).length, 1, screen)
}

const keepScreen = async (page: Page, folder: string, screen: string, { width, scheme }: Look): Promise<void> => {
  const language = await page.evaluate('document.documentElement.lang')
  const name = [screen.toLowerCase(), width, scheme ?? 'light', language, process.hrtime.bigint()].join('-')
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

const setLook = async (page: Page, { width, height, isPhone, scheme, language, letters = 1 }: Look): Promise<void> => {
  await page.setViewport({ width, height, isMobile: isPhone, hasTouch: isPhone })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme ?? 'light' }])
  const tags = JSON.stringify([language ?? 'en'])
  await page.evaluateOnNewDocument(
    `addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '${100 * letters}%' })`,
  )
  await page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'languages', { get: () => ${tags} })`)
}

/** A person with a link. Each screen is checked when it is first seen. */
export const openVisitor = async (
  t: ExecutionContext,
  browser: Browser,
  url: string,
  look: Look = phone,
): Promise<Visitor> => {
  const page = await openPage(t, browser, 'about:blank')
  await page.browserContext().overridePermissions(new URL(url).origin, look.camera === false ? [] : ['camera'])
  const folder = mkdtempSync(join(tmpdir(), 'attestor-visitor-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await setLook(page, look)
  await page.goto(url)
  const checked = new Set<string>()
  const inPage = async (code: string): Promise<void> => {
    await page.waitForFunction(code, { polling }).catch(async cause => {
      const seen = await page.evaluate(`document.body.innerText`)
      throw new Error(`${code} never was; the page shows: ${seen}`, { cause })
    })
  }
  return {
    page,
    async sees(screen) {
      await inPage(`document.querySelector('main').className === '${screen.toLowerCase()}'`)
      if (checked.has(screen)) return
      checked.add(screen)
      await checkScreen(t, page, screen)
      if (gallery !== null) await keepScreen(page, gallery, screen, look)
    },
    async presses(text) {
      const find = `[...document.querySelectorAll('button')].find(one => one.textContent === ${JSON.stringify(text)})`
      await inPage(`${find}?.disabled === false`)
      await page.evaluate(`${find}.click()`)
    },
    async chooses(picture, name = 'photo.jpg') {
      const path = join(folder, name)
      writeFileSync(path, picture)
      const input = await page.waitForSelector('input[type=file]')
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path)
    },
    reads: (selector, text) => inPage(`document.querySelector('${selector}')?.textContent === ${JSON.stringify(text)}`),
    text: () => page.$eval('main', main => main.textContent ?? ''),
  }
}
