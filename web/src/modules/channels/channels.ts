import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import type { Hours } from './hours'

export type Account = Schemas['ChannelAccount']
export type Look = Schemas['WidgetLook']

export interface CustomSettings {
  address: string
  window_hours: number | null
}

/** What Meta reports about a number. */
export interface NumberSettings {
  /**
   * Whether the owner shared the earlier history of the WhatsApp Business app; missing if Meta said
   * nothing.
   */
  history?: '' | 'shared' | 'declined'
  phone_number_id: string
  business_account_id: string
  display_phone_number: string
  verified_name: string
  quality_rating: string
  messaging_limit_tier: string
  webhook_url: string
  read_receipts: boolean
}

/** What Telegram reports about a bot, or about a person's account in which it works. */
export interface BotSettings {
  bot_id: number
  bot_username: string
  mode: 'webhook' | 'polling'
  business?: { username: string; can_reply: boolean }
}

export type SocialKind = 'messenger' | 'instagram'

/** What Meta reports about a page, or about its Instagram account. */
export interface PageSettings {
  page_id: string
  page_name: string
  username?: string
  human_agent: boolean
  read_receipts: boolean
}

const key = ['crm', 'channels'] as const
const pageSize = 50

export function useChannels() {
  return usePages({
    key,
    fetch: (cursor) => ask(api.GET('/api/crm/v1/channels', { params: { query: { limit: pageSize, cursor } } })),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useCreateCustom() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { name: string; address: string; window_hours?: number }) =>
      ask(api.POST('/api/crm/v1/channels/custom', { body })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

export function useChangeCustom(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { name: string; address: string; window_hours: number }) =>
      ask(api.PATCH('/api/crm/v1/channels/custom/{id}', { params: { path: { id } }, body })),
    onSuccess: refresh,
  })
}

export function useRotateKey(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () =>
      ask(api.POST('/api/crm/v1/channels/custom/{id}/rotate-key', { params: { path: { id } } })).then((envelope) => envelope.data.key),
    onSuccess: refresh,
  })
}

export function useRotateSecret(id: string) {
  return useMutation({
    mutationFn: () =>
      ask(api.POST('/api/crm/v1/channels/custom/{id}/rotate-secret', { params: { path: { id } } })).then((envelope) => envelope.data.secret),
  })
}

export function usePing(id: string) {
  return useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/channels/custom/{id}/ping', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

export function useWidget(id: string | null) {
  return useQuery({
    queryKey: [...key, 'widget', id],
    enabled: id !== null,
    queryFn: () => ask(api.GET('/api/crm/v1/channels/widget/{id}', { params: { path: { id: id ?? '' } } })).then((envelope) => envelope.data),
  })
}

export function useSaveWidget(id: string | null) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ hours, ...rest }: { name: string; look: Look; hours: Hours | null }) =>
      (id
        ? ask(
            api.PATCH('/api/crm/v1/channels/widget/{id}', {
              params: { path: { id } },
              body: hours ? { ...rest, business_hours: hours } : { ...rest, always_open: true },
            }),
          )
        : ask(api.POST('/api/crm/v1/channels/widget', { body: { ...rest, business_hours: hours } }))
      ).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

/** Connects a number, or replaces the token of a connected one. */
export function useConnectWhatsApp() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { name?: string; phone_number_id: string; business_account_id: string; access_token: string; app_secret: string }) =>
      ask(api.POST('/api/crm/v1/channels/connect/{channel}', { params: { path: { channel: 'whatsapp' } }, body })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

/** Connects a bot, or replaces the token of a connected one. */
export function useConnectTelegram() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { name?: string; bot_token: string; mode?: 'webhook' | 'polling' }) =>
      ask(api.POST('/api/crm/v1/channels/connect/telegram', { body })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

/** Connects a page or its Instagram account, or replaces the token of a connected one. */
export function useConnectSocial(kind: SocialKind) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: Schemas['SocialPageInput']) =>
      ask(
        kind === 'messenger' ? api.POST('/api/crm/v1/channels/connect/messenger', { body }) : api.POST('/api/crm/v1/channels/connect/instagram', { body }),
      ).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

/** Starts connecting the company's assets at Meta; returns the address that the browser opens. */
export function useStartPartner() {
  return useMutation({
    mutationFn: () => ask(api.GET('/api/crm/v1/channels/partner/oauth/start')).then((envelope) => envelope.data.url),
  })
}

/** Reads the provider's answer to a failed sign-up of this session; only with an id. */
export function usePartnerFailure(id: string | null) {
  return useQuery({
    queryKey: [...key, 'partner', id],
    enabled: id !== null,
    retry: false,
    queryFn: () =>
      ask(api.GET('/api/crm/v1/channels/partner/oauth/failures/{id}', { params: { path: { id: id ?? '' } } })).then((envelope) => envelope.data),
  })
}

/** Asks the provider whether it calls our webhook; the account's status follows the answer. */
export function useWebhook(id: string) {
  return useQuery({
    queryKey: [...key, 'webhook', id],
    queryFn: () => ask(api.GET('/api/crm/v1/channels/{id}/webhook', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

export function useRegisterWebhook(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/channels/{id}/webhook', { params: { path: { id } } })).then((envelope) => envelope.data),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  })
}

/** Creates a link by which a person gives the bot access to their own account. */
export function useStartBusiness() {
  return useMutation({
    mutationFn: (id: string) =>
      ask(api.POST('/api/crm/v1/channels/chatbot/business/start', { body: { channel_id: id } })).then((envelope) => envelope.data.link),
  })
}

export function useSetReadReceipts(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (enabled: boolean) =>
      ask(api.PATCH('/api/crm/v1/channels/{id}/read-receipts', { params: { path: { id } }, body: { enabled } })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

/** Reads the state of an account's inbound test, and polls it while waiting for the code. */
export function useInboundTest(id: string) {
  return useQuery({
    queryKey: [...key, 'inbound-test', id],
    queryFn: () => ask(api.GET('/api/crm/v1/channels/{id}/gelen-testi', { params: { path: { id } } })).then((envelope) => envelope.data),
    refetchInterval: (query) => (query.state.data?.state === 'waiting' ? 2000 : false),
  })
}

export function useStartInboundTest(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/channels/{id}/gelen-testi', { params: { path: { id } } })).then((envelope) => envelope.data),
    onSuccess: (test) => client.setQueryData([...key, 'inbound-test', id], test),
  })
}

export function useCalling(id: string) {
  return useQuery({
    queryKey: [...key, 'calling', id],
    queryFn: () => ask(api.GET('/api/crm/v1/channels/{id}/calling', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

/** Turns calls on or off; a refusal by the provider or the exchange is part of the answer. */
export function useSetCalling(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (enabled: boolean) =>
      ask(api.PUT('/api/crm/v1/channels/{id}/calling', { params: { path: { id } }, body: { enabled } })).then((envelope) => envelope.data),
    onSuccess: (calling) => client.setQueryData([...key, 'calling', id], calling),
  })
}

export function useSetStatus() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ id, status }: { id: string; status: 'active' | 'paused' }) =>
      ask(api.PATCH('/api/crm/v1/channels/{id}/status', { params: { path: { id } }, body: { status } })),
    onSuccess: refresh,
  })
}

export function useDisconnect() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/channels/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}
