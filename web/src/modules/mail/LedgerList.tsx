import { ScrollText, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { formatNumber, useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { useAgentNames } from '@/modules/agents/agents'
import { ListView } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Code } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import type { Column } from '@/ui/Table'
import { startOf, useLedger, useVerifyLedger, type LedgerLine } from './settings'

/** The known actions of a line; an unknown one shows its code. */
const actions = {
  'gdpr.export.received': 'privacy.did.exportReceived',
  'gdpr.export.completed': 'privacy.did.exportCompleted',
  'gdpr.export.rejected': 'privacy.did.exportRejected',
  'gdpr.erasure.received': 'privacy.did.erasureReceived',
  'gdpr.erasure.completed': 'privacy.did.erasureCompleted',
  'gdpr.erasure.rejected': 'privacy.did.erasureRejected',
  'contact.erased': 'privacy.did.contactErased',
} as const satisfies Record<string, PlainKey>

const actors = {
  agent: 'privacy.by.agent',
  api_key: 'privacy.by.apiKey',
  system: 'privacy.by.system',
} as const satisfies Record<string, PlainKey>

/** The privacy ledger: what was done with personal data, by whom and when. */
export function LedgerList() {
  const { t } = useI18n()
  const [mailbox, setMailbox] = useState('')
  const list = useLedger(mailbox)
  const nameOf = useAgentNames()
  const verify = useVerifyLedger()
  const columns: Column<LedgerLine & { id: string }>[] = [
    { id: 'seq', header: t('privacy.line'), cell: (row) => <span className="tabular-nums">{formatNumber(row.seq)}</span> },
    { id: 'action', header: t('privacy.action'), cell: (row) => <LineCell line={row} name={nameOf(row.actor.id)} /> },
    { id: 'hash', header: t('privacy.hash'), wide: true, cell: (row) => <span className="font-mono text-xs text-ink-3">{row.hash.slice(0, 16)}…</span> },
    { id: 'at', header: t('privacy.at'), cell: (row) => <Ago at={row.at} /> },
  ]
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Button icon={ShieldCheck} busy={verify.isPending} onClick={() => verify.mutate()}>
          {t('privacy.verify')}
        </Button>
        {verify.data && (
          <Notice tone={verify.data.ok ? 'ok' : 'danger'}>{verify.data.ok ? t('privacy.verified', { lines: formatNumber(verify.data.lines) }) : t('privacy.broken')}</Notice>
        )}
        {verify.error != null && <Notice tone="danger">{errorText(verify.error)}</Notice>}
      </div>
      <form
        role="search"
        className="mb-4 flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          setMailbox(textOf(new FormData(event.currentTarget), 'mailbox'))
        }}
      >
        <Field label={t('privacy.filter')} className="min-w-0 flex-1 basis-60">
          <Input name="mailbox" type="email" autoComplete="off" maxLength={254} />
        </Field>
        <Button type="submit">{t('privacy.filterAction')}</Button>
      </form>
      <ListView
        label={t('privacy.ledger')}
        list={list}
        columns={columns}
        empty={{ icon: ScrollText, title: t(mailbox ? 'privacy.filterEmpty' : 'privacy.ledgerEmpty.title'), text: t('privacy.ledgerEmpty.text') }}
      />
    </>
  )
}

interface LineCellProps {
  line: LedgerLine
  /** The name of the member who did it, if known. */
  name: string | undefined
}

/**
 * Shows what was done, by whom and about whom; once the latter was erased, only that it was, and
 * the request's id.
 */
function LineCell({ line, name }: LineCellProps) {
  const { t } = useI18n()
  const request = line.details.request_id
  const about = line.personal
    ? Object.values(line.personal).filter(Boolean)
    : [t('privacy.aboutErased'), ...(typeof request === 'string' ? [t('privacy.request', { id: startOf(request) })] : [])]
  const { kind } = line.actor
  const who = name ?? (kind in actors ? t(actors[kind as keyof typeof actors]) : kind)
  return (
    <>
      {line.action in actions ? <span className="font-medium">{t(actions[line.action as keyof typeof actions])}</span> : <Code>{line.action}</Code>}
      <span className="block text-sm break-words text-ink-3">{t('privacy.by', { who })}</span>
      {about.length > 0 && <span className="block text-sm break-words text-ink-3">{about.join(' · ')}</span>}
    </>
  )
}
