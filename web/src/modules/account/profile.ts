import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { meQuery } from '@/api/session'
import { makePasskey } from '@/lib/webauthn'

export type OwnSession = Schemas['IdentityOwnSession']
export type Passkey = Schemas['SigninPasskey']
export type Grant = Schemas['OauthGrant']
export type TotpSetup = Schemas['SigninTOTPSetup']

const sessionsKey = ['account', 'sessions'] as const
const passkeysKey = ['account', 'passkeys'] as const
const grantsKey = ['account', 'grants'] as const
const pageSize = 50

function useRefresh(...keys: (readonly string[])[]) {
  const client = useQueryClient()
  return () => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey })
  }
}

export function useSessions() {
  return usePages({
    key: sessionsKey,
    fetch: (cursor) => ask(api.GET('/api/v1/auth/sessions', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useRevokeSession() {
  const refresh = useRefresh(sessionsKey)
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/v1/auth/sessions/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useRevokeOthers() {
  const refresh = useRefresh(sessionsKey)
  return useMutation({
    mutationFn: () => ask(api.DELETE('/api/v1/auth/sessions')).then((envelope) => envelope.data.revoked),
    onSuccess: refresh,
  })
}

export function useChangeProfile() {
  const refresh = useRefresh([...meQuery.queryKey])
  return useMutation({
    mutationFn: (body: { name: string; language: 'tr' | 'en' }) => ask(api.PATCH('/api/v1/auth/me', { body })),
    onSuccess: refresh,
  })
}

export function useChangePassword() {
  const refresh = useRefresh(sessionsKey)
  return useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) => ask(api.PUT('/api/v1/auth/password', { body })),
    onSuccess: refresh,
  })
}

export function useBeginTotp() {
  return useMutation({ mutationFn: () => ask(api.POST('/api/v1/auth/2fa/totp')).then((envelope) => envelope.data) })
}

export function useConfirmTotp() {
  const refresh = useRefresh([...meQuery.queryKey])
  return useMutation({
    mutationFn: (code: string) =>
      ask(api.POST('/api/v1/auth/2fa/totp/confirm', { body: { code } })).then((envelope) => envelope.data.recovery_codes),
    onSuccess: refresh,
  })
}

export function useDropTotp() {
  const refresh = useRefresh([...meQuery.queryKey])
  return useMutation({ mutationFn: () => ask(api.DELETE('/api/v1/auth/2fa/totp')), onSuccess: refresh })
}

export function useNewRecoveryCodes() {
  return useMutation({
    mutationFn: () => ask(api.POST('/api/v1/auth/2fa/recovery-codes')).then((envelope) => envelope.data.recovery_codes),
  })
}

export function usePasskeys() {
  return usePages({
    key: passkeysKey,
    fetch: (cursor) => ask(api.GET('/api/v1/auth/passkeys', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useAddPasskey() {
  const refresh = useRefresh(passkeysKey)
  return useMutation({
    mutationFn: async (name: string) => {
      const { data } = await ask(api.POST('/api/v1/auth/passkeys/options'))
      const credential = await makePasskey(data.options)
      return ask(api.POST('/api/v1/auth/passkeys', { body: { challenge_id: data.challenge_id, name, credential } }))
    },
    onSuccess: refresh,
  })
}

export function useDropPasskey() {
  const refresh = useRefresh(passkeysKey)
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/v1/auth/passkeys/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useGrants() {
  return usePages({
    key: grantsKey,
    fetch: (cursor) => ask(api.GET('/api/v1/auth/grants', { params: { query: { limit: pageSize, cursor } } })),
  })
}

export function useRevokeGrant() {
  const refresh = useRefresh(grantsKey, sessionsKey)
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/v1/auth/grants/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}
