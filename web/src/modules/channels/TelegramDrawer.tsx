import { useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Fact } from '@/ui/Fact'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Step } from '@/ui/Step'
import { useConnectTelegram, useRegisterWebhook, useStartBusiness, useWebhook, type Account, type BotSettings } from './channels'
import { AccountDrawer, Connected, refusalOf } from './connect'
import { InboundTest } from './InboundTest'

/** A Telegram bot: its token is entered here, and Telegram is asked which bot it belongs to. */
export function TelegramDrawer({ account, onClose }: { account: Account | null; onClose: () => void }) {
  const { t } = useI18n()
  const connect = useConnectTelegram()
  const [connected, setConnected] = useState<Account | null>(null)
  const { error } = connect
  const wrong = refusalOf(error)
  const settings = account?.settings as BotSettings | undefined

  if (connected) return <BotConnected account={connected} onClose={onClose} />
  if (account && settings?.business) return <PersonDrawer account={account} settings={settings} onClose={onClose} />
  return (
    <FormDrawer
      title={account ? account.name : t('telegram.add')}
      description={t('telegram.lead')}
      action={account ? t('telegram.renew') : t('telegram.connect')}
      busy={connect.isPending}
      error={error}
      fields={['name', 'bot_token', 'mode']}
      onSubmit={(data) =>
        connect.mutate(
          { name: textOf(data, 'name') || undefined, bot_token: textOf(data, 'bot_token'), mode: data.has('polling') ? 'polling' : undefined },
          { onSuccess: setConnected },
        )
      }
      onClose={onClose}
      before={
        account && (
          <>
            <BotFacts settings={settings} />
            <WebhookState id={account.id} />
            <InboundTest id={account.id} />
            <BusinessLink id={account.id} />
          </>
        )
      }
    >
      <Step number={1} title={t('telegram.step.bot')} text={t('telegram.step.botText')}>
        <Field label={t('telegram.token')} hint={t('telegram.tokenHint')} error={wrong('bot_token', { refused: 'telegram.refusedToken' })}>
          <Input name="bot_token" type="password" autoComplete="off" />
        </Field>
      </Step>
      <Step number={2} title={t('telegram.step.way')} text={t('telegram.step.wayText')}>
        <Checkbox name="polling" label={t('telegram.polling')} detail={t('telegram.pollingHint')} defaultChecked={settings?.mode === 'polling'} />
        {wrong('mode') && <Notice tone="danger">{wrong('mode', { refused: 'telegram.refusedMode' })}</Notice>}
      </Step>
      <Step number={3} title={t('telegram.step.name')} text={t('telegram.step.nameText')}>
        <Field label={t('channels.name')} optional error={wrong('name')}>
          <Input name="name" autoComplete="off" maxLength={100} defaultValue={account?.name} />
        </Field>
      </Step>
    </FormDrawer>
  )
}

function BotFacts({ settings }: { settings: BotSettings | undefined }) {
  const { t } = useI18n()
  return (
    <dl className="mb-5 grid gap-3 sm:grid-cols-2">
      <Fact label={t('telegram.bot')}>@{settings?.bot_username}</Fact>
      <Fact label={t('telegram.mode')}>{t(settings?.mode === 'polling' ? 'telegram.modePolling' : 'telegram.modeWebhook')}</Fact>
    </dl>
  )
}

/** Shows whether Telegram calls our webhook, as Telegram reports it, and how to set it up. */
function WebhookState({ id }: { id: string }) {
  const { t } = useI18n()
  const state = useWebhook(id)
  const register = useRegisterWebhook(id)
  const error = register.error ?? state.error
  const seen = register.data ?? state.data
  return (
    <section className="mb-5 flex flex-col items-start gap-2" aria-label={t('telegram.webhook')}>
      {error && <Notice tone="danger">{errorText(error)}</Notice>}
      {seen && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <Badge dot tone={seen.registered || seen.mode === 'polling' ? 'ok' : 'danger'}>
            {t(seen.registered ? 'telegram.registered' : seen.mode === 'polling' ? 'telegram.asked' : 'telegram.notRegistered')}
          </Badge>
          {seen.pending > 0 && <span>{t('telegram.pending', { count: seen.pending })}</span>}
          {seen.last_error && <span className="text-ink-2">{t('telegram.lastError', { error: seen.last_error })}</span>}
        </p>
      )}
      <Button busy={register.isPending} onClick={() => register.mutate()}>
        {t('telegram.register')}
      </Button>
    </section>
  )
}

/** A link by which the owner of a Telegram account lets the bot answer for them. */
function BusinessLink({ id }: { id: string }) {
  const { t } = useI18n()
  const start = useStartBusiness()
  return (
    <section className="mb-5 flex flex-col items-start gap-2" aria-label={t('telegram.business')}>
      <p className="text-sm text-ink-2">{t('telegram.businessText')}</p>
      {start.error && <Notice tone="danger">{errorText(start.error)}</Notice>}
      {start.data ? (
        <Notice tone="info">
          <a className="font-medium break-all underline" href={start.data.url} target="_blank" rel="noreferrer">
            {t('telegram.businessOpen')}
          </a>{' '}
          {t('telegram.businessThen', { bot: start.data.bot_username })}
        </Notice>
      ) : (
        <Button busy={start.isPending} onClick={() => start.mutate(id)}>
          {t('telegram.businessStart')}
        </Button>
      )}
    </section>
  )
}

/** For a person's account in which the bot works; it has nothing to enter. */
function PersonDrawer({ account, settings, onClose }: { account: Account; settings: BotSettings; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <AccountDrawer account={account} onClose={onClose} description={t('telegram.personLead')}>
      <dl className="grid gap-3 sm:grid-cols-2">
        <Fact label={t('telegram.person')}>{settings.business?.username ? `@${settings.business.username}` : account.name}</Fact>
        <Fact label={t('telegram.bot')}>@{settings.bot_username}</Fact>
        <Fact label={t('telegram.answers')}>{t(settings.business?.can_reply ? 'telegram.answersYes' : 'telegram.answersNo')}</Fact>
      </dl>
      <div className="mt-5">
        <InboundTest id={account.id} />
      </div>
    </AccountDrawer>
  )
}

/** What Telegram reports about the bot. */
function BotConnected({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useI18n()
  const settings = account.settings as BotSettings
  return (
    <Connected account={account} onClose={onClose} done={t('telegram.connected')}>
      <BotFacts settings={settings} />
      <p className="text-sm text-ink-2">{t('telegram.connectedText', { bot: settings.bot_username })}</p>
    </Connected>
  )
}
