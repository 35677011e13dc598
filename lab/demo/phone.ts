import type { SyntheticChip } from '@attestor/credentials/synthetic'
import { call } from './calls.ts'
import type { Photographs } from './people.ts'

interface Challenge {
  readonly challenge_id: string
  readonly actions: readonly string[]
}

interface ChipChallenge {
  readonly challenge_id: string
  readonly challenge: string
}

/** Sends a chip as an app does: asks for a challenge, reads the files, and sends both. */
async function sendChip(session: string, sdk_token: string, { files, answer }: SyntheticChip): Promise<void> {
  const path = `${session}/document/chip`
  const { challenge_id, challenge } = await call<ChipChallenge>('POST', `${path}/challenge`, sdk_token)
  const response = answer?.(Buffer.from(challenge, 'base64')).toString('base64')
  const encoded = Object.entries(files).map(([name, file]) => [name, file.toString('base64')])
  await call('PUT', path, sdk_token, {
    json: {
      ...Object.fromEntries(encoded),
      ...(response === undefined ? {} : { active_authentication: { challenge_id, response } }),
    },
  })
}

/** The phone: performs the steps of the session with the `sdk_token`. */
export async function capture(
  base_url: string,
  sdk_token: string,
  { chip = null, ...photographs }: Photographs & { readonly chip?: SyntheticChip | null },
  say: (line: string) => void,
): Promise<void> {
  const session = `${base_url}/api/sdk/v1/session`
  const device = {
    sdk_platform: 'demo',
    sdk_version: '0.1.0',
    os_version: '1',
    device_model: 'simulated phone',
    is_emulator: false,
    root_detected: false,
    jailbreak_detected: false,
    developer_mode_enabled: false,
    debugger_attached: false,
    is_virtual_camera: false,
  }
  const upload = async (path: string, image: Buffer): Promise<void> => {
    await call('PUT', `${session}/${path}`, sdk_token, { image })
    say(`uploaded ${path} (${Math.round(image.length / 1024)} kB)`)
  }
  await call('POST', `${session}/start`, sdk_token, {
    json: { device, location_permission: 'granted', consent: true, document_type: photographs.document_type },
  })
  await call('PUT', `${session}/signals`, sdk_token, {
    json: {
      device,
      network: { vpn_detected: false, proxy_detected: false, tor_detected: false, connection_type: 'wifi' },
      geolocation: { latitude: 52.52, longitude: 13.405, source: 'gps', is_mock_location: false },
    },
  })
  await upload('document/front', photographs.document_front)
  if (photographs.document_back !== null) await upload('document/back', photographs.document_back)
  if (chip !== null) {
    await sendChip(session, sdk_token, chip)
    say('read the chip')
  }
  await upload('selfie', photographs.selfie)
  const { challenge_id, actions } = await call<Challenge>('POST', `${session}/liveness/challenge`, sdk_token)
  say(`challenge: ${actions.join(', ')}`)
  for (const [n, action] of actions.entries()) {
    const frame = photographs.frames[action]
    if (frame === undefined) throw new Error(`the demo has no picture of ${action}`)
    await upload(`liveness/${challenge_id}/${n}`, frame)
  }
  await call('POST', `${session}/complete`, sdk_token)
}
