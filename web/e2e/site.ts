import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a customer's website on a separate origin. */
export async function startSite(html: (origin: string) => string) {
  let origin = ''
  const server = createServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html(origin)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
