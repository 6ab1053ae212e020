import { Ellipsis, Pencil, Trash2, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/error'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListView, useAdd } from '@/shell/ListPage'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import type { Column } from '@/ui/Table'
import { GroupDrawer } from './GroupDrawer'
import { RulesForm } from './RulesForm'
import { useDeleteGroup, useGroupList, useMemberChoices, type Group } from './rules'

type Layer = { kind: 'edit'; group: Group | null } | { kind: 'delete'; group: Group }

export function RulesScreen() {
  const { t, tCount } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.groups.manage' })
  const seesGroups = meets(me, { permission: 'crm.conversations.view' })
  const agents = useMemberChoices(meets(me, { permission: 'crm.agents.view' })).data
  const list = useGroupList(seesGroups)
  const [layer, setLayer] = useState<Layer | null>(null)
  const add = useAdd('groups.add', canManage && seesGroups, () => setLayer({ kind: 'edit', group: null }))
  const names = new Map(agents?.map((agent) => [agent.id, agent.name || agent.email]))

  const columns: Column<Group>[] = [
    {
      id: 'name',
      header: t('groups.name'),
      cell: (row) => (
        <>
          <span className="block font-medium break-words">{row.name}</span>
          {row.description && <span className="block max-w-[60ch] text-sm break-words text-ink-2">{row.description}</span>}
        </>
      ),
    },
    {
      id: 'members',
      header: t('groups.members'),
      cell: (row) => (
        <>
          <span className="block">{tCount('groups.count', row.agent_ids.length)}</span>
          <span className="line-clamp-2 max-w-[40ch] text-sm text-ink-2 max-md:hidden">{row.agent_ids.flatMap((id) => names.get(id) ?? []).join(', ')}</span>
        </>
      ),
    },
  ]

  return (
    <>
      <PageHeader title={t('rules.title')} lead={t('rules.lead')} />
      <RulesForm canManage={meets(me, { permission: 'crm.settings.manage' })} />
      {seesGroups && (
        <section aria-labelledby="groups-title" className="mt-8">
          <header className="mb-4 flex flex-wrap items-center gap-3">
            <div className="min-w-0 flex-1 basis-80">
              <h2 id="groups-title" className="text-lg font-semibold">
                {t('groups.title')}
              </h2>
              <p className="mt-1 text-sm text-ink-2">{t('groups.lead')}</p>
            </div>
            {list.rows.length > 0 && add}
          </header>
          <ListView
            label={t('groups.title')}
            list={list}
            columns={columns}
            rowActions={
              canManage &&
              ((row: Group) => (
                <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
                  <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'edit', group: row })}>
                    {t('common.edit')}
                  </MenuItem>
                  <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'delete', group: row })}>
                    {t('common.delete')}
                  </MenuItem>
                </Menu>
              ))
            }
            empty={{ icon: UsersRound, title: t('groups.empty.title'), text: t('groups.empty.text'), action: add }}
          />
        </section>
      )}
      {layer?.kind === 'edit' && <GroupDrawer group={layer.group} agents={agents} onClose={() => setLayer(null)} />}
      {layer?.kind === 'delete' && <DeleteConfirm group={layer.group} onClose={() => setLayer(null)} />}
    </>
  )
}

function DeleteConfirm({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useI18n()
  const { name } = group
  const act = useDeleteGroup()
  // The catalogue's message does not say what to do about it.
  const used = asApiError(act.error)?.reason === 'in_use'
  return (
    <ConfirmAct
      act={used ? { ...act, error: null } : act}
      on={group.id}
      title={t('groups.delete.title')}
      action={t('groups.delete.action')}
      done={t('groups.delete.done', { name })}
      onClose={onClose}
    >
      {t('groups.delete.text', { name })}
      {used && (
        <Notice tone="danger" className="mt-4">
          {t('groups.delete.used', { name })}
        </Notice>
      )}
    </ConfirmAct>
  )
}
