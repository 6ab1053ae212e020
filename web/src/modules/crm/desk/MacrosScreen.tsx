import { Ellipsis, Pencil, Trash2, Zap } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem } from '@/ui/Menu'
import type { Column } from '@/ui/Table'
import { MacroDrawer } from './MacroDrawer'
import { actionKinds, useDeleteMacro, useMacroList, type Macro } from './macros'

type Layer = { kind: 'edit'; macro: Macro | null } | { kind: 'delete'; macro: Macro }

export function MacrosScreen() {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.macros.manage' })
  const list = useMacroList()
  const [layer, setLayer] = useState<Layer | null>(null)
  const add = useAdd('macros.add', canManage, () => setLayer({ kind: 'edit', macro: null }))

  const columns: Column<Macro>[] = [
    {
      id: 'name',
      header: t('macros.name'),
      cell: (row) => (
        <>
          <span className="block font-medium break-words">{row.name}</span>
          {row.description && <span className="block text-sm break-words text-ink-2">{row.description}</span>}
          {row.actions.some((action) => !meets(me, { permission: actionKinds[action.type].permission })) && (
            <span className="block text-sm text-warn-ink">{t('macros.rowMayNot')}</span>
          )}
        </>
      ),
    },
    {
      id: 'actions',
      header: t('macros.actions'),
      wide: true,
      cell: (row) => (
        <span className="flex flex-wrap gap-1.5">
          {row.actions.map((action, index) => (
            <Badge key={index}>{t(actionKinds[action.type].label)}</Badge>
          ))}
        </span>
      ),
    },
    { id: 'updated', header: t('macros.updated'), wide: true, cell: (row) => <Ago at={row.updated_at} /> },
  ]

  return (
    <>
      <ListPage
        title={t('macros.title')}
        lead={t('macros.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage &&
          ((row: Macro) => (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
              <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'edit', macro: row })}>
                {t('common.edit')}
              </MenuItem>
              <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'delete', macro: row })}>
                {t('common.delete')}
              </MenuItem>
            </Menu>
          ))
        }
        empty={{ icon: Zap, title: t('macros.empty.title'), text: t('macros.empty.text') }}
      />
      {layer?.kind === 'edit' && <MacroDrawer macro={layer.macro} onClose={() => setLayer(null)} />}
      {layer?.kind === 'delete' && <DeleteConfirm macro={layer.macro} onClose={() => setLayer(null)} />}
    </>
  )
}

function DeleteConfirm({ macro, onClose }: { macro: Macro; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDeleteMacro()}
      on={macro.id}
      title={t('macros.delete.title')}
      action={t('macros.delete.action')}
      done={t('macros.delete.done', { name: macro.name })}
      onClose={onClose}
    >
      {t('macros.delete.text', { name: macro.name })}
    </ConfirmAct>
  )
}
