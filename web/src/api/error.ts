/**
 * ApiError represents a refused request: the catalogue's code, a message, and the invalid fields.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string[]>
  readonly permission: string | null
  /** More specific than the code: a word of ours, or what an external service answered. */
  readonly reason: string | null
  /** The matches of data-loss-prevention rules, as the server lists them. */
  readonly matches: unknown
  readonly traceId: string | null

  constructor(init: {
    status: number
    code: string
    message: string
    fields?: Record<string, string[]>
    permission?: string | null
    reason?: string | null
    matches?: unknown
    traceId?: string | null
  }) {
    super(init.message)
    this.name = 'ApiError'
    this.status = init.status
    this.code = init.code
    this.fields = init.fields ?? {}
    this.permission = init.permission ?? null
    this.reason = init.reason ?? null
    this.matches = init.matches
    this.traceId = init.traceId ?? null
  }

  /**
   * Reads the error envelope, and tolerates a body that is not one (a proxy's page, an empty
   * answer).
   */
  static from(response: Response, body: unknown): ApiError {
    const envelope = isRecord(body) ? body : {}
    const error = isRecord(envelope.error) ? envelope.error : {}
    return new ApiError({
      status: response.status,
      code: text(error.code) ?? 'unexpected',
      message: text(error.message) ?? `HTTP ${response.status}`,
      fields: readFields(error.fields),
      permission: text(error.permission),
      reason: text(error.reason),
      matches: error.matches,
      traceId: text(envelope.trace_id),
    })
  }
}

export function offlineError(cause: unknown): ApiError {
  return new ApiError({ status: 0, code: 'offline', message: cause instanceof Error ? cause.message : String(cause) })
}

export function asApiError(error: unknown): ApiError | null {
  return error instanceof ApiError ? error : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function readFields(value: unknown): Record<string, string[]> {
  if (!isRecord(value)) return {}
  const fields: Record<string, string[]> = {}
  for (const [name, codes] of Object.entries(value)) {
    if (Array.isArray(codes)) fields[name] = codes.filter((code) => typeof code === 'string')
  }
  return fields
}
