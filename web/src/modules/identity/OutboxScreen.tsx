import { useQuery } from '@tanstack/react-query'
import { MailOpen } from 'lucide-react'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { metaQuery } from '@/api/session'
import { formatDateTime, useI18n } from '@/i18n'
import { ListPage } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Button } from '@/ui/Button'
import { CodeBlock } from '@/ui/CodeBlock'
import { Drawer } from '@/ui/Dialog'
import { Segmented } from '@/ui/Segmented'
import type { Column } from '@/ui/Table'

type Letter = Schemas['MailerOutboxMail']

type Scope = 'workspace' | 'service'

const pageSize = 50

/** Shows the mails that would have been sent, for installations without a mail server. */
export function OutboxScreen() {
  const { t } = useI18n()
  const [open, setOpen] = useState<Letter | null>(null)
  const [scope, setScope] = useState<Scope>('workspace')
  const demo = useQuery(metaQuery).data?.demo === true
  const list = usePages({
    key: ['identity', 'outbox', scope],
    fetch: (cursor) => ask(api.GET('/api/v1/auth/outbox', { params: { query: { limit: pageSize, cursor, scope } } })),
  })
  const columns: Column<Letter>[] = [
    { id: 'to', header: t('outbox.to'), cell: (row) => <span className="font-medium break-all">{row.to}</span> },
    { id: 'subject', header: t('outbox.subject'), cell: (row) => row.subject },
    { id: 'at', header: t('audit.when'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]
  return (
    <>
      <ListPage
        title={t('outbox.title')}
        lead={t('outbox.lead')}
        list={list}
        columns={columns}
        aside={
          demo && (
            <Segmented
              label={t('outbox.scope')}
              value={scope}
              options={[
                { value: 'workspace', label: t('outbox.ofWorkspace') },
                { value: 'service', label: t('outbox.ofService') },
              ]}
              onChange={setScope}
            />
          )
        }
        rowActions={(row) => (
          <Button size="sm" look="ghost" onClick={() => setOpen(row)} aria-label={t('outbox.readOne', { subject: row.subject })}>
            {t('outbox.read')}
          </Button>
        )}
        empty={{ icon: MailOpen, title: t('outbox.empty.title'), text: t('outbox.empty.text') }}
      />
      {open && (
        <Drawer open onOpenChange={() => setOpen(null)} title={open.subject} description={`${open.to} · ${formatDateTime(open.created_at)}`}>
          {open.hidden ? <p className="text-ink-2">{t('outbox.hidden')}</p> : <CodeBlock label={t('outbox.text')} code={open.text} />}
        </Drawer>
      )}
    </>
  )
}
