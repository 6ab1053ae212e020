import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'

export type PhoneSettings = Omit<Schemas['SetSettingsInBody'], 'updated_at'>
export type PhoneMenu = Schemas['SettingMenu']
export type MenuKey = Schemas['SettingMenuKey']
export type PhoneSetup = Schemas['TelephonySetup']

const key = ['crm', 'phone-settings'] as const

export function usePhoneSettings() {
  return useQuery({
    queryKey: key,
    queryFn: async (): Promise<PhoneSettings> => {
      const settings: PhoneSettings & { updated_at?: string | null } = { ...(await ask(api.GET('/api/crm/v1/telephony/settings'))).data }
      delete settings.updated_at // it is not part of what is saved
      return settings
    },
  })
}

export function useSavePhoneSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: PhoneSettings) => ask(api.PUT('/api/crm/v1/telephony/settings', { body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: key }),
  })
}

/** Reads what is set up for telephony, and what is missing. */
export function usePhoneSetup() {
  return useQuery({ queryKey: ['crm', 'phone-setup'], queryFn: () => ask(api.GET('/api/crm/v1/telephony/setup')).then((envelope) => envelope.data), refetchInterval: 5000 })
}

/** Reads the groups whose phones a menu key can ring. */
export function useGroups() {
  return useQuery({ queryKey: ['crm', 'groups'], queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/groups', { params: { query } }))), staleTime: 300_000 })
}
