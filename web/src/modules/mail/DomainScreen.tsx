import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft, KeyRound, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { CodeBlock, CopyButton } from '@/ui/CodeBlock'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { purposes, recordErrors, states, statuses, useDomain, useRotateKeys, type Domain, type DomainRecord } from './domains'

export function DomainScreen() {
  const { t } = useI18n()
  const { domainId } = useParams({ from: '/shell/mail/domains/$domainId' })
  const query = useDomain(domainId)
  const canManage = meets(useMe(), { permission: 'mail.domains.manage' })
  const [rotating, setRotating] = useState(false)
  const missing = asApiError(query.error)?.status === 404
  const details = query.data
  return (
    <QueryState isPending={query.isPending} error={missing ? null : query.error} retry={() => void query.refetch()} isEmpty={missing || !details} empty={<NotFoundPage />}>
      {details && (
        <>
          <PageHeader
            back={
              <Link to="/mail/domains" className="inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-ink-2 hover:text-ink">
                <ArrowLeft aria-hidden className="size-4" />
                {t('domains.title')}
              </Link>
            }
            title={details.domain.display}
            lead={
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Badge tone={states[details.domain.state].tone} dot>
                  {t(states[details.domain.state].label)}
                </Badge>
                {details.domain.checked_at && (
                  <span>
                    {t('domains.checked')}: <Ago at={details.domain.checked_at} />
                  </span>
                )}
              </span>
            }
            actions={
              <>
                {canManage && (
                  <Button icon={KeyRound} onClick={() => setRotating(true)}>
                    {t('domains.rotate')}
                  </Button>
                )}
                <Button icon={RefreshCw} busy={query.isFetching} onClick={() => void query.refetch()}>
                  {t('domains.look')}
                </Button>
              </>
            }
          />
          <StateNotice domain={details.domain} />
          <KeysNotice domain={details.domain} canManage={canManage} />
          <RecordTable records={details.records} />
          <CodeBlock className="mt-6" label={t('domains.zoneFile')} code={details.zone_file} />
          {rotating && <RotateDialog domain={details.domain} onClose={() => setRotating(false)} />}
        </>
      )}
    </QueryState>
  )
}

function RotateDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { t } = useI18n()
  const rotate = useRotateKeys()
  return (
    <FormDialog
      title={t('domains.rotate')}
      description={t('domains.rotateLead', { selector: domain.selector })}
      action={t('domains.rotateAction')}
      busy={rotate.isPending}
      error={rotate.error}
      fields={['selector']}
      onSubmit={(data) =>
        rotate.mutate(
          { domain: domain.domain, selector: textOf(data, 'selector') },
          {
            onSuccess: () => {
              toast('ok', t('domains.rotated'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      <Field label={t('domains.selector')} hint={t('domains.selectorHint')} error={fieldText(rotate.error, 'selector', { invalid_selector: 'domains.selectorInvalid' })}>
        <Input name="selector" autoComplete="off" autoCapitalize="none" spellCheck={false} maxLength={61} required />
      </Field>
    </FormDialog>
  )
}

/** Says what to do next. */
function StateNotice({ domain }: { domain: Domain }) {
  const { t } = useI18n()
  if (domain.problem === 'domain_taken') {
    return (
      <Notice tone="danger" className="mb-4">
        {t('domains.taken')}
      </Notice>
    )
  }
  const tone = { pending: 'info', verifying: 'info', active: 'ok', degraded: 'warn', suspended: 'danger' } as const
  const text = {
    pending: 'domains.next.pending',
    verifying: 'domains.next.verifying',
    active: 'domains.next.active',
    degraded: 'domains.next.degraded',
    suspended: 'domains.next.suspended',
  } as const
  return (
    <Notice tone={tone[domain.state]} className="mb-4">
      {t(text[domain.state])}
    </Notice>
  )
}

/** Shows which keys sign while new ones wait, and until when the old ones are needed. */
export function KeysNotice({ domain, canManage }: { domain: Domain; canManage: boolean }) {
  const { t } = useI18n()
  const rotate = useRotateKeys()
  if (domain.next_selector) {
    const keep = () => rotate.mutate({ domain: domain.domain, selector: domain.selector }, { onSuccess: () => toast('ok', t('domains.keysKept')) })
    return (
      <Notice
        className="mb-4"
        action={
          canManage && (
            <Button busy={rotate.isPending} onClick={keep}>
              {t('domains.keepKeys')}
            </Button>
          )
        }
      >
        {t('domains.keysWait', { records: keyRecords(domain.next_selector), selector: domain.selector })}
      </Notice>
    )
  }
  if (!domain.old_selector || !domain.old_until) return null
  return <Notice className="mb-4">{t('domains.oldKeys', { records: keyRecords(domain.old_selector), at: formatDateTime(domain.old_until) })}</Notice>
}

/** Returns the names of a selector's key records. */
function keyRecords(selector: string): string {
  return ['r', 'e'].map((end) => `${selector}${end}._domainkey`).join(', ')
}

export function RecordTable({ records }: { records: DomainRecord[] }) {
  const { t } = useI18n()
  // A problem that all of them share is shown once instead of in every row.
  const [first] = records.map((row) => recordErrors[row.error])
  const common = records.length > 1 && records.every((row) => recordErrors[row.error] === first) ? first : undefined
  const columns: Column<DomainRecord>[] = [
    {
      id: 'purpose',
      header: t('domains.record'),
      cell: (row) => (
        <>
          <span className="font-medium">{t(purposes[row.purpose] ?? 'domains.purpose.notOffered')}</span>
          <span className="mt-0.5 block text-xs text-ink-3">{t(row.required ? 'domains.required' : 'domains.recommended')}</span>
        </>
      ),
    },
    {
      id: 'name',
      header: t('domains.name'),
      cell: (row) => (
        <span className="flex min-w-32 flex-col items-start gap-1">
          <Code>{row.type}</Code> <Code>{row.host}</Code>
          <span className="md:hidden">
            <CopyButton text={valueOf(row)} label={t('domains.copy')} />
          </span>
        </span>
      ),
    },
    { id: 'value', header: t('domains.value'), wide: true, cell: (row) => <RecordValue record={row} /> },
    {
      id: 'status',
      header: t('domains.state'),
      cell: (row) => {
        const error = common ? undefined : recordErrors[row.error]
        return (
          <>
            <Badge tone={statuses[row.status].tone}>{t(statuses[row.status].label)}</Badge>
            {error && <span className="mt-1 block text-xs text-ink-2">{t(error)}</span>}
          </>
        )
      },
    },
  ]
  return (
    <>
      {common && (
        <Notice tone="warn" className="mb-4">
          {t(common)}
        </Notice>
      )}
      <Table label={t('domains.records')} columns={columns} rows={records} rowKey={(row) => row.purpose} />
    </>
  )
}

function valueOf({ priority, value }: DomainRecord): string {
  return priority === undefined ? value : `${priority} ${value}`
}

function RecordValue({ record }: { record: DomainRecord }) {
  const { t } = useI18n()
  const value = valueOf(record)
  return (
    <div className="flex items-center gap-2">
      <span className="line-clamp-2 min-w-0 flex-1 font-mono text-xs break-all">{value}</span>
      <CopyButton text={value} label={t('domains.copy')} />
    </div>
  )
}
