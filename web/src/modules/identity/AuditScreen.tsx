import { getRouteApi } from '@tanstack/react-router'
import { ScrollText, SlidersHorizontal, X } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { CodeBlock } from '@/ui/CodeBlock'
import { Drawer } from '@/ui/Dialog'
import { EmptyState } from '@/ui/EmptyState'
import { Fact } from '@/ui/Fact'
import { DateInput } from '@/ui/DateInput'
import { Field, Input } from '@/ui/Field'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Select } from '@/ui/Select'
import { Table, type Column } from '@/ui/Table'
import { useAudit, type AuditLine, type AuditSearch } from './audit'

const route = getRouteApi('/shell/settings/audit')

/** The kinds of audited records; each covers all of its actions. */
const kinds = {
  'session.*': 'audit.kind.session',
  'two_factor.*': 'audit.kind.twoFactor',
  'passkey.*': 'audit.kind.passkey',
  'password.*': 'audit.kind.password',
  'api_key.*': 'audit.kind.apiKey',
  'role.*': 'audit.kind.role',
  'app.*': 'audit.kind.app',
  'agent.*': 'audit.kind.agent',
  'workspace.*': 'audit.kind.workspace',
  'webhook.*': 'audit.kind.webhook',
  'dlp.*': 'audit.kind.dlp',
  'member.*': 'audit.kind.member',
  'profile.*': 'audit.kind.profile',
  'contact.*': 'audit.kind.contact',
  'conversation.*': 'audit.kind.conversation',
  'channel.*': 'audit.kind.channel',
  'group.*': 'audit.kind.group',
  'macro.*': 'audit.kind.macro',
  'canned_reply.*': 'audit.kind.cannedReply',
  'view.*': 'audit.kind.view',
  'template.*': 'templates.title',
  'article.*': 'helpcenter.title',
  'help_category.*': 'audit.kind.helpCategory',
  'help_center.*': 'audit.kind.helpSite',
  'assistant_configuration.*': 'audit.kind.assistant',
  'assistant_source.*': 'audit.kind.source',
  'mail.*': 'settings.mail',
  'call.*': 'calls.title',
  'recording.*': 'audit.kind.recording',
  'voicemail.*': 'audit.kind.voicemail',
  'number.*': 'numbers.title',
  'phone_line.*': 'phoneLine.title',
  'phone_member.*': 'phones.title',
  'phone_settings.*': 'phoneSettings.title',
  'phone_block.*': 'blocked.title',
  'greeting.*': 'greetings.title',
  'wallet.*': 'wallet.title',
  'notice_preferences.*': 'audit.kind.notices',
  'push_subscription.*': 'audit.kind.push',
} as const satisfies Record<string, PlainKey>

const actorKinds = {
  agent: 'audit.actor.agent',
  contact: 'audit.actor.contact',
  bot: 'audit.actor.bot',
  system: 'audit.actor.system',
  api_key: 'audit.actor.apiKey',
} as const satisfies Record<AuditLine['actor']['kind'], PlainKey>

export function AuditScreen() {
  const { t } = useI18n()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useAudit(search)
  const [open, setOpen] = useState<AuditLine | null>(null)
  const filtered = Object.values(search).some(Boolean)

  function filter(change: Partial<AuditSearch>) {
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
  }

  const columns: Column<AuditLine>[] = [
    {
      id: 'at',
      header: t('audit.when'),
      cell: (row) => <Ago at={row.at} />,
    },
    { id: 'actor', header: t('audit.who'), wide: true, cell: (row) => <Actor line={row} onFilter={(actor) => filter({ actor })} /> },
    { id: 'action', header: t('audit.what'), cell: (row) => <Action line={row} /> },
    { id: 'ip', header: t('audit.ip'), wide: true, cell: (row) => <span className="font-mono text-xs text-ink-2">{row.ip || '–'}</span> },
    {
      id: 'details',
      header: t('audit.details'),
      headerHidden: true,
      className: 'w-24 text-right',
      cell: (row) => (
        <Button size="sm" look="ghost" onClick={() => setOpen(row)} aria-label={t('audit.detailsOf', { action: row.action })}>
          {t('audit.details')}
        </Button>
      ),
    },
  ]

  return (
    <>
      <PageHeader title={t('audit.title')} lead={t('audit.lead')} />
      <Filters key={JSON.stringify(search)} search={search} onFilter={filter} />
      <QueryState
        {...list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState icon={ScrollText} title={filtered ? t('audit.none.title') : t('audit.empty.title')}>
            {filtered ? t('audit.none.text') : t('audit.empty.text')}
          </EmptyState>
        }
      >
        <Table label={t('audit.title')} columns={columns} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
      </QueryState>
      {open && <LineDrawer line={open} onClose={() => setOpen(null)} onFilter={filter} />}
    </>
  )
}

