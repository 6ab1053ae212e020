import { useQuery } from '@tanstack/react-query'
import { Bot, Cable, Ellipsis, MessageCircle, Pause, Pencil, Play, Plus, Unplug } from 'lucide-react'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, metaQuery, useMe } from '@/api/session'
import { formatNumber, useI18n, withTexts, type PlainKey } from '@/i18n'
import { useOverview } from '@/api/overview'
import { useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge, type Tone } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { ChannelGlyph } from '@/ui/ChannelGlyph'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { EmptyState } from '@/ui/EmptyState'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { mailboxReasons } from '../crm/mailboxes/reasons'
import { useChannels, useDisconnect, usePartnerFailure, useSetStatus, useStartPartner, type Account, type SocialKind } from './channels'

const CustomDrawer = lazy(() => import('./CustomDrawer').then((m) => ({ default: m.CustomDrawer })))
const WidgetDrawer = lazy(() => import('./WidgetDrawer').then((m) => ({ default: m.WidgetDrawer })))
const WhatsAppDrawer = lazy(() => withTexts(() => import('./WhatsAppDrawer'), 'templates')().then((m) => ({ default: m.WhatsAppDrawer })))
const TelegramDrawer = lazy(() => import('./TelegramDrawer').then((m) => ({ default: m.TelegramDrawer })))
const AssistantDrawer = lazy(() => withTexts(() => import('./AssistantDrawer'), 'desk')().then((m) => ({ default: m.AssistantDrawer })))
const ConfigurationsDrawer = lazy(() => withTexts(() => import('./ConfigurationsDrawer'), 'assistant')().then((m) => ({ default: m.ConfigurationsDrawer })))
const SocialDrawer = lazy(() => withTexts(() => import('./SocialDrawer'), 'templates')().then((m) => ({ default: m.SocialDrawer })))

const statuses = {
  connecting: { label: 'channels.status.connecting', tone: 'accent' },
  active: { label: 'channels.status.active', tone: 'ok' },
  paused: { label: 'channels.status.paused', tone: 'neutral' },
  attention: { label: 'channels.status.attention', tone: 'danger' },
  disconnected: { label: 'channels.status.disconnected', tone: 'neutral' },
} as const satisfies Record<Account['status'], { label: PlainKey; tone: Tone }>

const kinds: Record<string, PlainKey> = { custom: 'channels.kind.custom', widget: 'channels.kind.widget', email: 'channels.kind.email', whatsapp: 'channels.kind.whatsapp', telegram: 'channels.kind.telegram', messenger: 'channels.kind.messenger', instagram: 'channels.kind.instagram', help_center: 'channels.kind.helpCenter' }
/** Why an account needs attention, and what to do about it. */
const reasons: Record<string, PlainKey> = {
  ...mailboxReasons,
  webhook_failing: 'channels.reason.webhookFailing',
  token_expired: 'channels.reason.tokenExpired',
  webhook_missing: 'channels.reason.webhookMissing',
  number_flagged: 'channels.reason.numberFlagged',
  inbound_test_expired: 'channels.reason.inboundTest',
  provider_unreachable: 'channels.reason.providerUnreachable',
  poll_conflict: 'telegram.reason.pollConflict',
  business_ended: 'telegram.reason.businessEnded',
}

/** Reasons whose remedy differs between kinds of channels. */
const reasonsOf: Record<string, Record<string, PlainKey>> = {
  messenger: { token_expired: 'social.reason.tokenExpired' },
  instagram: { token_expired: 'social.reason.tokenExpired' },
  telegram: { token_expired: 'telegram.reason.tokenExpired', webhook_missing: 'telegram.reason.webhookMissing' },
}

function reasonKey(account: Account): PlainKey | undefined {
  return account.reason ? (reasonsOf[account.kind]?.[account.reason] ?? reasons[account.reason]) : undefined
}

type Layer =
  | { kind: 'custom' | 'widget' | 'whatsapp' | 'telegram' | SocialKind | 'assistant' | 'disconnect'; account: Account }
  | { kind: 'newCustom' | 'newWidget' | 'newWhatsApp' | 'newTelegram' | 'configurations' }
  | { kind: 'newSocial'; social: SocialKind }
const withSettings = ['custom', 'widget', 'whatsapp', 'telegram', 'messenger', 'instagram'] as const

