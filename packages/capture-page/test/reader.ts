import type { Page } from 'puppeteer-core'
import type { Screen } from '../../../machines/capture.ts'

/** The device and the preferences of a person at the page. */
export interface Look {
  readonly width: number
  readonly height: number
  /** Held in a hand, and touched. */
  readonly isPhone: boolean
  readonly scheme?: 'light' | 'dark'
  /** The browser's preferred language. */
  readonly language?: string
  /** Size of the person's letters, 1 by default. */
  readonly letters?: number
  /** False if the person refuses the camera. */
  readonly camera?: boolean
}

export const phone: Look = { width: 390, height: 844, isPhone: true }
export const desktop: Look = { width: 1280, height: 800, isPhone: false }

/** Interval of waits, in milliseconds. A page in the background draws no frames, which would be awaited otherwise. */
export const polling = 100

/** A person who reads the page and presses its buttons. */
export interface Reader {
  readonly page: Page
  /** Resolves when this screen is shown. */
  sees(screen: Screen): Promise<void>
  /** Presses the buttons with these texts, one after the other, as a reader of the page would. */
  presses(...texts: readonly string[]): Promise<void>
  /** Resolves when the first element of a selector has this text. */
  reads(selector: string, text: string): Promise<void>
  text(): Promise<string>
}

export async function setLook(
  page: Page,
  { width, height, isPhone, scheme, language, letters = 1 }: Look,
): Promise<void> {
  await page.setViewport({ width, height, isMobile: isPhone, hasTouch: isPhone })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme ?? 'light' }])
  const tags = JSON.stringify([language ?? 'en'])
  await page.evaluateOnNewDocument(
    `addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '${100 * letters}%' })`,
  )
  await page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'languages', { get: () => ${tags} })`)
}

/** `onScreen` is called for each screen when it is first seen. */
export function createReader(page: Page, onScreen: (screen: Screen) => Promise<void> = async () => {}): Reader {
  const seen = new Set<string>()
  const inPage = async (code: string): Promise<void> => {
    await page.waitForFunction(code, { polling }).catch(async cause => {
      const shown = await page.evaluate(`document.body.innerText`)
      throw new Error(`${code} never was; the page shows: ${shown}`, { cause })
    })
  }
  return {
    page,
    async sees(screen) {
      await inPage(`document.querySelector('main').className === '${screen.toLowerCase()}'`)
      if (seen.has(screen)) return
      seen.add(screen)
      await onScreen(screen)
    },
    async presses(...texts) {
      for (const text of texts) {
        const find = `[...document.querySelectorAll('button')].find(one => one.textContent === ${JSON.stringify(text)})`
        await inPage(`${find}?.disabled === false`)
        await page.evaluate(`${find}.click()`)
      }
    },
    reads: (selector, text) => inPage(`document.querySelector('${selector}')?.textContent === ${JSON.stringify(text)}`),
    text: () => page.$eval('main', main => main.textContent ?? ''),
  }
}
