import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOverview, type Overview } from '@/api/overview'
import { meets, useMe } from '@/api/session'
import { formatNumber, useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { formatSpan } from '@/lib/span'
import { Badge, type Tone } from '@/ui/Badge'
import { Card } from '@/ui/Card'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { FailureText } from '@/ui/FailureText'
import { HourBars } from '@/ui/HourBars'
import { Notice } from '@/ui/Notice'
import { useChannelHealth, useNumbers } from './overview'

/**
 * The state of the workspace: what is open, who waits, how fast first answers are, and whether the
 * channels work.
 */
export function ManagerCards() {
  const { t, language } = useI18n()
  const numbers = useNumbers(true).data
  const overview = useOverview(true)
  const seen = overview.data
  const median = seen?.first_reply_median_s ?? null
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Figure label={t('home.number.open')} value={numbers && formatNumber(numbers.all.open)} to={{ view: 'open' }} />
        <Figure label={t('home.number.waiting')} value={numbers && formatNumber(numbers.all.waiting)} warm={(numbers?.all.waiting ?? 0) > 0} to={{ view: 'waiting' }} />
        <Figure label={t('home.number.unassigned')} value={numbers && formatNumber(numbers.unassigned.open)} to={{ view: 'unassigned' }} />
        <Figure
          label={t('home.number.firstReply')}
          value={seen && (median === null ? '–' : formatSpan(median, language))}
          note={seen && seen.first_replies > 0 ? t('home.number.firstReplyOf', { count: formatNumber(seen.first_replies) }) : undefined}
        />
      </dl>
      {overview.error && (
        <Notice tone="danger">
          <FailureText error={overview.error} />
        </Notice>
      )}
      <div className="grid grid-cols-1 gap-5 xl:grid-cols-2">
        <Card title={t('home.messages.title')}>{seen && <Messages seen={seen} />}</Card>
        <HealthCard seen={seen} />
      </div>
    </>
  )
}

interface FigureProps {
  label: string
  value: ReactNode
  note?: string
  /** Somebody waits. */
  warm?: boolean
  /** The inbox view that lists what was counted. */
  to?: { view: 'open' | 'waiting' | 'unassigned' }
}

function Figure({ label, value, note, warm, to }: FigureProps) {
  return (
    <div className={cx('relative rounded-lg border border-line bg-surface px-4 py-3 shadow-1', to && 'hover:border-edge')}>
      <dt className="text-sm text-ink-2">
        {to ? (
          <Link to="/inbox" search={to} className="after:absolute after:inset-0 after:rounded-lg">
            {label}
          </Link>
        ) : (
          label
        )}
      </dt>
      <dd className={cx('text-2xl font-semibold tabular-nums', warm && 'text-warm-ink')}>
        {value || <span className="text-ink-3">–</span>}
        {note && <span className="block text-xs font-normal text-ink-3">{note}</span>}
      </dd>
    </div>
  )
}

function Messages({ seen }: { seen: Overview }) {
  const { t } = useI18n()
  return (
    <HourBars
      label={t('home.messages.title')}
      series={[
        { label: t('home.messages.received'), fill: 'fill-accent', ground: 'bg-accent' },
        { label: t('home.messages.sent'), fill: 'fill-edge', ground: 'bg-edge' },
      ]}
      hours={seen.hours.map((hour) => ({ at: hour.at, values: [hour.received, hour.sent] }))}
    />
  )
}

const health: Record<string, { label: PlainKey; tone: Tone }> = {
  connecting: { label: 'home.health.connecting', tone: 'accent' },
  active: { label: 'home.health.active', tone: 'ok' },
  paused: { label: 'home.health.paused', tone: 'neutral' },
  attention: { label: 'home.health.attention', tone: 'danger' },
}

function HealthCard({ seen }: { seen: Overview | undefined }) {
  const { t, tCount } = useI18n()
  const allowed = meets(useMe(), { permission: 'crm.channels.view', licence: 'crm' })
  // Accounts that need attention come first, so that they are visible.
  const channels = (useChannelHealth(allowed).data ?? [])
    .filter((account) => account.status !== 'disconnected')
    .toSorted((a, b) => Number(b.status === 'attention') - Number(a.status === 'attention'))
  if (!allowed) return null
  return (
    <Card
      title={t('home.health.title')}
      action={
        <Link to="/crm/channels" className="inline-flex min-h-6 items-center text-sm font-medium text-accent-ink hover:underline">
          {t('home.health.all')}
        </Link>
      }
    >
      {channels.length === 0 && <p className="text-sm text-ink-2">{t('home.health.none')}</p>}
      <ul className="flex flex-col gap-3">
        {channels.slice(0, 6).map((account) => {
          const state = health[account.status]
          const carried = seen?.channels.find((one) => one.account_id === account.id)
          return (
            <li key={account.id} className="flex items-center gap-3 text-sm">
              <ChannelGlyph channel={account.kind} size="md" />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{account.name}</span>
                {carried && <span className="block text-xs text-ink-3">{tCount('home.health.messages', carried.received + carried.sent)}</span>}
              </span>
              {state && (
                <Badge dot tone={state.tone}>
                  {t(state.label)}
                </Badge>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
