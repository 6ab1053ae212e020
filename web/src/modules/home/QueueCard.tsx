import { Link } from '@tanstack/react-router'
import { ArrowRight, CircleAlert, PartyPopper } from 'lucide-react'
import type { Schemas } from '@/api/client'
import { useI18n, type PlainKey } from '@/i18n'
import { useEachMinute } from '@/lib/minute'
import { formatWait } from '@/lib/span'
import { Avatar } from '@/ui/Avatar'
import { Card } from '@/ui/Card'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { SkeletonRows } from '@/ui/Skeleton'
import { useQueue } from './overview'

type Row = Schemas['ConversationConversation']

/**
 * What an agent does next: their own open conversations and unassigned ones, the longest waiting
 * first.
 */
export function QueueCard() {
  const { t } = useI18n()
  const mine = useQueue('me', true)
  const free = useQueue('none', true)
  return (
    <Card
      title={t('home.queue.title')}
      action={
        <Link to="/inbox" search={{ view: 'mine' }} className="inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-accent-ink hover:underline">
          {t('home.queue.open')}
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      }
    >
      {mine.isPending ? (
        <SkeletonRows rows={3} />
      ) : (
        <>
          <Rows label="home.queue.mine" rows={mine.data ?? []} />
          {mine.data?.length === 0 && (
            <p className="flex items-center gap-2.5 py-2 text-sm text-ink-2">
              <PartyPopper aria-hidden className="size-4.5 shrink-0 text-ink-3" />
              {t('home.queue.none')}
            </p>
          )}
        </>
      )}
      {(free.data?.length ?? 0) > 0 && (
        <>
          <h3 className="mt-4 mb-1 text-sm font-semibold text-ink-2">{t('home.queue.free')}</h3>
          <Rows label="home.queue.free" rows={free.data ?? []} />
        </>
      )}
    </Card>
  )
}

function Rows({ label, rows }: { label: PlainKey; rows: readonly Row[] }) {
  const { t } = useI18n()
  if (rows.length === 0) return null
  return (
    <ul aria-label={t(label)} className="-mx-2">
      {rows.map((row) => (
        <li key={row.id}>
          <Link to="/inbox" search={{ c: row.id }} className="flex min-h-13 items-center gap-3 rounded-md px-2 py-1.5 hover:bg-sunken">
            <span className="relative">
              <Avatar name={row.contact_name} id={row.contact_id} />
              <ChannelGlyph channel={row.channel} className="absolute -right-1 -bottom-1 rounded-[5px] ring-2 ring-surface" />
            </span>
            <span className="min-w-0 flex-1">
              <span className="block truncate text-sm font-semibold">{row.contact_name || t('home.queue.unnamed')}</span>
              <span className="block truncate text-sm text-ink-2">{row.subject ? `${row.subject} · ${row.preview}` : row.preview}</span>
            </span>
            {row.delivery_failed && <CircleAlert role="img" aria-label={t('home.queue.failed')} data-tip={t('home.queue.failed')} className="size-4.5 shrink-0 text-danger-ink" />}
            {row.waiting_since && <Waits since={row.waiting_since} />}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Waits({ since }: { since: string }) {
  const { t } = useI18n()
  useEachMinute()
  const span = formatWait(since)
  return (
    <span className="shrink-0 rounded-sm bg-warm-soft px-1.5 py-0.5 text-xs font-semibold text-warm-ink tabular-nums" aria-label={t('home.queue.waits', { span })}>
      {span}
    </span>
  )
}
