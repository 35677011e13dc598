// node receiver.mjs SERVICE_URL PORT
import { createPublicKey, verify } from 'node:crypto'
import { createServer } from 'node:http'

const [service, port] = process.argv.slice(2)
const handled = new Set() // Yours is a database.
let keys = []
let fetchedAt = 0

// Cached for an hour; fetched again for a key id that is new, every 10 seconds at most.
const keysFor = async kid => {
  const age = Date.now() - fetchedAt
  if (age > 3_600_000 || (age > 10_000 && !keys.some(key => key.kid === kid))) {
    const answer = await fetch(`${service}/.well-known/jwks.json`)
    if (!answer.ok) throw new Error(`the key set answered ${answer.status}`)
    keys = (await answer.json()).keys
    fetchedAt = Date.now()
  }
  return keys.filter(key => key.alg === 'RS256' && (kid === undefined || key.kid === kid))
}

const isAuthentic = async (headers, transactionId) => {
  const { 'x-timestamp': timestamp, 'x-signature': signature, 'x-key-id': kid } = headers
  if (!timestamp || !signature) return false
  if (!(Math.abs(Date.now() - Date.parse(timestamp)) <= 5 * 60_000)) return false
  const signed = Buffer.from(`${timestamp}:${transactionId}`)
  const proof = Buffer.from(signature, 'base64')
  return (await keysFor(kid)).some(key => verify('sha256', signed, createPublicKey({ key, format: 'jwk' }), proof))
}

const notificationIn = body => {
  try {
    const { transaction_id, status } = JSON.parse(body)
    return typeof transaction_id === 'string' && typeof status === 'string' ? { transaction_id, status } : null
  } catch {
    return null // Anyone can post anything here.
  }
}

const receive = async request => {
  let body = ''
  for await (const chunk of request) {
    body += chunk
    if (body.length > 65_536) return 413
  }
  const notification = notificationIn(body)
  if (notification === null || !(await isAuthentic(request.headers, notification.transaction_id))) return 401
  const once = `${notification.transaction_id} ${notification.status}`
  if (!handled.has(once)) console.log(`verified: ${once}`) // Queue your own work here: read the transaction with your token.
  handled.add(once)
  return 204
}

createServer(async (request, response) => {
  const status = await receive(request).catch(() => 503) // The keys could not be fetched: ask for another attempt.
  response.writeHead(status).end()
}).listen(Number(port), '127.0.0.1')
