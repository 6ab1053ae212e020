import { Play, X } from 'lucide-react'
import { formatAgo, formatDateTime, formatNumber, useI18n } from '@/i18n'
import { Button, IconButton } from '@/ui/Button'
import { HourBars } from '@/ui/HourBars'
import { Notice } from '@/ui/Notice'
import type { Delivery, Recovery, Webhook } from './source'
import { troubleText } from './trouble'
import { tally, useHours, watchInterval } from './webhooks'

interface WebhookNoticesProps {
  webhook: Webhook
  rows: readonly Delivery[]
  recovery: Recovery | null
  onRecoverySeen: () => void
  onResume: (() => void) | null
  resuming: boolean
}

/**
 * What a person must know before reading the list: the webhook is switched off, paused, or catching
 * up.
 */
export function WebhookNotices({ webhook, rows, recovery, onRecoverySeen, onResume, resuming }: WebhookNoticesProps) {
  const { t } = useI18n()
  const { waiting } = tally(rows)
  const resume = onResume && (
    <Button size="sm" icon={Play} busy={resuming} onClick={onResume}>
      {t('webhooks.resume')}
    </Button>
  )
  return (
    <div className="mb-5 flex flex-col gap-3 empty:hidden">
      {webhook.status === 'disabled' && (
        <Notice tone="danger" title={t('webhooks.disabled.title')} action={resume}>
          {webhook.disabled_error_class && <p className="font-medium">{troubleText(webhook.disabled_error_class, webhook.disabled_status_code)}</p>}
          {webhook.disabled_reason && webhook.disabled_error_class !== 'status' && (
            <p className="font-mono text-sm wrap-anywhere">{webhook.disabled_reason}</p>
          )}
          <p>
            {webhook.disabled_at && t('webhooks.disabled.since', { when: formatDateTime(webhook.disabled_at) })}{' '}
            {webhook.next_probe_at
              ? t('webhooks.disabled.probe', { when: formatDateTime(webhook.next_probe_at) })
              : t('webhooks.disabled.noProbe')}
          </p>
          <p>{t('webhooks.disabled.text')}</p>
        </Notice>
      )}
      {webhook.status === 'paused' && (
        <Notice tone="warn" title={t('webhooks.paused.title')} action={resume}>
          {t('webhooks.paused.text')}
        </Notice>
      )}
      {recovery && <RecoveryNotice recovery={recovery} waiting={waiting} onClose={onRecoverySeen} />}
    </div>
  )
}

interface RecoveryNoticeProps {
  recovery: Recovery
  waiting: number
  onClose: () => void
}

/**
 * First the range is searched, which has a progress; then the queued deliveries are sent, which the
 * list shows.
 */
function RecoveryNotice({ recovery, waiting, onClose }: RecoveryNoticeProps) {
  const { t, tCount } = useI18n()
  const searching = recovery.status === 'running'
  return (
    <Notice
      tone={searching || waiting > 0 ? 'info' : 'ok'}
      title={searching || waiting > 0 ? t('webhooks.recover.running') : t('webhooks.recover.caughtUp')}
      action={<IconButton icon={X} label={t('common.close')} onClick={onClose} className="-my-1.5 -mr-2" />}
    >
      <p>{t('webhooks.recover.from', { since: formatDateTime(recovery.since), until: formatDateTime(recovery.until) })}</p>
      {searching && (
        <progress aria-label={t('webhooks.recover.progress')} max={1} value={recovery.progress} className="my-1 h-2 w-full accent-accent" />
      )}
      <p>
        {tCount('webhooks.recover.examined', recovery.examined)} {tCount('webhooks.recover.queued', recovery.queued)}{' '}
        {waiting > 0 && tCount('webhooks.recover.waiting', waiting)}
      </p>
    </Notice>
  )
}

interface StatisticsProps {
  webhook: Webhook
  rows: readonly Delivery[]
  /** Whether the rows are complete. */
  complete: boolean
}

export function Statistics({ webhook, rows, complete }: StatisticsProps) {
  const { t, tCount } = useI18n()
  const hours = useHours(webhook.id, watchInterval(rows))
  if (rows.length === 0) return null
  const sum = tally(rows)
  const facts = [
    {
      label: t('webhooks.stats.arrived'),
      value: sum.arrived === null ? '–' : new Intl.NumberFormat(document.documentElement.lang, { style: 'percent' }).format(sum.arrived / 100),
      bad: sum.arrived !== null && sum.arrived < 95,
    },
    { label: t('webhooks.stats.waiting'), value: formatNumber(sum.waiting), bad: false },
    { label: t('webhooks.stats.gaveUp'), value: formatNumber(sum.gaveUp), bad: sum.gaveUp > 0 },
    { label: t('webhooks.stats.inARow'), value: formatNumber(webhook.consecutive_failures), bad: webhook.consecutive_failures > 0 },
    { label: t('webhooks.stats.last'), value: sum.lastArrival ? formatAgo(sum.lastArrival) : '–', bad: false },
  ]
  return (
    <section aria-labelledby="statistics-title" className="mb-6">
      <h2 id="statistics-title" className="mb-3 flex flex-wrap items-baseline gap-x-3 text-base font-semibold">
        {t('webhooks.stats')}
        <span className="text-sm font-normal text-ink-3">
          {tCount(complete ? 'webhooks.stats.ofAll' : 'webhooks.stats.ofNewest', rows.length)}
        </span>
      </h2>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-1 sm:grid-cols-3 lg:grid-cols-5">
        {facts.map((fact) => (
          <div key={fact.label} className="bg-surface px-4 py-3 last:col-span-2 sm:last:col-span-2 lg:last:col-span-1">
            <dt className="text-sm text-ink-3">{fact.label}</dt>
            <dd className={fact.bad ? 'text-lg font-semibold text-danger-ink' : 'text-lg font-semibold'}>{fact.value}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-1">
        <h3 className="mb-2 text-sm font-semibold">{t('webhooks.stats.chart')}</h3>
        <HourBars
          label={t('webhooks.stats.chart')}
          series={[
            { label: t('deliveries.status.delivered'), fill: 'fill-ok-ink', ground: 'bg-ok-ink' },
            { label: t('webhooks.stats.failedAttempts'), fill: 'fill-danger', ground: 'bg-danger' },
          ]}
          hours={(hours.data ?? []).map(({ at, delivered, failed }) => ({ at, values: [delivered, failed] }))}
        />
      </div>
    </section>
  )
}
