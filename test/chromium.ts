import puppeteer, { type Browser, type LaunchOptions } from 'puppeteer-core'
import { programPath } from './private_mariadb.ts'
import { isLong } from './tier.ts'

/** Without windows: its start and its pages take a third of the CPU. The long tier prefers what people have. */
const shell = 'chromium-headless-shell'
const windowed = ['chromium', 'chromium-browser', 'google-chrome']

/** The machine's Chromium, or null. */
export const chromiumPath =
  (isLong ? [...windowed, shell] : [shell, ...windowed]).map(programPath).find(path => path !== null) ?? null

/** In milliseconds: a machine may be busy with much else. */
export const browserTimeout = 240_000

/** Starts it, for tests and benches. */
export async function launchChromium(args: readonly string[] = [], options: LaunchOptions = {}): Promise<Browser> {
  if (chromiumPath === null) throw new Error('Chromium is not installed')
  return puppeteer.launch({
    ...options,
    executablePath: chromiumPath,
    headless: chromiumPath.endsWith(shell) ? 'shell' : true,
    // As root it has no sandbox; it opens our own pages only.
    args: ['--no-sandbox', '--disable-gpu', ...args],
    timeout: browserTimeout,
    protocolTimeout: browserTimeout,
  })
}
