/**
 * The browser's own JSON forms of passkeys; browsers without them are offered the other methods.
 */
interface JsonForms {
  parseCreationOptionsFromJSON?: (options: unknown) => PublicKeyCredentialCreationOptions
  parseRequestOptionsFromJSON?: (options: unknown) => PublicKeyCredentialRequestOptions
}

function forms(): JsonForms {
  return typeof PublicKeyCredential === 'undefined' ? {} : (PublicKeyCredential as unknown as JsonForms)
}

export function canUsePasskeys(): boolean {
  return Boolean(forms().parseCreationOptionsFromJSON && forms().parseRequestOptionsFromJSON)
}

function publicKeyOf(options: unknown): unknown {
  return (options as { publicKey?: unknown }).publicKey
}

/**
 * Reports whether the person closed the browser's window or let it time out, which is not an error
 * to show.
 */
export function wasCancelled(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')
}

function toJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('no credential', 'NotAllowedError')
  return credential.toJSON()
}

export async function makePasskey(options: unknown): Promise<unknown> {
  const publicKey = forms().parseCreationOptionsFromJSON?.(publicKeyOf(options))
  return toJson(await navigator.credentials.create({ publicKey }))
}

export async function showPasskey(options: unknown): Promise<unknown> {
  const publicKey = forms().parseRequestOptionsFromJSON?.(publicKeyOf(options))
  return toJson(await navigator.credentials.get({ publicKey }))
}
