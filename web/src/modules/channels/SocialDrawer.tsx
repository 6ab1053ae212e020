import { useState } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Fact } from '@/ui/Fact'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Step } from '@/ui/Step'
import { Calling } from './Calling'
import { useConnectSocial, type Account, type PageSettings, type SocialKind } from './channels'
import { Connected, ReadReceipts, refusalOf } from './connect'
import { InboundTest } from './InboundTest'

const texts = {
  messenger: { add: 'social.addMessenger', lead: 'social.leadMessenger', done: 'social.connectedMessenger' },
  instagram: { add: 'social.addInstagram', lead: 'social.leadInstagram', done: 'social.connectedInstagram' },
} as const satisfies Record<SocialKind, Record<string, PlainKey>>

/**
 * A Messenger page or its Instagram account: Meta is asked whether the values entered here give
 * access to it.
 */
export function SocialDrawer({ kind, account, onClose }: { kind: SocialKind; account: Account | null; onClose: () => void }) {
  const { t } = useI18n()
  const connect = useConnectSocial(kind)
  const [connected, setConnected] = useState<Account | null>(null)
  const wrong = refusalOf(connect.error)
  const settings = account?.settings as PageSettings | undefined
  const taken = wrong('replace_webhook', { webhook_taken: 'social.webhookTaken' })
  const unreachable = wrong('webhook_url', { unreachable: 'social.webhookUnreachable' })

  if (connected) {
    return (
      <Connected account={connected} onClose={onClose} done={t(texts[kind].done)}>
        <PageFacts settings={connected.settings as PageSettings} />
        <p className="text-sm text-ink-2">{t('social.tryIt')}</p>
      </Connected>
    )
  }
  return (
    <FormDrawer
      title={account ? account.name : t(texts[kind].add)}
      description={t(texts[kind].lead)}
      action={account ? t('social.renew') : t('social.connect')}
      busy={connect.isPending}
      error={connect.error}
      fields={['name', 'page_id', 'access_token', 'app_secret', 'replace_webhook', 'webhook_url']}
      onSubmit={(data) =>
        connect.mutate(
          {
            name: textOf(data, 'name') || undefined,
            page_id: textOf(data, 'page_id'),
            access_token: textOf(data, 'access_token'),
            app_secret: textOf(data, 'app_secret'),
            human_agent: data.has('human_agent'),
            replace_webhook: data.has('replace_webhook'),
          },
          { onSuccess: setConnected },
        )
      }
      onClose={onClose}
      before={
        account &&
        settings && (
          <>
            <PageFacts settings={settings} />
            <InboundTest id={account.id} />
            <ReadReceipts id={account.id} on={settings.read_receipts} />
            <Calling account={account} />
          </>
        )
      }
    >
      <Step number={1} title={t('social.step.page')} text={t('social.step.pageText')}>
        <Field
          label={t('social.page')}
          hint={t('social.pageHint')}
          error={wrong('page_id', { unknown_page: 'social.unknownPage', no_instagram_account: 'social.noInstagram', refused: 'social.unknownPage' })}
        >
          <Input name="page_id" inputMode="numeric" autoComplete="off" readOnly={account !== null} defaultValue={settings?.page_id} />
        </Field>
      </Step>
      <Step number={2} title={t('social.step.token')} text={t('social.step.tokenText')}>
        <Field label={t('social.token')} hint={t('social.secretHint')} error={wrong('access_token', { refused: 'social.refusedToken' })}>
          <Input name="access_token" type="password" autoComplete="off" />
        </Field>
        <Field label={t('social.secret')} hint={t('social.secretHint')} error={wrong('app_secret', { refused: 'social.refusedSecret' })}>
          <Input name="app_secret" type="password" autoComplete="off" />
        </Field>
        {unreachable && <Notice tone="danger">{unreachable}</Notice>}
        {taken && (
          <>
            <Notice tone="danger">{taken}</Notice>
            <Checkbox name="replace_webhook" label={t('social.replaceWebhook')} detail={t('social.replaceWebhookHint')} />
          </>
        )}
      </Step>
      <Step number={3} title={t('social.step.window')} text={t('social.step.windowText')}>
        <Checkbox name="human_agent" label={t('social.human')} detail={t('social.humanHint')} defaultChecked={settings?.human_agent} />
      </Step>
      <Step number={4} title={t('social.step.name')} text={t('social.step.nameText')}>
        <Field label={t('channels.name')} optional error={wrong('name')}>
          <Input name="name" autoComplete="off" maxLength={100} defaultValue={account?.name} />
        </Field>
      </Step>
    </FormDrawer>
  )
}

function PageFacts({ settings }: { settings: PageSettings }) {
  const { t } = useI18n()
  return (
    <dl className="mb-5 grid gap-3 sm:grid-cols-2">
      <Fact label={t('social.pageName')}>{settings.page_name}</Fact>
      {settings.username && <Fact label={t('social.username')}>@{settings.username}</Fact>}
      <Fact label={t('social.window')}>{t(settings.human_agent ? 'social.windowHuman' : 'social.windowDay')}</Fact>
    </dl>
  )
}
