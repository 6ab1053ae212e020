import { Link, useNavigate } from '@tanstack/react-router'
import { Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { SecretOnce } from '@/ui/SecretOnce'
import type { Column } from '@/ui/Table'
import { KeylessSetting } from './KeylessSetting'
import { useSource, type Webhook, type WebhookCreated } from './source'
import { WebhookForm } from './WebhookForm'
import { useWebhooks, webhookLooks } from './webhooks'

/** Names beyond this number are summed up, so that the row stays one line high. */
const namesShown = 2

export function WebhooksScreen() {
  const { t, tCount } = useI18n()
  const source = useSource()
  const navigate = useNavigate()
  const canManage = meets(useMe(), { permission: source.manage })
  const list = useWebhooks()
  const [registering, setRegistering] = useState(false)
  const [created, setCreated] = useState<WebhookCreated | null>(null)
  const add = useAdd('webhooks.register', canManage, () => setRegistering(true))

  const title = t(source.id === 'erp' ? 'webhooks.title' : 'webhooks.mail.title')

  const columns: Column<Webhook>[] = [
    {
      id: 'address',
      header: t('webhooks.address'),
      cell: (row) => (
        <>
          <Link
            to={source.onePath}
            params={{ webhookId: row.id }}
            className="font-medium break-all text-accent-ink underline decoration-accent/40 underline-offset-3 hover:decoration-current"
          >
            {row.address}
          </Link>
          {row.description && <span className="block text-sm text-ink-2">{row.description}</span>}
        </>
      ),
    },
    { id: 'events', header: t('webhooks.events'), wide: true, cell: (row) => <EventNames names={row.events} /> },
    {
      id: 'status',
      header: t('common.status'),
      cell: (row) => (
        <>
          <Badge dot tone={webhookLooks[row.status].tone}>
            {t(webhookLooks[row.status].label)}
          </Badge>
          {row.consecutive_failures > 0 && (
            <span className="mt-1 block text-sm text-ink-2">{tCount('webhooks.failures', row.consecutive_failures)}</span>
          )}
        </>
      ),
    },
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]

  return (
    <>
      <ListPage
        title={title}
        lead={t('webhooks.lead')}
        list={list}
        columns={columns}
        add={add}
        empty={{ icon: WebhookIcon, title: t('webhooks.empty.title'), text: t('webhooks.empty.text') }}
      />
      {source.hasSettings && <KeylessSetting canManage={canManage} />}
      {registering && (
        <WebhookForm
          onClose={() => setRegistering(false)}
          onSaved={(webhook) => {
            setRegistering(false)
            setCreated(webhook)
          }}
        />
      )}
      {created && (
        <SecretOnce
          title={t('webhooks.secret.title')}
          description={t('webhooks.secret.text')}
          secret={created.secret}
          onSaved={() => {
            setCreated(null)
            void navigate({ to: source.onePath, params: { webhookId: created.id } })
          }}
        />
      )}
    </>
  )
}

function EventNames({ names }: { names: readonly string[] }) {
  const { tCount } = useI18n()
  const rest = names.length - namesShown
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {names.slice(0, namesShown).map((name) => (
        <Code key={name}>{name}</Code>
      ))}
      {rest > 0 && <span className="text-sm text-ink-3">{tCount('webhooks.moreEvents', rest)}</span>}
    </span>
  )
}
