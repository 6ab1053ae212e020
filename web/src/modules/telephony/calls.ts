import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import type { CallCommand } from './phoneSocket'

export type Call = Schemas['CallCall']
export type LiveCall = Schemas['CallLive']
export type CallFilter = 'all' | 'toReturn' | 'unheard'

const key = ['crm', 'calls'] as const
const pageSize = 50
const lookEvery = 5000

export function useCalls(filter: CallFilter) {
  return usePages({
    key: [...key, 'list', filter],
    fetch: (cursor) =>
      ask(
        api.GET('/api/crm/v1/telephony/calls', {
          params: { query: { limit: pageSize, cursor, to_return: filter === 'toReturn' || undefined, unheard: filter === 'unheard' || undefined } },
        }),
      ),
  })
}

/** Reads the ongoing calls. */
export function useLiveCalls() {
  return useQuery({
    queryKey: [...key, 'live'],
    queryFn: () => ask(api.GET('/api/crm/v1/telephony/live')).then((envelope) => envelope.data),
    refetchInterval: lookEvery,
  })
}

/** Returns the number of calls that wait to be returned or heard. */
export async function countWaitingCalls(): Promise<number> {
  const { data } = await ask(api.GET('/api/crm/v1/telephony/calls/counts'))
  return data.to_return + data.unheard
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useDismissCall() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.PUT('/api/crm/v1/telephony/calls/{id}/dismiss', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useMarkHeard() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.PUT('/api/crm/v1/telephony/calls/{id}/heard', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

/** Sends a command for one of the person's own calls. */
export function useCallCommand(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async (command: CallCommand) => {
      const { commandCall } = await import('./phoneSocket')
      await commandCall(id, command)
    },
    onSuccess: refresh,
  })
}

/** Parks one of the person's own calls, with music for the other party, or returns to it. */
export function useMoveCall(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (way: 'detach' | 'resume') => {
      const body = { call_id: id }
      return ask(way === 'detach' ? api.POST('/api/crm/v1/telephony/call/detach', { body }) : api.POST('/api/crm/v1/telephony/call/resume', { body }))
    },
    onSuccess: refresh,
  })
}

/** Transfers one of the person's own calls to a colleague or to an outside number. */
export function useTransferCall(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (to: { agent_id: string } | { to: string }) =>
      ask('to' in to ? api.POST('/api/crm/v1/telephony/call/forward', { body: { call_id: id, to: to.to, mode: 'blind' } }) : api.POST('/api/crm/v1/telephony/call/transfer', { body: { call_id: id, ...to } })),
    onSuccess: refresh,
  })
}

/** Returns the address from which a recording is played. */
export function recordingAddress(call: Call): string {
  return `/api/crm/v1/telephony/recordings/${call.cdr_id}`
}

/** Returns the other party's number. */
export function otherNumber(call: Pick<Call, 'direction' | 'from_e164' | 'to_e164'>): string {
  return call.direction === 'inbound' ? call.from_e164 : call.to_e164
}

/** Formats seconds as minutes and seconds: 2:05. */
export function lengthText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
