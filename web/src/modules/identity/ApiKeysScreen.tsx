import { Ellipsis, KeyRound, Pencil, Plus, RefreshCw, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n } from '@/i18n'
import { useShortcuts, type Shortcut } from '@/shell/shortcuts'
import { Badge, Code } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Confirm } from '@/ui/Confirm'
import { EmptyState } from '@/ui/EmptyState'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { SecretOnce } from '@/ui/SecretOnce'
import { Table, type Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { useApiKeys, useRevokeKey, useRotateKey, type ApiKey, type ShownKey } from './apiKeys'
import { AddKeyDrawer, ChangeKeyDrawer } from './KeyDrawer'

const noShortcuts: readonly Shortcut[] = []
const scopesShown = 2

type Layer = { kind: 'change' | 'rotate' | 'revoke'; row: ApiKey }

export function ApiKeysScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'identity.api_keys.manage' })
  const list = useApiKeys()
  const [adding, setAdding] = useState(false)
  const [layer, setLayer] = useState<Layer | null>(null)
  const [shown, setShown] = useState<ShownKey | null>(null)

  const shortcuts = useMemo<Shortcut[]>(() => [{ keys: 'n', label: 'keys.add', run: () => setAdding(true) }], [])
  useShortcuts(canManage ? shortcuts : noShortcuts)

  const addButton = canManage && (
    <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
      {t('keys.add')}
    </Button>
  )

  const columns: Column<ApiKey>[] = [
    {
      id: 'name',
      header: t('keys.name'),
      cell: (row) => (
        <>
          <span className="block font-medium break-words">{row.name}</span>
          <span className="font-mono text-[12.5px] text-ink-3">
            key_{row.environment}_••••{row.last4}
          </span>
        </>
      ),
    },
    {
      id: 'environment',
      header: t('keys.environment'),
      cell: (row) => <Badge tone={row.environment === 'live' ? 'ok' : 'neutral'}>{row.environment === 'live' ? t('keys.live') : t('keys.test')}</Badge>,
    },
    { id: 'scopes', header: t('keys.scopes'), wide: true, cell: (row) => <Scopes names={row.scopes} /> },
    { id: 'used', header: t('keys.lastUsed'), wide: true, cell: (row) => <Moment at={row.last_used_at} none={t('keys.neverUsed')} /> },
    { id: 'expires', header: t('keys.expires'), wide: true, cell: (row) => <Expiry at={row.expires_at} /> },
  ]
  if (canManage) {
    columns.push({
      id: 'actions',
      header: t('common.actions'),
      headerHidden: true,
      className: 'w-14 text-right',
      cell: (row) => (
        <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
          <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'change', row })}>
            {t('keys.change')}
          </MenuItem>
          <MenuItem icon={RefreshCw} onSelect={() => setLayer({ kind: 'rotate', row })}>
            {t('keys.rotate.menu')}
          </MenuItem>
          <MenuRule />
          <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'revoke', row })}>
            {t('keys.revoke.menu')}
          </MenuItem>
        </Menu>
      ),
    })
  }

  return (
    <>
      <PageHeader title={t('keys.title')} lead={t('keys.lead')} actions={list.rows.length > 0 && addButton} />
      <QueryState
        {...list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState icon={KeyRound} title={t('keys.empty.title')} action={addButton}>
            {t('keys.empty.text')}
          </EmptyState>
        }
      >
        <Table label={t('keys.title')} columns={columns} rows={list.rows} rowKey={(row) => row.id} more={list.more} />
      </QueryState>
      {adding && (
        <AddKeyDrawer
          onClose={() => setAdding(false)}
          onCreated={(key) => {
            setAdding(false)
            setShown(key)
          }}
        />
      )}
      {layer?.kind === 'change' && <ChangeKeyDrawer row={layer.row} onClose={() => setLayer(null)} />}
      {layer?.kind === 'rotate' && (
        <RotateConfirm
          row={layer.row}
          onClose={() => setLayer(null)}
          onRotated={(key) => {
            setLayer(null)
            setShown(key)
          }}
        />
      )}
      {layer?.kind === 'revoke' && <RevokeConfirm row={layer.row} onClose={() => setLayer(null)} />}
      {shown && (
        <SecretOnce
          title={t('keys.secret.title')}
          description={t('keys.secret.text', { name: shown.name })}
          secret={shown.key}
          onSaved={() => setShown(null)}
        />
      )}
    </>
  )
}

function Moment({ at, none }: { at: string | null; none: string }) {
  if (!at) return <span className="text-ink-3">{none}</span>
  return (
    <time dateTime={at} title={formatDateTime(at)} className="whitespace-nowrap text-ink-2">
      {formatAgo(at)}
    </time>
  )
}

function isPast(at: string, now: number = Date.now()): boolean {
  return new Date(at).getTime() < now
}

function Expiry({ at }: { at: string | null }) {
  const { t } = useI18n()
  if (at && isPast(at)) return <Badge tone="danger">{t('keys.expired')}</Badge>
  return <Moment at={at} none={t('keys.life.never')} />
}

function Scopes({ names }: { names: readonly string[] }) {
  const { tCount } = useI18n()
  const rest = names.length - scopesShown
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {names.slice(0, scopesShown).map((name) => (
        <Code key={name}>{name}</Code>
      ))}
      {rest > 0 && <span className="text-[13px] text-ink-3">{tCount('keys.moreScopes', rest)}</span>}
    </span>
  )
}

function RotateConfirm({ row, onClose, onRotated }: { row: ApiKey; onClose: () => void; onRotated: (key: ShownKey) => void }) {
  const { t } = useI18n()
  const rotate = useRotateKey()
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('keys.rotate.title')}
      action={t('keys.rotate.action')}
      busy={rotate.isPending}
      error={rotate.error && errorText(rotate.error)}
      onConfirm={() => rotate.mutate(row.id, { onSuccess: onRotated })}
    >
      {t('keys.rotate.text', { name: row.name })}
    </Confirm>
  )
}

function RevokeConfirm({ row, onClose }: { row: ApiKey; onClose: () => void }) {
  const { t } = useI18n()
  const revoke = useRevokeKey()
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('keys.revoke.title')}
      action={t('keys.revoke.action')}
      busy={revoke.isPending}
      error={revoke.error && errorText(revoke.error)}
      onConfirm={() =>
        revoke.mutate(row.id, {
          onSuccess: () => {
            toast('ok', t('keys.revoke.done', { name: row.name }))
            onClose()
          },
        })
      }
    >
      {t('keys.revoke.text', { name: row.name })}
    </Confirm>
  )
}
