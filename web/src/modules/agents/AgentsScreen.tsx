import { Ban, Ellipsis, Pencil, Plus, QrCode, Trash2, Undo2, Users } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { roleTitleKey } from '@/modules/identity/catalog'
import { Badge, type Tone } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Confirm } from '@/ui/Confirm'
import { EmptyState } from '@/ui/EmptyState'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Table, type Column } from '@/ui/Table'
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

  const addButton = canManage && (
    <Button look="primary" icon={Plus} onClick={() => setLayer({ kind: 'add' })}>
      {t('agents.add')}
    </Button>
  )

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
          <span className="text-[13px] break-all text-ink-3">{[row.title, row.email].filter(Boolean).join(' · ')}</span>
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
    {
      id: 'seen',
      header: t('agents.lastSeen'),
      wide: true,
      cell: (row) =>
        row.last_seen_at ? (
          <time dateTime={row.last_seen_at} title={formatDateTime(row.last_seen_at)} className="whitespace-nowrap text-ink-2">
            {formatAgo(row.last_seen_at)}
          </time>
        ) : (
          <span className="text-ink-3">–</span>
        ),
    },
    {
      id: 'actions',
      header: t('common.actions'),
      headerHidden: true,
      className: 'w-14 text-right',
      cell: (row) => {
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
                  {t('agents.edit')}
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
      },
    },
  ]

  const close = () => setLayer(null)
  return (
    <>
      <PageHeader title={t('agents.title')} lead={t('agents.lead')} actions={addButton} />
      <QueryState
        {...list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState icon={Users} title={t('agents.empty.title')} action={addButton}>
            {t('agents.empty.text')}
          </EmptyState>
        }
      >
        <Table label={t('agents.title')} columns={columns} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
      </QueryState>
      {layer?.kind === 'add' && <AgentDialog agent={null} onClose={close} />}
      {layer?.kind === 'edit' && <AgentDialog agent={layer.agent} onClose={close} />}
      {layer?.kind === 'qr' && <QrDialog agent={layer.agent} onClose={close} />}
      {layer?.kind === 'suspend' && <SuspendConfirm agent={layer.agent} onClose={close} />}
      {layer?.kind === 'remove' && <RemoveConfirm agent={layer.agent} onClose={close} />}
    </>
  )
}

function RoleName({ name }: { name: string }) {
  const { t } = useI18n()
  const key = roleTitleKey({ name, built_in: true })
  return key ? t(key) : name
}

function SuspendConfirm({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { t } = useI18n()
  const suspend = useSuspension(true)
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('agents.suspendTitle')}
      action={t('agents.suspend')}
      busy={suspend.isPending}
      error={suspend.error && errorText(suspend.error)}
      onConfirm={() =>
        suspend.mutate(agent.id, {
          onSuccess: () => {
            toast('ok', t('agents.suspended', { name: agent.name }))
            onClose()
          },
        })
      }
    >
      {t('agents.suspendText', { name: agent.name })}
    </Confirm>
  )
}

function RemoveConfirm({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { t } = useI18n()
  const remove = useRemoveAgent()
  const name = agent.name || agent.email
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('agents.removeTitle')}
      action={t('agents.remove')}
      busy={remove.isPending}
      error={remove.error && errorText(remove.error)}
      onConfirm={() =>
        remove.mutate(agent.id, {
          onSuccess: () => {
            toast('ok', t('agents.removed', { name }))
            onClose()
          },
        })
      }
    >
      {t('agents.removeText', { name })}
    </Confirm>
  )
}
