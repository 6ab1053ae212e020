import { Link } from '@tanstack/react-router'
import { Ellipsis, LayoutTemplate, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { useSettled } from '@/lib/settled'
import { ListView, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { Button, buttonClass, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Input } from '@/ui/Field'
import { Menu, MenuItem } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { partOf } from './fill'
import { TemplateDrawer } from './TemplateDrawer'
import { categories, rejections, statusHelp, statusLooks, useDeleteTemplate, useNumbers, useSync, useTemplates, type Category, type Template } from './templates'

type Layer = { kind: 'edit'; template: Template | null } | { kind: 'delete'; template: Template }

export function TemplatesScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.templates.manage' })
  const canConnect = meets(useMe(), { permission: 'crm.channels.manage' })
  const [text, setText] = useState('')
  const [status, setStatus] = useState('')
  const [account, setAccount] = useState('')
  const q = useSettled(text).trim()
  const list = useTemplates({ q, status, account })
  const numbers = useNumbers().data
  const [layer, setLayer] = useState<Layer | null>(null)
  const connected = numbers !== undefined && numbers.length > 0
  const add = useAdd('templates.add', canManage && connected, () => setLayer({ kind: 'edit', template: null }))
  const filtering = text !== '' || q !== '' || status !== '' || account !== ''
  const empty = !list.isPending && !list.error && list.rows.length === 0 && !filtering
  const toChannels = canConnect && (
    <Link to="/crm/channels" className={buttonClass('primary')}>
      {t('templates.connect')}
    </Link>
  )

  const columns: Column<Template>[] = [
    {
      id: 'name',
      header: t('templates.name'),
      cell: (row) => (
        <>
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium break-all">{row.name}</span>
            <Badge>{row.language}</Badge>
          </span>
          <span className="line-clamp-2 max-w-[52ch] text-sm break-words text-ink-2">{partOf(row.components, 'BODY')?.text}</span>
        </>
      ),
    },
    {
      id: 'category',
      header: t('templates.category'),
      wide: true,
      cell: (row) => {
        const known = categories[row.category as Category] as PlainKey | undefined
        return known ? t(known) : row.category
      },
    },
    { id: 'status', header: t('common.status'), cell: (row) => <StatusCell template={row} /> },
    { id: 'updated', header: t('templates.updated'), wide: true, cell: (row) => <Ago at={row.updated_at} /> },
  ]

  return (
    <>
      <PageHeader
        title={t('templates.title')}
        lead={t('templates.lead')}
        actions={
          canManage &&
          connected && (
            <>
              <SyncButton />
              {!empty && add}
            </>
          )
        }
      />
      {!empty && (
        <div className="mb-4 flex flex-wrap gap-2">
          <Input
            type="search"
            aria-label={t('templates.search')}
            placeholder={t('templates.search')}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="max-w-80"
          />
          <Select aria-label={t('common.status')} value={status} onChange={(event) => setStatus(event.target.value)} className="w-auto!">
            <option value="">{t('templates.anyStatus')}</option>
            {Object.entries(statusLooks).map(([value, look]) => (
              <option key={value} value={value}>
                {t(look.label)}
              </option>
            ))}
          </Select>
          {numbers && numbers.length > 1 && (
            <Select aria-label={t('templates.number')} value={account} onChange={(event) => setAccount(event.target.value)} className="w-auto!">
              <option value="">{t('templates.anyNumber')}</option>
              {numbers.map((number) => (
                <option key={number.id} value={number.id}>
                  {number.name}
                </option>
              ))}
            </Select>
          )}
        </div>
      )}
      <ListView
        label={t('templates.title')}
        list={list}
        columns={columns}
        rowActions={
          canManage &&
          ((row: Template) => (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: `${row.name} ${row.language}` })} />}>
              <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'edit', template: row })}>
                {row.editable ? t('common.edit') : t('templates.show')}
              </MenuItem>
              <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'delete', template: row })}>
                {t('common.delete')}
              </MenuItem>
            </Menu>
          ))
        }
        empty={
          filtering
            ? { icon: LayoutTemplate, title: t('templates.none.title'), text: t('templates.none.text') }
            : connected
              ? { icon: LayoutTemplate, title: t('templates.empty.title'), text: t('templates.empty.text'), action: add }
              : { icon: LayoutTemplate, title: t('templates.noNumber.title'), text: t('templates.noNumber.text'), action: toChannels }
        }
      />
      {layer?.kind === 'edit' && <TemplateDrawer template={layer.template} numbers={numbers ?? []} onClose={() => setLayer(null)} />}
      {layer?.kind === 'delete' && <DeleteConfirm template={layer.template} onClose={() => setLayer(null)} />}
    </>
  )
}

function StatusCell({ template }: { template: Template }) {
  const { t } = useI18n()
  const look = statusLooks[template.status]
  const help = statusHelp[template.status]
  const why = template.rejection_reason && (rejections[template.rejection_reason] ? t(rejections[template.rejection_reason] as PlainKey) : template.rejection_reason)
  return (
    <>
      <Badge dot tone={look?.tone ?? 'neutral'}>
        {look ? t(look.label) : template.status}
      </Badge>
      {why && <span className="mt-1 block max-w-[40ch] text-sm text-danger-ink">{t('templates.rejectedWhy', { why })}</span>}
      {template.status_detail && <span className="mt-1 block max-w-[40ch] text-sm text-ink-2">{template.status_detail}</span>}
      {help && <span className="mt-1 block max-w-[40ch] text-sm text-ink-2">{t(help)}</span>}
      {template.editable_at && <span className="mt-1 block max-w-[40ch] text-sm text-ink-2">{t('templates.editableAt', { when: formatDateTime(template.editable_at) })}</span>}
    </>
  )
}

function SyncButton() {
  const { t } = useI18n()
  const sync = useSync()
  return (
    <Button
      icon={RefreshCw}
      busy={sync.isPending}
      onClick={() =>
        sync.mutate(undefined, {
          onSuccess: ({ added, changed, removed }) => toast('ok', t('templates.synced', { added, changed, removed })),
          onError: (error) => toast('danger', t('templates.syncFailed'), errorText(error)),
        })
      }
    >
      {t('templates.sync')}
    </Button>
  )
}

function DeleteConfirm({ template, onClose }: { template: Template; onClose: () => void }) {
  const { t } = useI18n()
  const { name } = template
  return (
    <ConfirmAct
      act={useDeleteTemplate()}
      on={template.id}
      title={t('templates.delete.title', { name })}
      action={t('templates.delete.action')}
      done={t('templates.delete.done', { name })}
      onClose={onClose}
    >
      {template.status === 'DRAFT' ? t('templates.delete.draft') : t('templates.delete.text', { name })}
    </ConfirmAct>
  )
}
