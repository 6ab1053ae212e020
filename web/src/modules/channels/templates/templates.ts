import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { readAll } from '@/api/readAll'
import type { Tone } from '@/ui/Badge'
import type { PlainKey } from '@/i18n'

export type Template = Schemas['TemplateTemplate']
export type Component = Schemas['TemplateComponent']
export type TemplateButton = Schemas['TemplateButton']
export type Category = 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'

const key = ['crm', 'templates'] as const

export interface TemplateFilter {
  q?: string
  status?: string
  account?: string
}

export function useTemplates(filter: TemplateFilter, enabled = true) {
  return usePages({
    key: [...key, 'list', filter],
    fetch: (cursor) =>
      ask(
        api.GET('/api/crm/v1/channels/templates', {
          params: { query: { limit: 50, cursor, q: filter.q || undefined, status: filter.status || undefined, channel_account_id: filter.account || undefined } },
        }),
      ),
    steady: true,
    enabled,
  })
}

/** Reads the numbers that can have templates. */
export function useNumbers() {
  return useQuery({
    queryKey: ['crm', 'channels', 'numbers'],
    queryFn: () =>
      readAll((query) => ask(api.GET('/api/crm/v1/channels', { params: { query } }))).then((accounts) =>
        accounts.filter((account) => account.kind === 'whatsapp' && account.status !== 'disconnected'),
      ),
  })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export interface TemplateDraft {
  channel_account_id: string
  name: string
  language: string
  category: Category
  components: Component[]
  draft: boolean
}

/** Submits a new template or stores it as a draft; an existing one keeps its name and language. */
export function useSaveTemplate(template: Template | null) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ category, components, draft, ...rest }: TemplateDraft) =>
      (template
        ? ask(
            api.PATCH('/api/crm/v1/channels/templates/{id}', {
              params: { path: { id: template.id } },
              body: { category, components, submit: template.status === 'DRAFT' && !draft },
            }),
          )
        : ask(api.POST('/api/crm/v1/channels/templates', { body: { ...rest, category, components, draft, parameter_format: 'POSITIONAL' } }))
      ).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

export function useDeleteTemplate() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => ask(api.DELETE('/api/crm/v1/channels/templates/{id}', { params: { path: { id } } })),
    onSuccess: refresh,
  })
}

export function useSync() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/channels/templates/sync', { body: {} })).then((envelope) => envelope.data),
    onSuccess: refresh,
  })
}

/** Uploads the reviewer's sample of a header to the provider, which answers with a handle. */
export function useSample(account: string) {
  return useMutation({
    mutationFn: (file: File) =>
      ask(
        api.POST('/api/crm/v1/channels/templates/media', {
          params: { query: { channel_account_id: account, filename: file.name } },
          body: file as unknown as string,
          bodySerializer: (body: unknown) => body as BodyInit,
          headers: { 'Content-Type': file.type || 'application/octet-stream' },
        }),
      ).then((envelope) => ({ handle: envelope.data.header_handle, name: file.name })),
  })
}

export const statusLooks: Record<string, { label: PlainKey; tone: Tone }> = {
  DRAFT: { label: 'templates.status.draft', tone: 'neutral' },
  PENDING: { label: 'templates.status.pending', tone: 'accent' },
  IN_APPEAL: { label: 'templates.status.appeal', tone: 'accent' },
  APPROVED: { label: 'templates.status.approved', tone: 'ok' },
  REJECTED: { label: 'templates.status.rejected', tone: 'danger' },
  PAUSED: { label: 'templates.status.paused', tone: 'warn' },
  FLAGGED: { label: 'templates.status.flagged', tone: 'warn' },
  LIMIT_EXCEEDED: { label: 'templates.status.limit', tone: 'warn' },
  LOCKED: { label: 'templates.status.locked', tone: 'warn' },
  DISABLED: { label: 'templates.status.disabled', tone: 'danger' },
  ARCHIVED: { label: 'templates.status.archived', tone: 'neutral' },
  PENDING_DELETION: { label: 'templates.status.deleting', tone: 'neutral' },
}

/** What a status means for the person, if the word alone is not clear enough. */
export const statusHelp: Record<string, PlainKey> = {
  PENDING: 'templates.help.pending',
  PAUSED: 'templates.help.paused',
  FLAGGED: 'templates.help.flagged',
  DISABLED: 'templates.help.disabled',
  LIMIT_EXCEEDED: 'templates.help.limit',
}

/** Meta's reasons for a refusal; an unknown one is shown unchanged. */
export const rejections: Record<string, PlainKey> = {
  ABUSIVE_CONTENT: 'templates.rejected.abusive',
  INVALID_FORMAT: 'templates.rejected.format',
  PROMOTIONAL: 'templates.rejected.promotional',
  TAG_CONTENT_MISMATCH: 'templates.rejected.category',
  INCORRECT_CATEGORY: 'templates.rejected.category',
  SCAM: 'templates.rejected.scam',
}

export const categories: Record<Category, PlainKey> = {
  UTILITY: 'templates.category.utility',
  MARKETING: 'templates.category.marketing',
  AUTHENTICATION: 'templates.category.authentication',
}
