import { Blocks, Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n } from '@/i18n'
import { Badge, Code } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { CopyButton } from '@/ui/CodeBlock'
import { Confirm } from '@/ui/Confirm'
import { EmptyState } from '@/ui/EmptyState'
import { Menu, MenuItem } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { AppDrawer } from './AppDrawer'
import { useApps, useDeleteApp, type App } from './apps'

type Layer = { kind: 'edit'; app: App | null } | { kind: 'delete'; app: App }

export function AppsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'identity.apps.manage' })
  const list = useApps()
  const [layer, setLayer] = useState<Layer | null>(null)

  const addButton = canManage && (
    <Button look="primary" icon={Plus} onClick={() => setLayer({ kind: 'edit', app: null })}>
      {t('apps.add')}
    </Button>
  )

  const columns: Column<App>[] = [
    {
      id: 'name',
      header: t('apps.name'),
      cell: (row) => (
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {row.name}
          {row.public && <Badge tone="accent">{t('apps.publicBadge')}</Badge>}
        </span>
      ),
    },
    {
      id: 'client',
      header: t('apps.clientId'),
      cell: (row) => (
        <span className="flex items-center gap-2">
          <span className="hidden max-w-56 truncate font-mono text-[12.5px] text-ink-2 md:block" title={row.client_id}>
            {row.client_id}
          </span>
          <CopyButton text={row.client_id} />
        </span>
      ),
    },
    {
      id: 'redirects',
      header: t('apps.redirects'),
      wide: true,
      cell: (row) => (
        <span className="flex flex-col items-start gap-1">
          {row.redirect_uris.map((uri) => (
            <Code key={uri}>{uri}</Code>
          ))}
        </span>
      ),
    },
    {
      id: 'created',
      header: t('common.created'),
      wide: true,
      cell: (row) => (
        <time dateTime={row.created_at} title={formatDateTime(row.created_at)} className="whitespace-nowrap text-ink-2">
          {formatAgo(row.created_at)}
        </time>
      ),
    },
  ]
  if (canManage) {
    columns.push({
      id: 'actions',
      header: t('common.actions'),
      headerHidden: true,
      className: 'w-14 text-right',
      cell: (row) => (
        <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
          <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'edit', app: row })}>
            {t('apps.change')}
          </MenuItem>
          <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'delete', app: row })}>
            {t('common.delete')}
          </MenuItem>
        </Menu>
      ),
    })
  }

  return (
    <>
      <PageHeader title={t('apps.title')} lead={t('apps.lead')} actions={list.rows.length > 0 && addButton} />
      <QueryState
        {...list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState icon={Blocks} title={t('apps.empty.title')} action={addButton}>
            {t('apps.empty.text')}
          </EmptyState>
        }
      >
        <Table label={t('apps.title')} columns={columns} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
      </QueryState>
      {layer?.kind === 'edit' && <AppDrawer app={layer.app} onClose={() => setLayer(null)} />}
      {layer?.kind === 'delete' && <DeleteConfirm app={layer.app} onClose={() => setLayer(null)} />}
    </>
  )
}

function DeleteConfirm({ app, onClose }: { app: App; onClose: () => void }) {
  const { t } = useI18n()
  const remove = useDeleteApp()
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('apps.delete.title')}
      action={t('apps.delete.action')}
      busy={remove.isPending}
      error={remove.error && errorText(remove.error)}
      onConfirm={() =>
        remove.mutate(app.id, {
          onSuccess: () => {
            toast('ok', t('apps.delete.done', { name: app.name }))
            onClose()
          },
        })
      }
    >
      {t('apps.delete.text', { name: app.name })}
    </Confirm>
  )
}
