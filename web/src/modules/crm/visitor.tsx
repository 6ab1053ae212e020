import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { useI18n } from '@/i18n'
import { deviceOf } from '@/lib/device'
import { languageName } from '@/lib/languageName'

/** Reads what the browser of a live chat's visitor reported. */
export function useVisitor(conversationId: string | undefined) {
  return useQuery({
    queryKey: ['crm', 'conversations', 'visitor', conversationId],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/channels/widget/visitors/{conversation_id}', { params: { path: { conversation_id: conversationId ?? '' } } })).then((envelope) => envelope.data),
    enabled: conversationId !== undefined,
    retry: false,
  })
}

/**
 * Shows where a live chat's visitor writes from: their page, browser and language, as their browser
 * reports them.
 */
export function VisitorFacts({ visitor }: { visitor: Schemas['WidgetVisitorInfo'] }) {
  const { t } = useI18n()
  const { name, platform } = deviceOf(visitor.browser)
  const facts = [
    [t('visitor.page'), visitor.page || visitor.origin],
    [t('visitor.browser'), [name, platform].filter(Boolean).join(' · ')],
    [t('visitor.language'), languageName(visitor.language)],
  ]
  return (
    <dl className="flex flex-col gap-3.5 text-sm">
      {facts
        .filter(([, fact]) => fact)
        .map(([label, fact]) => (
          <div key={label}>
            <dt className="text-ink-3">{label}</dt>
            <dd className="break-all">{fact}</dd>
          </div>
        ))}
    </dl>
  )
}
