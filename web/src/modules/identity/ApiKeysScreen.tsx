import { Ellipsis, ExternalLink, KeyRound, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, Code } from '@/ui/Badge'
import { IconButton } from '@/ui/Button'
import { CodeBlock } from '@/ui/CodeBlock'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { SecretOnce } from '@/ui/SecretOnce'
import type { Column } from '@/ui/Table'
import { useApiKeys, useRevokeKey, useRotateKey, type ApiKey, type ShownKey } from './apiKeys'
import { firstCall } from './firstCall'
import { AddKeyDrawer, ChangeKeyDrawer } from './KeyDrawer'

const scopesShown = 2

type Layer = { kind: 'change' | 'rotate' | 'revoke'; row: ApiKey }

export function ApiKeysScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'identity.api_keys.manage' })
  const list = useApiKeys()
  const [adding, setAdding] = useState(false)
  const [layer, setLayer] = useState<Layer | null>(null)
  const [shown, setShown] = useState<ShownKey | null>(null)
  const add = useAdd('keys.add', canManage, () => setAdding(true))

  const columns: Column<ApiKey>[] = [
    {
      id: 'name',
      header: t('keys.name'),
      cell: (row) => (
        <>
          <span className="block font-medium break-words">{row.name}</span>
          <span className="font-mono text-xs text-ink-3">
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
    { id: 'used', header: t('keys.lastUsed'), wide: true, cell: (row) => <Ago at={row.last_used_at} none={t('keys.neverUsed')} /> },
    { id: 'expires', header: t('keys.expires'), wide: true, cell: (row) => <Expiry at={row.expires_at} /> },
  ]

  const close = () => setLayer(null)
  return (
    <>
      <ListPage
        title={t('keys.title')}
        lead={t('keys.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={
          canManage &&
          ((row: ApiKey) => (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
              <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: 'change', row })}>
                {t('common.edit')}
              </MenuItem>
              <MenuItem icon={RefreshCw} onSelect={() => setLayer({ kind: 'rotate', row })}>
                {t('keys.rotate.menu')}
              </MenuItem>
              <MenuRule />
              <MenuItem icon={Trash2} onSelect={() => setLayer({ kind: 'revoke', row })}>
                {t('keys.revoke.menu')}
              </MenuItem>
            </Menu>
          ))
        }
        empty={{ icon: KeyRound, title: t('keys.empty.title'), text: t('keys.empty.text') }}
      />
      {adding && (
        <AddKeyDrawer
          onClose={() => setAdding(false)}
          onCreated={(key) => {
            setAdding(false)
            setShown(key)
          }}
        />
      )}
      {layer?.kind === 'change' && <ChangeKeyDrawer row={layer.row} onClose={close} />}
      {layer?.kind === 'rotate' && <RotateConfirm row={layer.row} onClose={close} onRotated={setShown} />}
      {layer?.kind === 'revoke' && <RevokeConfirm row={layer.row} onClose={close} />}
      {shown && (
        <SecretOnce
          title={t('keys.secret.title')}
          description={t('keys.secret.text', { name: shown.name })}
          secret={shown.key}
          onSaved={() => setShown(null)}
        >
          <FirstCall made={shown} />
        </SecretOnce>
      )}
    </>
  )
}

/** A request that can be copied and run unchanged, and a link to all others. */
function FirstCall({ made }: { made: ShownKey }) {
  const { t } = useI18n()
  const command = firstCall(made.key, made.scopes, window.location.origin)
  return (
    <div className="mt-5">
      <CodeBlock label={t('keys.firstCall')} code={command} />
      <p className="mt-2 text-sm">
        <a href="/docs" target="_blank" rel="noreferrer" className="inline-flex min-h-6 items-center gap-1.5 font-medium text-accent-ink hover:underline">
          {t('keys.docs')}
          <ExternalLink aria-hidden className="size-3.5" />
        </a>
      </p>
    </div>
  )
}

function isPast(at: string, now: number = Date.now()): boolean {
  return new Date(at).getTime() < now
}

function Expiry({ at }: { at: string | null }) {
  const { t } = useI18n()
  if (at && isPast(at)) return <Badge tone="danger">{t('keys.expired')}</Badge>
  return <Ago at={at} none={t('keys.life.never')} />
}

function Scopes({ names }: { names: readonly string[] }) {
  const { tCount } = useI18n()
  const rest = names.length - scopesShown
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {names.slice(0, scopesShown).map((name) => (
        <Code key={name}>{name}</Code>
      ))}
      {rest > 0 && <span className="text-sm text-ink-3">{tCount('keys.moreScopes', rest)}</span>}
    </span>
  )
}

function RotateConfirm({ row, onClose, onRotated }: { row: ApiKey; onClose: () => void; onRotated: (key: ShownKey) => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct act={useRotateKey()} on={row.id} title={t('keys.rotate.title')} action={t('keys.rotate.action')} onDone={onRotated} onClose={onClose}>
      {t('keys.rotate.text', { name: row.name })}
    </ConfirmAct>
  )
}

function RevokeConfirm({ row, onClose }: { row: ApiKey; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useRevokeKey()}
      on={row.id}
      title={t('keys.revoke.title')}
      action={t('keys.revoke.action')}
      done={t('keys.revoke.done', { name: row.name })}
      onClose={onClose}
    >
      {t('keys.revoke.text', { name: row.name })}
    </ConfirmAct>
  )
}
