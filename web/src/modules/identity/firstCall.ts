/** A command that can be copied and run as it stands. A key that may not read conversations asks who answers. */
export function firstCall(key: string, scopes: readonly string[], origin: string): string {
  const path = scopes.some((scope) => scope.startsWith('conversations.')) ? '/api/crm/public/v1/conversations?limit=1' : '/api/v1/meta'
  return `curl -H 'Authorization: Bearer ${key}' \\\n  '${origin}${path}'`
}
