import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatAgo, useI18n, type PlainKey } from '@/i18n'
import { Badge, type Tone } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { handoverText } from '../handover'
import { moneyText, orderStates } from '../orders'
import { useVisitor, VisitorFacts } from '../visitor'
import { useAIRecord, useHandover } from './assistant'
import type { Conversation } from './conversations'
import { PeopleSection } from './PeopleSection'
import { Section } from './Section'

/** Further information about the conversation; loaded after it, and omitted if empty. */
export function DetailsMore({ conversation }: { conversation: Conversation }) {
  return (
    <>
      {conversation.channel === 'widget' && <Visitor id={conversation.id} />}
      <PeopleSection conversation={conversation} />
      <Assistant conversation={conversation} />
      <Summary id={conversation.id} />
      <Commerce id={conversation.id} />
    </>
  )
}

function Visitor({ id }: { id: string }) {
  const { t } = useI18n()
  const visitor = useVisitor(id).data
  return (
    visitor && (
      <Section title={t('visitor.title')}>
        <VisitorFacts visitor={visitor} />
      </Section>
    )
  )
}

const states = {
  off: { label: 'ai.off', tone: 'neutral' },
  active: { label: 'ai.active', tone: 'accent' },
  handed_over: { label: 'ai.handedOver', tone: 'warn' },
  paused: { label: 'ai.paused', tone: 'neutral' },
} as const satisfies Record<Conversation['ai_state'], { label: PlainKey; tone: Tone }>

function Assistant({ conversation }: { conversation: Conversation }) {
  const { t, tCount } = useI18n()
  const record = useAIRecord(conversation.id).data
  const handover = useHandover(conversation.id)
  const canReply = meets(useMe(), { permission: 'crm.conversations.reply' })
  if (!record || (record.state === 'off' && record.answers === 0)) return null
  const { label, tone } = states[record.state]
  return (
    <Section title={t('ai.title')}>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{t(label)}</Badge>
        {record.configuration && <span className="text-ink-2">{record.configuration.name}</span>}
      </p>
      <p className="mt-1.5 text-ink-2">{tCount('ai.answers', record.answers)}</p>
      {record.handover_reason && <p className="mt-1 text-ink-2">{t('ai.reason', { reason: handoverText(record.handover_reason) })}</p>}
      {handover.error && (
        <p role="alert" className="mt-1.5 text-sm text-danger-ink">
          {errorText(handover.error)}
        </p>
      )}
      {canReply && (record.state === 'active' || record.state === 'paused') && (
        <Button size="sm" busy={handover.isPending} onClick={() => handover.mutate()} className="mt-2">
          {t('ai.takeOver')}
        </Button>
      )}
    </Section>
  )
}

function Summary({ id }: { id: string }) {
  const { t } = useI18n()
  const client = useQueryClient()
  const canReply = meets(useMe(), { permission: 'crm.conversations.reply' })
  const queryKey = ['crm', 'conversations', 'summary', id]
  const summary = useQuery({
    queryKey,
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/summary', { params: { path: { id } } })).then((envelope) => envelope.data),
  }).data
  const make = useMutation({
    mutationFn: () => ask(api.POST('/api/crm/v1/conversations/{id}/summary/generate', { params: { path: { id } } })).then((envelope) => envelope.data),
    onSuccess: (next) => client.setQueryData(queryKey, next),
  })
  // Without an assistant no summary can be requested; an earlier one is still shown.
  if (!summary || (!summary.available && !summary.summary)) return null
  return (
    <Section title={t('summary.title')}>
      {summary.summary ? <p className="whitespace-pre-wrap text-ink-2">{summary.summary}</p> : <p className="text-ink-2">{t('summary.none')}</p>}
      {summary.generated_at && (
        <p className="mt-1 text-sm text-ink-2">
          {formatAgo(summary.generated_at)}
          {summary.outdated && ` · ${t('summary.outdated')}`}
        </p>
      )}
      {make.error && (
        <p role="alert" className="mt-1.5 text-sm text-danger-ink">
          {errorText(make.error)}
        </p>
      )}
      {canReply && summary.available && (!summary.summary || summary.outdated) && (
        <Button size="sm" busy={make.isPending} onClick={() => make.mutate()} className="mt-2">
          {t('summary.make')}
        </Button>
      )}
    </Section>
  )
}

function Commerce({ id }: { id: string }) {
  const { t } = useI18n()
  const card = useQuery({
    queryKey: ['crm', 'conversations', 'commerce', id],
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/commerce', { params: { path: { id } } })).then((envelope) => envelope.data),
    staleTime: 60_000,
  }).data
  if (!card?.licensed || (card.orders.length === 0 && card.balances.length === 0)) return null
  return (
    <Section title={t('order.title')}>
      {card.balances.map((balance) => (
        <p key={balance.currency} className="mb-2 flex justify-between gap-2">
          <span className="text-ink-2">{t('order.balance')}</span>
          <span className="font-semibold tabular-nums">{moneyText(balance)}</span>
        </p>
      ))}
      <ul className="flex flex-col gap-2">
        {card.orders.map((order) => {
          const state = orderStates[order.status]
          const parcel = card.shipments.find((shipment) => shipment.order_id === order.id)
          const back = card.returns.find((entry) => entry.order_id === order.id)
          return (
            <li key={order.id} className="rounded-md border border-line p-2.5">
              <p className="flex items-center gap-2">
                <span className="min-w-0 flex-1 truncate font-semibold">{order.number}</span>
                <Badge>{state ? t(state) : order.status}</Badge>
              </p>
              <p className="mt-1 flex justify-between gap-2 text-sm text-ink-2">
                <span>{formatAgo(order.placed_at)}</span>
                <span className="tabular-nums">{moneyText(order.total)}</span>
              </p>
              <p className="mt-1 truncate text-sm text-ink-2">{order.lines.map((line) => `${line.quantity} × ${line.name}`).join(', ')}</p>
              {parcel && (
                <p className="mt-1 truncate text-sm text-ink-2">
                  {parcel.carrier} {parcel.tracking_number}
                </p>
              )}
              {back && <p className="mt-1 text-sm text-warn-ink">{t('order.returned', { reason: back.reason })}</p>}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
