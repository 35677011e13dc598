import { programPath } from './private_mariadb.ts'

/** The machine's Chromium, or null. */
export const chromiumPath = programPath('chromium') ?? programPath('chromium-browser') ?? programPath('google-chrome')
