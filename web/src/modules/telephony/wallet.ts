import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type Wallet = Schemas['WalletWallet']
export type WalletEntry = Schemas['WalletEntry']
export type TopUp = Schemas['WalletTopUp']
export type NewTopUp = Schemas['StartTopUpInBody']

const key = ['crm', 'wallet'] as const
const pageSize = 50
const lookEvery = 2000

export function useWallet(enabled = true) {
  return useQuery({ enabled, queryKey: [...key, 'balance'], queryFn: () => ask(api.GET('/api/crm/v1/telephony/wallet')).then((envelope) => envelope.data) })
}

export function useWalletEntries() {
  return usePages({
    key: [...key, 'entries'],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/telephony/wallet/entries', { params: { query: { limit: pageSize, cursor } } })),
  })
}

/**
 * Starts a card payment. No card data is kept: neither the answer nor the request stays in the
 * cache.
 */
export function useStartTopUp() {
  return useMutation({
    mutationFn: (body: NewTopUp) => ask(api.POST('/api/crm/v1/telephony/wallet/topup', { body })).then((envelope) => envelope.data),
    gcTime: 0,
  })
}

/** Reports whether the bank has not decided a payment yet. */
export function isOpen(state: TopUp['state']): boolean {
  return state === 'created' || state === 'challenged' || state === 'authenticated' || state === 'completing'
}

/** Reads the result of a card payment; polled until the bank has decided. */
export function useTopUp(id: string) {
  const client = useQueryClient()
  return useQuery({
    queryKey: [...key, 'topup', id],
    queryFn: async () => {
      const { data } = await ask(api.GET('/api/crm/v1/telephony/wallet/topups/{id}', { params: { path: { id } } }))
      if (!isOpen(data.state)) void client.invalidateQueries({ queryKey: [...key, 'balance'] }).then(() => client.invalidateQueries({ queryKey: [...key, 'entries'] }))
      return data
    },
    refetchInterval: (query) => (query.state.data && !isOpen(query.state.data.state) ? false : lookEvery),
  })
}

/** The form of a bank's page: its target and its fields. */
export interface BankForm {
  action: string
  fields: [name: string, value: string][]
}

/**
 * Reads the form from a bank's page. The page's own script would submit it, but foreign scripts do
 * not run in the panel. Null for a page without a form that leads to another site.
 */
export function readBankForm(html: string): BankForm | null {
  const form = new DOMParser().parseFromString(html, 'text/html').querySelector('form')
  const action = form?.getAttribute('action') ?? ''
  if (!form || !/^https?:\/\//i.test(action)) return null
  const fields = [...form.querySelectorAll('input[name]')].map((input): [string, string] => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? ''])
  return { action, fields }
}
