/** Sends a request that may need a captcha; the server says when. */
export async function withCaptcha<T>(send: (token: string | undefined) => Promise<T>): Promise<T> {
  return send(undefined)
}
