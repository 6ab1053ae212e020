import { queryOptions } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import type { Language, PlainKey } from '@/i18n'

export type Role = Schemas['IdentityRole']
export type PermissionEntry = Schemas['PermEntry']
export type Scope = Schemas['PermScope']

/** Roles, permissions and scopes come in one answer, because they explain each other. */
export const rolesQuery = queryOptions({
  queryKey: ['identity', 'roles'],
  queryFn: () => ask(api.GET('/api/v1/auth/roles')).then((envelope) => envelope.data),
})

const builtInTitles: Record<string, PlainKey> = {
  owner: 'roles.owner',
  admin: 'roles.admin',
  agent: 'roles.agent',
  guest: 'roles.guest',
}

/** Built-in roles are named in the person's language, custom roles as their author named them. */
export function roleTitleKey(role: Pick<Role, 'name' | 'built_in'>): PlainKey | null {
  return role.built_in ? (builtInTitles[role.name] ?? null) : null
}

export function wordsOf(entry: { en: string; tr: string }, language: Language): string {
  return language === 'tr' ? entry.tr : entry.en
}

export interface ModuleGroup<T> {
  module: string
  items: T[]
}

/** Groups entries by module, in the order of the answer. */
export function byModule<T extends { module: string }>(entries: readonly T[]): ModuleGroup<T>[] {
  const groups = new Map<string, T[]>()
  for (const entry of entries) {
    const group = groups.get(entry.module)
    if (group) group.push(entry)
    else groups.set(entry.module, [entry])
  }
  return [...groups].map(([module, items]) => ({ module, items }))
}
