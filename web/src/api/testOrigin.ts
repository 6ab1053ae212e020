// For tests, imported before the client: outside a browser, a path has no origin to resolve
// against.
const Plain = globalThis.Request

globalThis.Request = class extends Plain {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, 'http://konak.test') : input, init)
  }
}
