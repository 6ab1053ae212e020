import { BookOpen, ThumbsDown, ThumbsUp } from 'lucide-react'
import { useId, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button, IconButton } from '@/ui/Button'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useAIRecord, useAnswerSources, useRate, type Rating } from './assistant'
import type { Item } from './conversations'

const sourceKinds: Record<string, PlainKey> = {
  article: 'answer.kind.article',
  canned_reply: 'answer.kind.reply',
  website: 'answer.kind.website',
  file: 'answer.kind.file',
  provision: 'answer.kind.provision',
}

const hands = [
  { rating: 'up', icon: ThumbsUp, label: 'answer.up' },
  { rating: 'down', icon: ThumbsDown, label: 'answer.down' },
] as const satisfies { rating: Rating; icon: typeof ThumbsUp; label: PlainKey }[]

/** Below an answer of the assistant: its sources, whether it was good, and the customer's vote. */
export function AnswerTools({ item }: { item: Item }) {
  const { t } = useI18n()
  const me = useMe()
  const [open, setOpen] = useState(false)
  const listId = useId()
  const votes = useAIRecord(item.conversation_id).data?.feedback.filter((vote) => vote.item_id === item.id) ?? []
  const mine = votes.find((vote) => vote.author_id === me.membership.id)?.rating
  const customers = votes.find((vote) => vote.author_kind === 'contact')?.rating
  const rate = useRate(item)
  const canRate = meets(me, { permission: 'crm.conversations.reply' })

  return (
    <div className="mt-1">
      <div className="flex flex-wrap items-center justify-end gap-1 text-sm text-ink-2">
        {customers && <span className="mr-1">{t(customers === 'up' ? 'answer.customerUp' : 'answer.customerDown')}</span>}
        <Button size="sm" look="ghost" icon={BookOpen} aria-expanded={open} aria-controls={listId} onClick={() => setOpen(!open)}>
          {t('answer.sources')}
        </Button>
        {canRate &&
          hands.map(({ rating, icon, label }) => (
            <IconButton
              key={rating}
              icon={icon}
              label={t(label)}
              aria-pressed={mine === rating}
              onClick={() => rate.mutate(rating, { onError: (error) => toast('danger', t('inbox.failed'), errorText(error)) })}
              className={cx('size-8', mine === rating && 'bg-accent-soft text-accent-ink')}
            />
          ))}
      </div>
      <div id={listId} hidden={!open}>
        {open && <Sources item={item} />}
      </div>
    </div>
  )
}

function Sources({ item }: { item: Item }) {
  const { t } = useI18n()
  const sources = useAnswerSources(item, true)
  return (
    <div className="mt-1 ml-auto w-fit max-w-[min(42rem,88%)] rounded-lg border border-line bg-surface p-3 text-sm">
      <QueryState
        isPending={sources.isPending}
        error={sources.error}
        isEmpty={sources.data?.length === 0}
        empty={<p className="text-ink-2">{t('answer.noSources')}</p>}
        retry={() => void sources.refetch()}
      >
        <ul aria-label={t('answer.sources')} className="flex flex-col gap-2.5">
          {sources.data?.map((source, at) => {
            const kind = sourceKinds[source.kind]
            return (
              <li key={at}>
                <p className="flex flex-wrap items-baseline gap-x-2">
                  {/^https?:/.test(source.url) ? (
                    <a href={source.url} target="_blank" rel="noreferrer" className="font-semibold text-accent-ink underline underline-offset-3">
                      {source.title || source.url}
                    </a>
                  ) : (
                    <span className="font-semibold">{source.title}</span>
                  )}
                  <span className="text-ink-2">{kind ? t(kind) : source.kind}</span>
                </p>
                {source.excerpt && <p className="mt-0.5 text-ink-2">“{source.excerpt}”</p>}
              </li>
            )
          })}
        </ul>
      </QueryState>
    </div>
  )
}