/**
 * Shows the touched record's kind in words, and next to it the exact action name that filters and
 * exports use.
 */
function Action({ line }: { line: AuditLine }) {
  const { t } = useI18n()
  const label = (kinds as Record<string, PlainKey>)[`${line.action.split('.')[0]}.*`]
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {label && <span>{t(label)}</span>}
      <Code>{line.action}</Code>
      <span className="w-full text-sm text-ink-2 md:hidden">{line.actor.name || t(actorKinds[line.actor.kind])}</span>
    </span>
  )
}

function Filters({ search, onFilter }: { search: AuditSearch; onFilter: (change: Partial<AuditSearch>) => void }) {
  const { t } = useI18n()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    onFilter({
      action: textOf(data, 'action') || undefined,
      object: textOf(data, 'object') || undefined,
      from: textOf(data, 'from') || undefined,
      to: textOf(data, 'to') || undefined,
    })
  }

  const known = search.action === undefined || search.action in kinds
  return (
    <form onSubmit={submit} aria-label={t('audit.filter')} className="mb-4 grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_auto_auto_auto]">
      <Field label={t('audit.kind')}>
        <Select name="action" defaultValue={search.action ?? ''} onChange={(event) => event.currentTarget.form?.requestSubmit()}>
          <option value="">{t('audit.kind.all')}</option>
          {Object.entries(kinds).map(([value, label]) => (
            <option key={value} value={value}>
              {t(label)}
            </option>
          ))}
          {!known && <option value={search.action}>{search.action}</option>}
        </Select>
      </Field>
      <Field label={t('audit.object')}>
        <Input name="object" autoComplete="off" spellCheck={false} defaultValue={search.object} placeholder={t('audit.objectExample')} />
      </Field>
      <Field label={t('audit.from')}>
        <DateInput name="from" type="date" defaultValue={search.from} />
      </Field>
      <Field label={t('audit.to')}>
        <DateInput name="to" type="date" defaultValue={search.to} />
      </Field>
      <Button type="submit" icon={SlidersHorizontal}>
        {t('audit.apply')}
      </Button>
      {search.actor && (
        <p className="flex items-center gap-2 text-sm text-ink-2 sm:col-span-2 lg:col-span-5">
          {t('audit.oneActor')} <Code>{search.actor}</Code>
          <Button size="sm" look="ghost" icon={X} onClick={() => onFilter({ actor: undefined })}>
            {t('audit.everyone')}
          </Button>
        </p>
      )}
    </form>
  )
}

function Actor({ line, onFilter }: { line: AuditLine; onFilter?: (actor: string) => void }) {
  const { t } = useI18n()
  const { id, name, kind } = line.actor
  const text = name ?? t(actorKinds[kind])
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {id && onFilter ? (
        <button
          type="button"
          title={t('audit.onlyBy', { name: text })}
          onClick={() => onFilter(id)}
          className="min-h-6 text-left font-medium underline decoration-line underline-offset-4 hover:decoration-accent"
        >
          {text}
        </button>
      ) : (
        <span className="font-medium">{text}</span>
      )}
      {kind !== 'agent' && name && <Badge>{t(actorKinds[kind])}</Badge>}
    </span>
  )
}

interface LineDrawerProps {
  line: AuditLine
  onClose: () => void
  onFilter: (change: Partial<AuditSearch>) => void
}

function LineDrawer({ line, onClose, onFilter }: LineDrawerProps) {
  const { t } = useI18n()
  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={line.action}
      footer={
        line.object && (
          <Button
            onClick={() => {
              onFilter({ object: line.object, action: undefined, actor: undefined, from: undefined, to: undefined })
              onClose()
            }}
          >
            {t('audit.history')}
          </Button>
        )
      }
    >
      <dl className="mb-5 grid gap-4 text-sm sm:grid-cols-2">
        <Fact label={t('audit.when')}>{formatDateTime(line.at)}</Fact>
        <Fact label={t('audit.who')}>
          <Actor line={line} />
        </Fact>
        <Fact label={t('audit.ip')}>
          <span className="font-mono text-sm">{line.ip || '–'}</span>
        </Fact>
        <Fact label={t('audit.object')}>{line.object ? <Code>{line.object}</Code> : '–'}</Fact>
        <Fact label={t('audit.trace')}>
          <Code>{line.trace_id || '–'}</Code>
        </Fact>
      </dl>
      {line.details != null && <CodeBlock label={t('audit.changes')} code={JSON.stringify(line.details, null, 2)} />}
    </Drawer>
  )
}
