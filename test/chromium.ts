import puppeteer, { type Browser, type LaunchOptions } from 'puppeteer-core'
import { programPath } from './private_mariadb.ts'
import { isLong } from './tier.ts'

const shell = 'chromium-headless-shell'
const shellPath = programPath(shell)

/** Path of the browser that people have, or null. It alone asks who may use the camera, and knows several cameras. */
export const fullChromiumPath =
  programPath('chromium') ?? programPath('chromium-browser') ?? programPath('google-chrome')

/**
 * Path of the browser for everything else; null if there is neither. Without windows, its start and its pages take a
 * third of the CPU.
 */
export const chromiumPath = isLong ? (fullChromiumPath ?? shellPath) : (shellPath ?? fullChromiumPath)

/** Longest wait for the browser, in milliseconds: a machine may be busy with much else. */
export const browserTimeout = 240_000

/** Starts it, for tests and benches. */
export async function launchChromium(
  args: readonly string[] = [],
  { executablePath = chromiumPath ?? undefined, ...options }: LaunchOptions = {},
): Promise<Browser> {
  if (executablePath === undefined) throw new Error('Chromium is not installed')
  return puppeteer.launch({
    ...options,
    executablePath,
    headless: executablePath.endsWith(shell) ? 'shell' : true,
    // Root gets no sandbox; the browser opens our own pages only.
    args: ['--no-sandbox', '--disable-gpu', ...args],
    timeout: browserTimeout,
    protocolTimeout: browserTimeout,
  })
}
