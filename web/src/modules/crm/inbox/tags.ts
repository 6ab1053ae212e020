import { useQuery } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { language } from '@/i18n'
import { tagsKey } from './conversations'

/** Reads every tag in use in the workspace, sorted in the person's alphabet. */
export function useTags(enabled: boolean) {
  return useQuery({
    queryKey: tagsKey,
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/tags')).then((envelope) => (envelope.data ?? []).sort((one, other) => one.localeCompare(other, language()))),
    staleTime: 60_000,
    enabled,
  })
}
