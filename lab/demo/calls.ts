/** Plain HTTP, as an integrator's backend and a phone would send it, without the service's own code. */

/** A response without success. */
export class CallError extends Error {
  override name = 'CallError'
}

type Body = { readonly json: unknown } | { readonly form: Record<string, string> } | { readonly image: Buffer }

function encode(body: Body | undefined): { type?: string; data?: string | Uint8Array<ArrayBuffer> } {
  if (body === undefined) return {}
  if ('json' in body) return { type: 'application/json', data: JSON.stringify(body.json) }
  if ('form' in body)
    return { type: 'application/x-www-form-urlencoded', data: new URLSearchParams(body.form).toString() }
  return { type: imageType(body.image), data: new Uint8Array(body.image) }
}

function imageType(image: Buffer): string {
  if (image.subarray(1, 4).toString() === 'PNG') return 'image/png'
  return image.subarray(8, 12).toString() === 'WEBP' ? 'image/webp' : 'image/jpeg'
}

/** Resolves with the JSON of a 2xx response. @throws {CallError} */
export async function call<T>(method: string, url: string, token: string | null, body?: Body): Promise<T> {
  const { type, data } = encode(body)
  const headers: Record<string, string> = {}
  if (token !== null) headers.Authorization = `Bearer ${token}`
  if (type !== undefined) headers['Content-Type'] = type
  const response = await fetch(url, { method, headers, ...(data === undefined ? {} : { body: data }) })
  const text = await response.text()
  if (!response.ok) throw new CallError(`${method} ${new URL(url).pathname} returned ${response.status}: ${text}`)
  return (text === '' ? null : JSON.parse(text)) as T
}
