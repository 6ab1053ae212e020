// Runs Konak's authorization code flow with a third-party client library and prints the result. A
// Go test runs it and plays the browser: it posts the address of the consent page and receives the
// app's return address.
import * as oauth from 'oauth4webapi'

const { ISSUER, CLIENT_ID, REDIRECT_URI, BROWSER, RESOURCE } = process.env
const insecure = { [oauth.allowInsecureRequests]: true }

const issuer = new URL(ISSUER)
const server = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
)
const client = { client_id: CLIENT_ID }
const verifier = oauth.generateRandomCodeVerifier()
const state = oauth.generateRandomState()

const start = new URL(server.authorization_endpoint)
start.search = new URLSearchParams({
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'webhooks.read',
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}).toString()

const page = (await fetch(start, { redirect: 'manual' })).headers.get('location')
const back = new URL(await (await fetch(BROWSER, { method: 'POST', body: page })).text())
const params = oauth.validateAuthResponse(server, client, back, state)
const exchange = () =>
  oauth.authorizationCodeGrantRequest(server, client, oauth.None(), params, REDIRECT_URI, verifier, insecure)

const token = await oauth.processAuthorizationCodeResponse(server, client, await exchange())
const resource = await oauth.protectedResourceRequest(token.access_token, 'GET', new URL(RESOURCE), undefined, undefined, insecure)

let second = 'accepted'
try {
  await oauth.processAuthorizationCodeResponse(server, client, await exchange())
} catch (err) {
  second = err instanceof oauth.ResponseBodyError ? err.error : String(err)
}
console.log(JSON.stringify({ scope: token.scope, status: resource.status, second }))
