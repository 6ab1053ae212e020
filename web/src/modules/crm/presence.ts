import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'
import { meets, useMe, type Need } from '@/api/session'
import type { PlainKey } from '@/i18n'

export type Presence = Schemas['LivePresence']['presence']
type Row = Schemas['LivePresence']
type Rows = ReadonlyMap<string, Row>

/** What is needed to see who is present, and to be seen. */
export const presenceNeed = { permission: 'crm.agents.view', licence: 'crm' } as const satisfies Need

export const presenceLooks = {
  online: { label: 'presence.online', tone: 'bg-ok-ink' },
  away: { label: 'presence.away', tone: 'bg-warn-ink' },
  away_reassign: { label: 'presence.reassign', tone: 'bg-warn-ink' },
  offline: { label: 'presence.offline', tone: 'bg-ink-3' },
} as const satisfies Record<Presence, { label: PlainKey; tone: string }>

const key = ['crm', 'presence'] as const

/** Reads the presence of all agents from the server; the stream keeps it up to date. */
export function usePresence(): Rows {
  const enabled = meets(useMe(), presenceNeed)
  const query = useQuery({
    queryKey: key,
    queryFn: () =>
      readAll((query) => ask(api.GET('/api/crm/v1/presence', { params: { query } }))).then(
        (rows): Rows => new Map(rows.map((row) => [row.agent_id, row])),
      ),
    staleTime: 60_000,
    enabled,
  })
  return query.data ?? new Map<string, Row>()
}

function put(client: QueryClient, agentId: string, change: (row: Row) => Row): void {
  client.setQueryData<Rows>(key, (old) => {
    const row = old?.get(agentId)
    return old && row ? new Map(old).set(agentId, change(row)) : old
  })
}

export function useSetPresence() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (presence: Presence) => ask(api.PUT('/api/crm/v1/presence', { body: { presence } })).then((envelope) => envelope.data),
    onSuccess: (row) => put(client, row.agent_id, () => row),
  })
}

interface Signal {
  agent_id?: string
  presence?: Presence
}

/** Applies the signal that someone came, left or chose another presence. */
export function notePresence(client: QueryClient, data: string): void {
  let signal: Signal
  try {
    signal = (JSON.parse(data) as { data?: Signal }).data ?? {}
  } catch {
    return
  }
  const { agent_id: agentId, presence } = signal
  if (!agentId || !presence) return
  const known = client.getQueryData<Rows>(key)?.has(agentId)
  if (known) put(client, agentId, (row) => ({ ...row, presence, connected: presence !== 'offline' }))
  else void client.invalidateQueries({ queryKey: key })
}
