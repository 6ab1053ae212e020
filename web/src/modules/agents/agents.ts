import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { readAll } from '@/api/readAll'
import { meets, useMe } from '@/api/session'

export type Agent = Schemas['AgentAgent']
export type NewQr = Schemas['AgentNewQR']

const key = ['crm', 'agents'] as const
const pageSize = 50
const pollEvery = 2000

export function useAgents() {
  return usePages({
    key,
    fetch: (cursor) => ask(api.GET('/api/crm/v1/agents', { params: { query: { limit: pageSize, cursor } } })),
  })
}

/**
 * Returns a function that names members by id, for screens that say who did something. Without
 * permission to see agents it names only the person themselves.
 */
export function useAgentNames(): (id: string | null) => string | undefined {
  const me = useMe()
  const { data: agents = [] } = useQuery({
    enabled: meets(me, { permission: 'crm.agents.view', licence: 'crm' }),
    queryKey: [...key, 'names'],
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/agents', { params: { query } }))),
    staleTime: 300_000,
  })
  return (id) => {
    if (id === me.membership.id) return me.user.name
    const agent = agents.find((one) => one.id === id)
    return agent && (agent.name || agent.email)
  }
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export interface AgentDraft {
  name?: string
  role: string
  title?: string
}

export function useAddAgent() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: AgentDraft & { email: string }) => ask(api.POST('/api/crm/v1/agents', { body })),
    onSuccess: refresh,
  })
}

export function useChangeAgent(agentId: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: AgentDraft) => ask(api.PUT('/api/crm/v1/agents/{agentId}', { params: { path: { agentId } }, body })),
    onSuccess: refresh,
  })
}

export function useRemoveAgent() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (agentId: string) => ask(api.DELETE('/api/crm/v1/agents/{agentId}', { params: { path: { agentId } } })),
    onSuccess: refresh,
  })
}

export function useSuspension(on: boolean) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (agentId: string) => {
      const params = { path: { agentId } }
      return ask(
        on
          ? api.POST('/api/crm/v1/agents/{agentId}/suspension', { params })
          : api.DELETE('/api/crm/v1/agents/{agentId}/suspension', { params }),
      )
    },
    onSuccess: refresh,
  })
}

export function useCreateQr(agentId: string) {
  return useMutation({
    mutationFn: () =>
      ask(api.POST('/api/crm/v1/agents/{agentId}/mobile-qr', { params: { path: { agentId } } })).then((envelope) => envelope.data),
  })
}

/** Polled until the QR code is no longer pending. */
export function qrQuery(agentId: string, qrId: string) {
  return queryOptions({
    queryKey: ['crm', 'qr', qrId],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/agents/{agentId}/mobile-qr/{qrId}', { params: { path: { agentId, qrId } } })).then((envelope) => envelope.data),
    refetchInterval: (query) => (query.state.data === undefined || query.state.data.status === 'pending' ? pollEvery : false),
    refetchIntervalInBackground: true,
  })
}

export function useMailQr(agentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (qr: NewQr) =>
      ask(
        api.POST('/api/crm/v1/agents/{agentId}/mobile-qr/email', {
          params: { path: { agentId } },
          body: { qr_id: qr.qr_id, key: qr.key },
        }),
      ),
    onSuccess: (_, qr) => void client.invalidateQueries({ queryKey: ['crm', 'qr', qr.qr_id] }),
  })
}

/**
 * Called when the window closes: this QR code is invalidated unless it was mailed. Nothing waits
 * for the answer.
 */
export function closeQr(agentId: string, qrId: string): void {
  void api.DELETE('/api/crm/v1/agents/{agentId}/mobile-qr', {
    params: { path: { agentId }, query: { qr_id: qrId } },
    keepalive: true,
  })
}