export function ChannelsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.channels.manage' })
  const canAssist = meets(useMe(), { permission: 'crm.assistant.view', licence: 'ai' })
  const list = useChannels()
  const demo = useQuery(metaQuery).data?.demo === true
  const seen = useOverview(meets(useMe(), { permission: 'crm.reports.view' })).data
  const status = useSetStatus()
  const [layer, setLayer] = useState<Layer | null>(null)

  const partner = useStartPartner()
  const startPartner = () =>
    partner.mutate(undefined, {
      onSuccess: (url) => window.location.assign(url),
      onError: (error) => toast('danger', t('channels.failed'), asApiError(error)?.reason === 'not_configured' ? t('partner.notConfigured') : errorText(error)),
    })

  const addWidget = useAdd('channels.addWidget', canManage, () => setLayer({ kind: 'newWidget' }))
  const actions = canManage && (
    <>
      {canAssist && (
        <Button icon={Bot} onClick={() => setLayer({ kind: 'configurations' })}>
          {t('channels.assistant')}
        </Button>
      )}
      <Menu
        trigger={
          <Button icon={Plus} busy={partner.isPending}>
            {t('channels.addMeta')}
          </Button>
        }
      >
        <MenuItem onSelect={startPartner}>{t('partner.start')}</MenuItem>
        <MenuRule />
        <MenuItem onSelect={() => setLayer({ kind: 'newSocial', social: 'messenger' })}>{t('channels.kind.messenger')}</MenuItem>
        <MenuItem onSelect={() => setLayer({ kind: 'newSocial', social: 'instagram' })}>{t('channels.kind.instagram')}</MenuItem>
      </Menu>
      <Button icon={Plus} onClick={() => setLayer({ kind: 'newWhatsApp' })}>
        {t('channels.addWhatsApp')}
      </Button>
      <Button icon={Plus} onClick={() => setLayer({ kind: 'newTelegram' })}>
        {t('channels.addTelegram')}
      </Button>
      <Button icon={Plus} onClick={() => setLayer({ kind: 'newCustom' })}>
        {t('channels.addCustom')}
      </Button>
      {addWidget}
    </>
  )

  function set(account: Account, to: 'active' | 'paused') {
    status.mutate({ id: account.id, status: to }, { onError: (error) => toast('danger', t('channels.failed'), errorText(error)) })
  }

  const rowActions = (row: Account) => {
    const own = withSettings.find((kind) => kind === row.kind)
    return (
      <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: row.name })} />}>
        {own && (
          <MenuItem icon={Pencil} onSelect={() => setLayer({ kind: own, account: row })}>
            {t('channels.settings')}
          </MenuItem>
        )}
        {canAssist && (
          <MenuItem icon={MessageCircle} onSelect={() => setLayer({ kind: 'assistant', account: row })}>
            {t('channels.assistant')}
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
      <PartnerOutcome />
      {demo && (
        <Notice tone="info" className="mb-4">
          {t('channels.demoText')}{' '}
          <a className="font-medium underline" href="/demo/customer" target="_blank" rel="noreferrer">
            {t('channels.demoLink')}
          </a>
        </Notice>
      )}
      <PageHeader title={t('channels.title')} lead={t('channels.lead')} actions={list.rows.length > 0 && actions} />
      <QueryState
        {...list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState icon={Cable} title={t('channels.empty.title')} action={actions}>
            {t('channels.empty.text')}
          </EmptyState>
        }
      >
        <ul aria-label={t('channels.title')} className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
          {list.rows.map((row) => (
            <li key={row.id}>
              <ChannelCard account={row} carried={seen?.channels.find((one) => one.account_id === row.id) ?? null} today={seen !== undefined} menu={canManage && rowActions(row)} />
            </li>
          ))}
        </ul>
        {list.more && (
          <Button className="mt-4" busy={list.more.loading} onClick={list.more.load}>
            {t('table.more')}
          </Button>
        )}
      </QueryState>
      <Suspense>
        {layer?.kind === 'assistant' && <AssistantDrawer account={layer.account} onClose={close} />}
        {layer?.kind === 'configurations' && <ConfigurationsDrawer onClose={close} />}
        {layer?.kind === 'newCustom' && <CustomDrawer account={null} onClose={close} />}
        {layer?.kind === 'custom' && <CustomDrawer account={layer.account} onClose={close} />}
        {layer?.kind === 'newWidget' && <WidgetDrawer account={null} onClose={close} />}
        {layer?.kind === 'widget' && <WidgetDrawer account={layer.account} onClose={close} />}
        {layer?.kind === 'newWhatsApp' && <WhatsAppDrawer account={null} onClose={close} />}
        {layer?.kind === 'whatsapp' && <WhatsAppDrawer account={layer.account} onClose={close} />}
        {layer?.kind === 'newTelegram' && <TelegramDrawer account={null} onClose={close} />}
        {layer?.kind === 'telegram' && <TelegramDrawer account={layer.account} onClose={close} />}
        {layer?.kind === 'newSocial' && <SocialDrawer kind={layer.social} account={null} onClose={close} />}
        {(layer?.kind === 'messenger' || layer?.kind === 'instagram') && <SocialDrawer kind={layer.kind} account={layer.account} onClose={close} />}
      </Suspense>
      {layer?.kind === 'disconnect' && <DisconnectConfirm account={layer.account} onClose={close} />}
    </>
  )
}

