import type { StartedSession } from '../../../clients/typescript/src/device_calls.ts'
import { readCamera } from './camera_report.ts'

/** Facts about its device that Chromium gives, if it does. */
interface UserAgentData {
  getHighEntropyValues(hints: readonly string[]): Promise<{
    readonly platform?: string
    readonly platformVersion?: string
    readonly model?: string
  }>
}

interface Connection {
  readonly type?: string
  readonly saveData?: boolean
}

interface KnowingNavigator {
  readonly userAgentData?: UserAgentData
  readonly connection?: Connection
}

const knowing = navigator as Navigator & KnowingNavigator

/** The version of this page's files, which their URLs carry. */
const version = /\/assets\/([^/]+)\//.exec(import.meta.url)?.[1] ?? null

function textOrNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text
}

/**
 * Reads what a browser honestly knows of its device. Facts that it can't know (root, emulator, debugger) are left out.
 */
export async function readDevice(): Promise<NonNullable<StartedSession['device']>> {
  const known = await knowing.userAgentData?.getHighEntropyValues(['platformVersion', 'model'])
  const system = [known?.platform, known?.platformVersion].filter(part => part !== undefined && part !== '')
  return {
    sdk_platform: 'web',
    sdk_version: version,
    os_version: textOrNull(system.join(' ')),
    device_model: textOrNull(known?.model),
    ...readCamera(),
  }
}

/** Reads what a browser honestly knows of its network. */
export function readNetwork(): Readonly<Record<string, string | null>> {
  return {
    connection_type: knowing.connection?.type ?? null,
  }
}

/** Whether the person wants pages to load no more than they must. */
export function savesData(): boolean {
  return knowing.connection?.saveData === true
}
