// For tests, imported before the client: only in a browser does a path know its origin.
const Plain = globalThis.Request

globalThis.Request = class extends Plain {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, 'http://konak.test') : input, init)
  }
}