/** The steps of a sign-up that can fail, as texts. */
const steps: Record<string, PlainKey> = {
  state: 'partner.step.state',
  session: 'partner.step.session',
  permission: 'partner.step.permission',
  consent: 'partner.step.consent',
  exchange: 'partner.step.exchange',
  assets: 'partner.step.assets',
  claim: 'partner.step.claim',
  subscribe: 'partner.step.subscribe',
  store: 'partner.step.store',
}

/** Shows the result of a sign-up from which the person has just returned. */
function PartnerOutcome() {
  const { t } = useI18n()
  const query = new URLSearchParams(window.location.search)
  const outcome = query.get('partner')
  // Only known steps and an id are read from the address, because anybody can craft a link.
  const words = usePartnerFailure(outcome === 'failed' ? query.get('failure') : null).data?.words
  if (outcome === 'connected') {
    return (
      <Notice tone="ok" className="mb-4">
        {t('partner.connected')}
      </Notice>
    )
  }
  if (outcome !== 'failed') return null
  const step = query.get('step') ?? ''
  return (
    <Notice tone="danger" className="mb-4">
      {t('partner.failed')} {t((Object.hasOwn(steps, step) && steps[step]) || 'partner.step.other')}
      {words && <span className="mt-1 block text-sm">{t('partner.words', { words })}</span>}
    </Notice>
  )
}

interface ChannelCardProps {
  account: Account
  /** What it carried in the last 24 hours; null if nothing. */
  carried: { received: number; sent: number } | null
  /** Whether this person may see those numbers. */
  today: boolean
  menu: ReactNode
}

/** One connected account: its glyph, whether it works, and what it carried. */
export function ChannelCard({ account, carried, today, menu }: ChannelCardProps) {
  const { t } = useI18n()
  const { label, tone } = statuses[account.status]
  const reason = reasonKey(account)
  return (
    <article aria-label={account.name} className="flex h-full flex-col rounded-lg border border-line bg-surface p-4 shadow-1">
      <header className="flex items-start gap-3">
        <ChannelGlyph channel={account.kind} size="lg" />
        <div className="min-w-0 flex-1">
          <h2 className="text-base font-semibold break-words">{account.name}</h2>
          <p className="text-sm text-ink-3">{kinds[account.kind] ? t(kinds[account.kind] as PlainKey) : account.kind}</p>
        </div>
        {menu}
      </header>
      <p className="mt-3 flex flex-wrap gap-1.5">
        <Badge dot tone={tone}>
          {t(label)}
        </Badge>
        {account.ai && <Badge>{t('channels.assistant.on')}</Badge>}
      </p>
      {account.reason && <p className="mt-1.5 text-sm text-ink-2">{reason ? t(reason) : account.reason}</p>}
      <footer className="mt-auto flex flex-wrap justify-between gap-x-4 gap-y-1 pt-4 text-sm text-ink-2">
        {today && <span>{t('channels.today', { received: formatNumber(carried?.received ?? 0), sent: formatNumber(carried?.sent ?? 0) })}</span>}
        <span className="text-ink-3">
          {t('common.created')} <Ago at={account.created_at} />
        </span>
      </footer>
    </article>
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
