import { Cable, Ellipsis, MessageCircle, Pause, Pencil, Play, Plus, Unplug } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, withTexts, type PlainKey } from '@/i18n'
import { ListPage } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, type Tone } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { mailboxReasons } from '../crm/mailboxes/reasons'
import { CustomDrawer } from './CustomDrawer'
import { WidgetDrawer } from './WidgetDrawer'
import { useChannels, useDisconnect, useSetStatus, type Account } from './channels'

const WhatsAppDrawer = lazy(() => withTexts(() => import('./WhatsAppDrawer'), 'templates')().then((m) => ({ default: m.WhatsAppDrawer })))

const statuses = {
  connecting: { label: 'channels.status.connecting', tone: 'accent' },
  active: { label: 'channels.status.active', tone: 'ok' },
  paused: { label: 'channels.status.paused', tone: 'neutral' },
  attention: { label: 'channels.status.attention', tone: 'danger' },
  disconnected: { label: 'channels.status.disconnected', tone: 'neutral' },
} as const satisfies Record<Account['status'], { label: PlainKey; tone: Tone }>

const kinds: Record<string, PlainKey> = { custom: 'channels.kind.custom', widget: 'channels.kind.widget', email: 'channels.kind.email', whatsapp: 'channels.kind.whatsapp' }
/** Why an account needs attention, and what to do about it. */
const reasons: Record<string, PlainKey> = {
  ...mailboxReasons,
  webhook_failing: 'channels.reason.webhookFailing',
  token_expired: 'channels.reason.tokenExpired',
  webhook_missing: 'channels.reason.webhookMissing',
  number_flagged: 'channels.reason.numberFlagged',
  inbound_test_expired: 'channels.reason.inboundTest',
  provider_unreachable: 'channels.reason.providerUnreachable',
}

type Layer = { kind: 'custom' | 'widget' | 'whatsapp' | 'disconnect'; account: Account } | { kind: 'newCustom' | 'newWidget' | 'newWhatsApp' }
const withSettings = ['custom', 'widget', 'whatsapp'] as const

export function ChannelsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.channels.manage' })
  const list = useChannels()
  const status = useSetStatus()
  const [layer, setLayer] = useState<Layer | null>(null)

  const actions = canManage && (
    <>
      <Button icon={Plus} onClick={() => setLayer({ kind: 'newWhatsApp' })}>
        {t('channels.addWhatsApp')}
      </Button>
      <Button icon={Plus} onClick={() => setLayer({ kind: 'newCustom' })}>
        {t('channels.addCustom')}
      </Button>
      <Button look="primary" icon={MessageCircle} onClick={() => setLayer({ kind: 'newWidget' })}>
        {t('channels.addWidget')}
      </Button>
    </>
  )

  function set(account: Account, to: 'active' | 'paused') {
    status.mutate({ id: account.id, status: to }, { onError: (error) => toast('danger', t('channels.failed'), errorText(error)) })
  }

  const columns: Column<Account>[] = [
    {
      id: 'name',
      header: t('channels.name'),
      cell: (row) => (
        <>
          <span className="block font-medium break-words">{row.name}</span>
          <span className="text-[13px] text-ink-3">{kinds[row.kind] ? t(kinds[row.kind] as PlainKey) : row.kind}</span>
        </>
      ),
    },
    {
      id: 'status',
      header: t('common.status'),
      cell: (row) => (
        <>
          <Badge dot tone={statuses[row.status].tone}>
            {t(statuses[row.status].label)}
          </Badge>
          {row.reason && (
            <span className="mt-1 block text-[13px] text-ink-2">{reasons[row.reason] ? t(reasons[row.reason] as PlainKey) : row.reason}</span>
          )}
        </>
      ),
    },
    { id: 'created', header: t('common.created'), wide: true, cell: (row) => <Ago at={row.created_at} /> },
  ]

  const rowActions = (row: Account) => {
    const own = withSettings.find((kind) => kind === row.kind)
    return (
      <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
        {own && (
          <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: own, account: row })}>
            {t('channels.settings')}
          </MenuItem>
        )}
        {row.status === 'paused' || row.status === 'attention' ? (
          <MenuItem icon={Play} onSelect={() => set(row, 'active')}>
            {t('channels.resume')}
          </MenuItem>
        ) : (
          <MenuItem icon={Pause} onSelect={() => set(row, 'paused')}>
            {t('channels.pause')}
          </MenuItem>
        )}
        <MenuRule />
        <MenuItem icon={Unplug} onSelect={() => setLayer({ kind: 'disconnect', account: row })}>
          {t('channels.disconnect')}
        </MenuItem>
      </Menu>
    )
  }

  const close = () => setLayer(null)
  return (
    <>
      <ListPage
        title={t('channels.title')}
        lead={t('channels.lead')}
        list={list}
        columns={columns}
        add={actions}
        rowActions={canManage && rowActions}
        empty={{ icon: Cable, title: t('channels.empty.title'), text: t('channels.empty.text') }}
      />
      {layer?.kind === 'newCustom' && <CustomDrawer account={null} onClose={close} />}
      {layer?.kind === 'custom' && <CustomDrawer account={layer.account} onClose={close} />}
      {layer?.kind === 'newWidget' && <WidgetDrawer account={null} onClose={close} />}
      {layer?.kind === 'widget' && <WidgetDrawer account={layer.account} onClose={close} />}
      <Suspense>
        {layer?.kind === 'newWhatsApp' && <WhatsAppDrawer account={null} onClose={close} />}
        {layer?.kind === 'whatsapp' && <WhatsAppDrawer account={layer.account} onClose={close} />}
      </Suspense>
      {layer?.kind === 'disconnect' && <DisconnectConfirm account={layer.account} onClose={close} />}
    </>
  )
}

function DisconnectConfirm({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDisconnect()}
      on={account.id}
      title={t('channels.disconnectTitle', { name: account.name })}
      action={t('channels.disconnect')}
      done={t('channels.disconnected', { name: account.name })}
      onClose={onClose}
    >
      {t('channels.disconnectText')}
    </ConfirmAct>
  )
}
