import puppeteer, { type Browser } from 'puppeteer-core'
import { programPath } from './private_mariadb.ts'

/** The machine's Chromium, or null. */
export const chromiumPath = programPath('chromium') ?? programPath('chromium-browser') ?? programPath('google-chrome')

/** In milliseconds: a machine may be busy with much else. */
export const browserTimeout = 240_000

/** Starts it, for tests and benches. */
export const launchChromium = async (...args: readonly string[]): Promise<Browser> => {
  if (chromiumPath === null) throw new Error('Chromium is not installed')
  return puppeteer.launch({
    executablePath: chromiumPath,
    // As root it has no sandbox; it opens our own pages only.
    args: ['--no-sandbox', '--disable-gpu', ...args],
    timeout: browserTimeout,
    protocolTimeout: browserTimeout,
  })
}
