/**
 * Returns a command that can be copied and run unchanged. A key that may not read conversations
 * calls the meta endpoint instead.
 */
export function firstCall(key: string, scopes: readonly string[], origin: string): string {
  const path = scopes.some((scope) => scope.startsWith('conversations.')) ? '/api/crm/public/v1/conversations?limit=1' : '/api/v1/meta'
  return `curl -H 'Authorization: Bearer ${key}' \\\n  '${origin}${path}'`
}
