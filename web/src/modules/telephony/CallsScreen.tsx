import { Link } from '@tanstack/react-router'
import { Check, Ellipsis, Phone, PhoneIncoming, PhoneOutgoing, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { ListView, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, type Tone } from '@/ui/Badge'
import { buttonClass, IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Menu, MenuItem } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import { Segmented } from '@/ui/Segmented'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { CallDialog } from './CallDialog'
import { lengthText, otherNumber, recordingAddress, useCalls, useDismissCall, useLiveCalls, useMarkHeard, type Call, type CallFilter } from './calls'
import { OwnCall } from './OwnCall'

const outcomes = {
  '': { label: 'calls.outcome.open', tone: 'accent' },
  answered: { label: 'calls.outcome.answered', tone: 'ok' },
  missed: { label: 'calls.outcome.missed', tone: 'danger' },
  abandoned: { label: 'calls.outcome.abandoned', tone: 'warn' },
  voicemail: { label: 'calls.outcome.voicemail', tone: 'warn' },
  busy: { label: 'calls.outcome.busy', tone: 'neutral' },
  rejected: { label: 'calls.outcome.rejected', tone: 'neutral' },
  blocked: { label: 'calls.outcome.blocked', tone: 'neutral' },
  failed: { label: 'calls.outcome.failed', tone: 'danger' },
  no_credit: { label: 'calls.outcome.noCredit', tone: 'danger' },
  cancelled: { label: 'calls.outcome.cancelled', tone: 'neutral' },
} as const satisfies Record<Call['disposition'], { label: PlainKey; tone: Tone }>

export function CallsScreen() {
  const { t } = useI18n()
  const me = useMe()
  const canCall = meets(me, { permission: 'crm.calls.make' })
  const canListen = meets(me, { permission: 'crm.recordings.listen' })
  const canExport = meets(me, { permission: 'crm.calls.export' })
  const canSetUp = meets(me, { permission: 'crm.telephony.manage', licence: 'telephony' })
  const [filter, setFilter] = useState<CallFilter>('all')
  const [calling, setCalling] = useState<string | null>(null)
  const list = useCalls(filter)
  const dismiss = useDismissCall()
  const heard = useMarkHeard()
  const failed = (error: unknown) => toast('danger', t('calls.failed'), errorText(error))
  const add = useAdd('calls.place', canCall, () => setCalling(''))

  const columns: Column<Call>[] = [
    {
      id: 'who',
      header: t('calls.number'),
      cell: (row) => (
        <>
          <span className="flex items-center gap-2 font-medium tabular-nums">
            {row.direction === 'inbound' ? <PhoneIncoming className="size-4" aria-label={t('calls.inbound')} /> : <PhoneOutgoing className="size-4" aria-label={t('calls.outbound')} />}
            {otherNumber(row) || t('calls.withheld')}
          </span>
          {row.recording && (canListen || row.voicemail) && (
            <audio controls preload="none" src={recordingAddress(row)} aria-label={t('calls.listen')} className="mt-1 h-10 w-72 max-w-full" />
          )}
        </>
      ),
    },
    {
      id: 'outcome',
      header: t('common.status'),
      cell: (row) => (
        <span className="flex flex-wrap gap-2">
          <Badge dot tone={outcomes[row.disposition].tone}>
            {t(outcomes[row.disposition].label)}
          </Badge>
          {row.cause === 'storage_full' && <Badge tone="danger">{t('calls.noMessage')}</Badge>}
          {row.via === 'channel' && <Badge>{t('calls.messaging', { number: row.to_e164 })}</Badge>}
          {row.callback_requested && row.to_return && <Badge tone="warn">{t('calls.callback')}</Badge>}
        </span>
      ),
    },
    { id: 'length', header: t('calls.length'), wide: true, cell: (row) => <span className="tabular-nums">{lengthText(row.talk_s)}</span> },
    { id: 'at', header: t('calls.at'), wide: true, cell: (row) => <Ago at={row.started_at} /> },
  ]

  const isOffered = (row: Call) => (canCall && otherNumber(row)) || row.to_return || (row.voicemail && !row.voicemail.heard_at)
  const rowActions = (row: Call) => isOffered(row) && (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: otherNumber(row) })} />}>
      {canCall && otherNumber(row) && (
        <MenuItem icon={Undo2} onSelect={() => setCalling(otherNumber(row))}>
          {t('calls.callBack')}
        </MenuItem>
      )}
      {row.to_return && (
        <MenuItem icon={Check} onSelect={() => dismiss.mutate(row.id, { onError: failed })}>
          {t('calls.dismiss')}
        </MenuItem>
      )}
      {row.voicemail && !row.voicemail.heard_at && (
        <MenuItem icon={Check} onSelect={() => heard.mutate(row.id, { onError: failed })}>
          {t('calls.markHeard')}
        </MenuItem>
      )}
    </Menu>
  )

  const nothing = { toReturn: t('calls.empty.toReturn'), unheard: t('calls.empty.unheard'), all: t('calls.empty.text') }[filter]
  const empty = {
    icon: Phone,
    title: t(filter === 'all' ? 'calls.empty.title' : 'calls.empty.done'),
    text: nothing,
    action:
      filter === 'all' && canSetUp ? (
        <Link to="/settings/phone-setup" className={buttonClass()}>
          {t('phoneSetup.title')}
        </Link>
      ) : undefined,
  }

  return (
    <>
      <PageHeader
        title={t('calls.title')}
        lead={t('calls.lead')}
        actions={
          <>
            {canExport && (
              <a href="/api/crm/v1/telephony/calls/export" download="calls.csv" className={buttonClass()}>
                {t('calls.export')}
              </a>
            )}
            {add}
          </>
        }
      />
      <LiveCalls />
      <div className="mb-4">
        <Segmented
          label={t('calls.show')}
          value={filter}
          options={[
            { value: 'all', label: t('calls.all') },
            { value: 'toReturn', label: t('calls.toReturn') },
            { value: 'unheard', label: t('calls.unheard') },
          ]}
          onChange={setFilter}
        />
      </div>
      <ListView label={t('calls.title')} list={list} columns={columns} rowActions={rowActions} empty={empty} />
      {calling !== null && <CallDialog to={calling} onClose={() => setCalling(null)} />}
    </>
  )
}

/** Lists the ongoing calls; nothing if there are none. */
function LiveCalls() {
  const { t } = useI18n()
  const me = useMe()
  const live = useLiveCalls().data ?? []
  if (live.length === 0) return null
  return (
    <Card title={t('calls.live')} className="mb-4">
      <ul className="flex flex-col gap-2">
        {live.map((call) => (
          <li key={call.call_id} className="flex flex-wrap items-center gap-3">
            <Badge dot tone="accent">
              {t(liveStates[call.state])}
            </Badge>
            <span className="tabular-nums">{otherNumber(call) || t('calls.withheld')}</span>
            <span className="text-ink-2">{call.agent}</span>
            <Ago at={call.since} />
            {call.agent_id === me.membership.id && <OwnCall call={call} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const liveStates = {
  created: 'calls.state.begins',
  screening: 'calls.state.begins',
  routing: 'calls.state.listens',
  ringing: 'calls.state.rings',
  active: 'calls.state.talks',
  held: 'calls.state.waits',
  detached: 'calls.state.waits',
  forwarding: 'calls.state.forwarded',
  voicemail: 'calls.state.voicemail',
  ending: 'calls.state.ends',
  ended: 'calls.state.ends',
} as const satisfies Record<Call['state'], PlainKey>
