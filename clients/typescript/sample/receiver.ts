// node receiver.ts SERVICE_URL PORT
import { createServer, type IncomingMessage } from 'node:http'
import { openKeySet, verifyWebhook } from '../src/verify_webhook.ts'

const [service, port] = process.argv.slice(2)
const keys = openKeySet(`${service}/.well-known/jwks.json`)
const handled = new Set<string>() // Yours is a database.

async function receive(request: IncomingMessage): Promise<number> {
  let body = ''
  for await (const chunk of request) {
    body += chunk
    if (body.length > 65_536) return 413
  }
  const result = await verifyWebhook({ headers: request.headers, body }, keys)
  if (!result.verified) {
    console.log(`rejected: ${result.reason}`)
    return 401
  }
  const once = `${result.notification.transaction_id} ${result.notification.status}`
  if (!handled.has(once)) console.log(`verified: ${once}`) // Queue your own work here: read the transaction with your token.
  handled.add(once)
  return 204
}

createServer(async (request, response) => {
  const status = await receive(request).catch(() => 503) // The keys could not be fetched: asks for another attempt.
  response.writeHead(status).end()
}).listen(Number(port), '127.0.0.1')
