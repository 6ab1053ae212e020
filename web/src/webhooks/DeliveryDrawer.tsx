import { RotateCcw } from 'lucide-react'
import { errorText } from '@/api/message'
import { formatDateTime, formatNumber, useI18n } from '@/i18n'
import { Badge, Code } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { CodeBlock } from '@/ui/CodeBlock'
import { Drawer } from '@/ui/Dialog'
import { Notice } from '@/ui/Notice'
import { QueryState } from '@/ui/QueryState'
import type { Attempt, DeliveryDetail } from './source'
import { troubleText } from './trouble'
import { deliveryLooks, useDelivery, useResend } from './webhooks'

interface DeliveryDrawerProps {
  id: string
  canManage: boolean
  onClose: () => void
}

/** Shows one delivery: what was sent, and how the receiver answered each attempt. */
export function DeliveryDrawer({ id, canManage, onClose }: DeliveryDrawerProps) {
  const { t } = useI18n()
  const query = useDelivery(id)
  const resend = useResend()
  const delivery = query.data
  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={delivery?.event_type ?? t('deliveries.one')}
      description={delivery?.address}
      footer={
        canManage &&
        delivery && (
          <Button
            look="primary"
            icon={RotateCcw}
            busy={resend.isPending}
            disabled={delivery.status === 'pending'}
            onClick={() => resend.mutate(id)}
          >
            {t('deliveries.resend')}
          </Button>
        )
      }
    >
      <QueryState
        isPending={query.isPending}
        error={query.error}
        retry={() => void query.refetch()}
        isEmpty={!delivery}
        empty={null}
      >
        {delivery && (
          <>
            {resend.error && (
              <Notice tone="danger" className="mb-4">
                {errorText(resend.error)}
              </Notice>
            )}
            <Facts delivery={delivery} />
            <Attempts attempts={delivery.attempt_list} />
            <h3 className="mt-6 mb-2 font-semibold">{t('deliveries.request')}</h3>
            <CodeBlock label={t('deliveries.headers')} code={headerLines(delivery.headers)} />
            {delivery.body_hidden ? (
              <p className="mt-3 text-sm text-ink-2">{t('deliveries.bodyHidden')}</p>
            ) : (
              <CodeBlock className="mt-3" label={t('deliveries.body')} code={JSON.stringify(delivery.body, null, 2)} />
            )}
          </>
        )}
      </QueryState>
    </Drawer>
  )
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n')
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
  const { t } = useI18n()
  const look = deliveryLooks[delivery.status]
  return (
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-5 gap-y-2 text-sm">
      <dt className="text-ink-3">{t('common.status')}</dt>
      <dd>
        <Badge dot tone={look.tone}>
          {t(look.label)}
        </Badge>
      </dd>
      <dt className="text-ink-3">{t('deliveries.created')}</dt>
      <dd>{formatDateTime(delivery.created_at)}</dd>
      {delivery.next_attempt_at && delivery.status !== 'delivered' && (
        <>
          <dt className="text-ink-3">{t('deliveries.nextAttempt')}</dt>
          <dd>{formatDateTime(delivery.next_attempt_at)}</dd>
        </>
      )}
      <dt className="text-ink-3">{t('deliveries.eventId')}</dt>
      <dd>
        <Code>{delivery.event_id}</Code>
      </dd>
    </dl>
  )
}

function Attempts({ attempts }: { attempts: Attempt[] }) {
  const { t } = useI18n()
  return (
    <section aria-labelledby="attempts-title" className="mt-6">
      <h3 id="attempts-title" className="mb-2 font-semibold">
        {t('deliveries.attemptList')}
      </h3>
      {attempts.length === 0 && <p className="text-sm text-ink-2">{t('deliveries.noAttempt')}</p>}
      <ol className="flex flex-col gap-2">
        {attempts.toReversed().map((attempt) => (
          <li key={attempt.number} className="rounded-lg border border-line px-3.5 py-3 text-sm">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-semibold">{t('deliveries.attempt', { number: attempt.number })}</span>
              <Badge tone={attempt.error_class ? 'danger' : 'ok'}>{attempt.status_code ?? t('deliveries.noAnswer')}</Badge>
              <span className="text-ink-2">{t('deliveries.took', { ms: formatNumber(Math.round(attempt.duration_ms)) })}</span>
              <time dateTime={attempt.at} className="ml-auto text-sm text-ink-3">
                {formatDateTime(attempt.at)}
              </time>
            </div>
            {attempt.error_class && (
              <p className="mt-1.5 break-words text-danger-ink">
                {troubleText(attempt.error_class, attempt.status_code)}
                {attempt.error && attempt.error_class !== 'status' && <span className="block font-mono text-xs text-ink-2">{attempt.error}</span>}
              </p>
            )}
            {attempt.answer && <CodeBlock className="mt-2.5" label={t('deliveries.answer')} code={attempt.answer} />}
          </li>
        ))}
      </ol>
    </section>
  )
}
