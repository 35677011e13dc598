import { createClient } from '../../clients/typescript/src/client.ts'
import { openKeySet } from '../../clients/typescript/src/verify_webhook.ts'
import { createIntegrator } from './integrator.ts'

const {
  ATTESTOR_URL: baseUrl = 'http://127.0.0.1:3000',
  PORT = '8080',
  CLIENT_ID = '',
  CLIENT_SECRET = '',
} = process.env
const { PUBLIC_URL: publicUrl = `http://127.0.0.1:${PORT}` } = process.env

const attestor = createClient({ baseUrl, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
const keys = openKeySet(`${baseUrl}/.well-known/jwks.json`)

createIntegrator({ attestor, keys, publicUrl }).listen(Number(PORT), '127.0.0.1', () => console.log(publicUrl))
