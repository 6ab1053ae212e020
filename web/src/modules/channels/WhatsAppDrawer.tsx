import { useState } from 'react'
import { formatNumber, useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Code } from '@/ui/Badge'
import { Fact } from '@/ui/Fact'
import { Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Step } from '@/ui/Step'
import { Calling } from './Calling'
import { useConnectWhatsApp, type Account, type NumberSettings } from './channels'
import { Connected, ReadReceipts, refusalOf } from './connect'
import { InboundTest } from './InboundTest'

/**
 * A WhatsApp number: the values of Meta's console are entered here, and Meta is asked whether they
 * are right.
 */
export function WhatsAppDrawer({ account, onClose }: { account: Account | null; onClose: () => void }) {
  const { t } = useI18n()
  const connect = useConnectWhatsApp()
  const [connected, setConnected] = useState<Account | null>(null)
  const { error } = connect
  const wrong = refusalOf(error)
  const settings = account?.settings as NumberSettings | undefined

  if (connected) return <NumberConnected account={connected} onClose={onClose} />
  return (
    <FormDrawer
      title={account ? account.name : t('whatsapp.add')}
      description={t('whatsapp.lead')}
      action={account ? t('whatsapp.renew') : t('whatsapp.connect')}
      busy={connect.isPending}
      error={error}
      fields={['name', 'phone_number_id', 'business_account_id', 'access_token', 'app_secret']}
      onSubmit={(data) =>
        connect.mutate(
          {
            name: textOf(data, 'name') || undefined,
            phone_number_id: textOf(data, 'phone_number_id'),
            business_account_id: textOf(data, 'business_account_id'),
            access_token: textOf(data, 'access_token'),
            app_secret: textOf(data, 'app_secret'),
          },
          { onSuccess: setConnected },
        )
      }
      onClose={onClose}
      before={
        account &&
        settings && (
          <>
            <NumberFacts settings={settings} />
            <InboundTest id={account.id} ofNumber />
            <ReadReceipts id={account.id} on={settings.read_receipts} />
            <Calling account={account} />
          </>
        )
      }
    >
      {account && <p className="text-sm text-ink-2">{t('whatsapp.renewText')}</p>}
      <Step number={1} title={t('whatsapp.step.number')} text={t('whatsapp.step.numberText')}>
        <Field label={t('whatsapp.number')} hint={t('whatsapp.numberHint')} error={wrong('phone_number_id', { unknown_number: 'whatsapp.unknownNumber', refused: 'whatsapp.refusedNumber' })}>
          <Input name="phone_number_id" inputMode="numeric" autoComplete="off" readOnly={account !== null} defaultValue={settings?.phone_number_id} />
        </Field>
        <Field label={t('whatsapp.business')} hint={t('whatsapp.businessHint')} error={wrong('business_account_id', { unknown_account: 'whatsapp.unknownBusiness' })}>
          <Input name="business_account_id" inputMode="numeric" autoComplete="off" readOnly={account !== null} defaultValue={settings?.business_account_id} />
        </Field>
      </Step>
      <Step number={2} title={t('whatsapp.step.token')} text={t('whatsapp.step.tokenText')}>
        <Field label={t('whatsapp.token')} hint={t('whatsapp.tokenHint')} error={wrong('access_token', { refused: 'whatsapp.refusedToken' })}>
          <Input name="access_token" type="password" autoComplete="off" />
        </Field>
      </Step>
      <Step number={3} title={t('whatsapp.step.secret')} text={t('whatsapp.step.secretText')}>
        <Field label={t('whatsapp.secret')} hint={t('whatsapp.secretHint')} error={wrong('app_secret')}>
          <Input name="app_secret" type="password" autoComplete="off" />
        </Field>
      </Step>
      <Step number={4} title={t('whatsapp.step.name')} text={t('whatsapp.step.nameText')}>
        <Field label={t('channels.name')} hint={t('whatsapp.nameHint')} optional error={wrong('name')}>
          <Input name="name" autoComplete="off" maxLength={100} defaultValue={account?.name} />
        </Field>
      </Step>
    </FormDrawer>
  )
}

const qualities: Record<string, PlainKey> = { GREEN: 'whatsapp.quality.high', YELLOW: 'whatsapp.quality.medium', RED: 'whatsapp.quality.low' }

/** Returns Meta's limit as a number: TIER_1K is a thousand; null if the tier is not a number. */
function limitOf(tier: string): string | null {
  const [, count, thousand] = /^TIER_(\d+)(K?)$/.exec(tier) ?? []
  return count ? formatNumber(Number(count) * (thousand ? 1000 : 1)) : null
}

export function NumberFacts({ settings }: { settings: NumberSettings }) {
  const { t } = useI18n()
  const { quality_rating: rating, messaging_limit_tier: tier } = settings
  const quality = qualities[rating]
  return (
    <dl className="mb-5 grid gap-3 sm:grid-cols-2">
      <Fact label={t('whatsapp.display')}>{settings.display_phone_number}</Fact>
      <Fact label={t('whatsapp.verifiedName')}>{settings.verified_name}</Fact>
      {rating && <Fact label={t('whatsapp.quality')}>{quality ? t(quality) : rating}</Fact>}
      {tier && <Fact label={t('whatsapp.limit')}>{limitOf(tier) ?? (tier === 'TIER_UNLIMITED' ? t('whatsapp.limit.none') : tier)}</Fact>}
      {settings.history && <Fact label={t('whatsapp.history')}>{t(settings.history === 'shared' ? 'whatsapp.history.shared' : 'whatsapp.history.declined')}</Fact>}
    </dl>
  )
}

/** What Meta reports about the number, and the address that it will call. */
function NumberConnected({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useI18n()
  const settings = account.settings as NumberSettings
  return (
    <Connected account={account} onClose={onClose} done={t('whatsapp.connected')}>
      <NumberFacts settings={settings} />
      <dl className="flex flex-col gap-3 text-sm">
        <Fact label={t('whatsapp.webhook')}>
          <span className="break-all">
            <Code>{settings.webhook_url}</Code>
          </span>
        </Fact>
      </dl>
      <p className="mt-3 mb-5 text-sm text-ink-2">{t('whatsapp.webhookText')}</p>
      <InboundTest id={account.id} ofNumber />
    </Connected>
  )
}
