import { useQuery } from '@tanstack/react-query'
import { Ban, Ellipsis, Pencil, QrCode, Trash2, Undo2, Users } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { rolesQuery, roleTitleKey } from '@/modules/identity/catalog'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, type Tone } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { AgentDialog } from './AgentDialog'
import { useAgents, useRemoveAgent, useSuspension, type Agent } from './agents'
import { QrDialog } from './QrDialog'

const states = {
  invited: { label: 'agents.state.invited', tone: 'accent' },
  active: { label: 'agents.state.active', tone: 'ok' },
  suspended: { label: 'agents.state.suspended', tone: 'danger' },
} as const satisfies Record<Agent['state'], { label: PlainKey; tone: Tone }>

type Layer = { kind: 'edit' | 'qr' | 'suspend' | 'remove'; agent: Agent } | { kind: 'add' }

export function AgentsScreen() {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.agents.manage' })
  const list = useAgents()
  const resume = useSuspension(false)
  const [layer, setLayer] = useState<Layer | null>(null)
  const add = useAdd('agents.add', canManage, () => setLayer({ kind: 'add' }))

  function unsuspend(agent: Agent) {
    resume.mutate(agent.id, {
      onSuccess: () => toast('ok', t('agents.resumed', { name: agent.name })),
      onError: (error) => toast('danger', t('agents.failed'), errorText(error)),
    })
  }

  const columns: Column<Agent>[] = [
    {
      id: 'name',
      header: t('agents.name'),
      cell: (row) => (
        <>
          <span className="block font-medium break-words">{row.name || row.email}</span>
          <span className="text-sm break-all text-ink-3">{[row.title, row.email].filter(Boolean).join(' · ')}</span>
        </>
      ),
    },
    { id: 'role', header: t('agents.role'), wide: true, cell: (row) => <RoleName name={row.role} /> },
    {
      id: 'state',
      header: t('common.status'),
      cell: (row) => (
        <Badge dot tone={states[row.state].tone}>
          {t(states[row.state].label)}
        </Badge>
      ),
    },
    { id: 'seen', header: t('agents.lastSeen'), wide: true, cell: (row) => <Ago at={row.last_seen_at} /> },
  ]

  const rowActions = (row: Agent) => {
    const own = row.id === me.membership.id
    if (!canManage && !own) return null
    return (
      <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name || row.email })} />}>
        {row.state === 'active' && (
          <MenuItem icon={QrCode} onSelect={() => setLayer({ kind: 'qr', agent: row })}>
            {t('qr.menu')}
          </MenuItem>
        )}
        {canManage && (
          <>
            <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'edit', agent: row })}>
              {t('common.edit')}
            </MenuItem>
            <MenuRule />
            {row.state === 'active' && (
              <MenuItem icon={Ban} onSelect={() => setLayer({ kind: 'suspend', agent: row })}>
                {t('agents.suspend')}
              </MenuItem>
            )}
            {row.state === 'suspended' && (
              <MenuItem icon={Undo2} onSelect={() => unsuspend(row)}>
                {t('agents.resume')}
              </MenuItem>
            )}
            <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'remove', agent: row })}>
              {t('agents.remove')}
            </MenuItem>
          </>
        )}
      </Menu>
    )
  }

  const close = () => setLayer(null)
  return (
    <>
      <ListPage
        title={t('agents.title')}
        lead={t('agents.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={rowActions}
        empty={{ icon: Users, title: t('agents.empty.title'), text: t('agents.empty.text') }}
      />
      {layer?.kind === 'add' && <AgentDialog agent={null} onClose={close} />}
      {layer?.kind === 'edit' && <AgentDialog agent={layer.agent} onClose={close} />}
      {layer?.kind === 'qr' && <QrDialog agent={layer.agent} onClose={close} />}
      {layer?.kind === 'suspend' && <SuspendConfirm agent={layer.agent} onClose={close} />}
      {layer?.kind === 'remove' && <RemoveConfirm agent={layer.agent} onClose={close} />}
    </>
  )
}

/** A custom role's title is shown only to people who may see roles. */
function RoleName({ name }: { name: string }) {
  const { t } = useI18n()
  const roles = useQuery({ ...rolesQuery, enabled: meets(useMe(), { permission: 'identity.roles.view' }) }).data?.roles
  const key = roleTitleKey({ name, built_in: true })
  return key ? t(key) : (roles?.find((role) => role.name === name)?.title ?? name)
}

function SuspendConfirm({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useSuspension(true)}
      on={agent.id}
      title={t('agents.suspendTitle')}
      action={t('agents.suspend')}
      done={t('agents.suspended', { name: agent.name })}
      onClose={onClose}
    >
      {t('agents.suspendText', { name: agent.name })}
    </ConfirmAct>
  )
}

function RemoveConfirm({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { t } = useI18n()
  const name = agent.name || agent.email
  return (
    <ConfirmAct
      act={useRemoveAgent()}
      on={agent.id}
      title={t('agents.removeTitle')}
      action={t('agents.remove')}
      done={t('agents.removed', { name })}
      onClose={onClose}
    >
      {t('agents.removeText', { name })}
    </ConfirmAct>
  )
}
