import { Blocks, Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { CopyButton } from '@/ui/CodeBlock'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem } from '@/ui/Menu'
import type { Column } from '@/ui/Table'
import { AppDrawer } from './AppDrawer'
import { useApps, useDeleteApp, type App } from './apps'

type Layer = { kind: 'edit'; app: App | null } | { kind: 'delete'; app: App }

export function AppsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'identity.apps.manage' })
  const list = useApps()
  const [layer, setLayer] = useState<Layer | null>(null)
  const add = useAdd('apps.add', canManage, () => setLayer({ kind: 'edit', app: null }))

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
          <span className="hidden max-w-56 truncate font-mono text-xs text-ink-2 md:block" title={row.client_id}>
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
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]

  return (
    <>
      <ListPage
        title={t('apps.title')}
        lead={t('apps.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage &&
          ((row: App) => (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
              <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'edit', app: row })}>
                {t('common.edit')}
              </MenuItem>
              <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'delete', app: row })}>
                {t('common.delete')}
              </MenuItem>
            </Menu>
          ))
        }
        empty={{ icon: Blocks, title: t('apps.empty.title'), text: t('apps.empty.text') }}
      />
      {layer?.kind === 'edit' && <AppDrawer app={layer.app} onClose={() => setLayer(null)} />}
      {layer?.kind === 'delete' && <DeleteConfirm app={layer.app} onClose={() => setLayer(null)} />}
    </>
  )
}

function DeleteConfirm({ app, onClose }: { app: App; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDeleteApp()}
      on={app.id}
      title={t('apps.delete.title')}
      action={t('apps.delete.action')}
      done={t('apps.delete.done', { name: app.name })}
      onClose={onClose}
    >
      {t('apps.delete.text', { name: app.name })}
    </ConfirmAct>
  )
}
