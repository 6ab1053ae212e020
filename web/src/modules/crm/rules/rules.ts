import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { readAll } from '@/api/readAll'

export type Group = Schemas['ConversationGroup']
export type Agent = Schemas['AgentAgent']
export type Rules = Schemas['ConversationSettings']

/** The prefix of the keys of all lists of groups, so that one change refreshes them all. */
const groupsKey = ['crm', 'groups'] as const
const rulesKey = ['crm', 'rules'] as const
const pageSize = 50

export function useGroupList(enabled: boolean) {
  return usePages({
    key: [...groupsKey, 'list'],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/groups', { params: { query: { limit: pageSize, cursor } } })),
    enabled,
  })
}

async function readAgents(): Promise<Agent[]> {
  const agents = await readAll((query) => ask(api.GET('/api/crm/v1/agents', { params: { query } })))
  return agents.filter((agent) => agent.state === 'active')
}

/** Reads all possible members to the last page: a group may be larger than one page. */
export function useMemberChoices(enabled: boolean) {
  return useQuery({ queryKey: ['crm', 'agents', 'members'], queryFn: readAgents, staleTime: 300_000, enabled })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: groupsKey })
}

export function useSaveGroup(id: string | null) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: Schemas['ConversationGroupBody']) =>
      id ? ask(api.PUT('/api/crm/v1/groups/{id}', { params: { path: { id } }, body })) : ask(api.POST('/api/crm/v1/groups', { body })),
    onSuccess: refresh,
  })
}

export function useDeleteGroup() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/groups/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useRules() {
  return useQuery({
    queryKey: rulesKey,
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/settings')).then((envelope) => envelope.data),
  })
}

export function useSaveRules() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Rules) => ask(api.PUT('/api/crm/v1/conversations/settings', { body })).then((envelope) => envelope.data),
    onSuccess: (next) => client.setQueryData(rulesKey, next),
  })
}

const longest = 3650

/** Parses the typed days: null for no limit, undefined if it is not a number of days. */
export function readDays(text: string): number | null | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const days = Number(trimmed)
  return Number.isInteger(days) && days >= 1 && days <= longest ? days : undefined
}
