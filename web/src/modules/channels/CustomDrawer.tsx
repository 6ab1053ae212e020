import { KeyRound, RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { t, useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Code } from '@/ui/Badge'
import { CodeBlock } from '@/ui/CodeBlock'
import { Button } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { SecretOnce } from '@/ui/SecretOnce'
import { Step } from '@/ui/Step'
import { toast } from '@/ui/Toast'
import { useChangeCustom, useCreateCustom, usePing, useRotateKey, useRotateSecret, type Account, type CustomSettings } from './channels'
import { InboundTest } from './InboundTest'

type Shown = { kind: 'key' | 'secret'; value: string; then?: Shown }

/** A channel into the customer's own software: its address, its key and its signing secret. */
export function CustomDrawer({ account, onClose }: { account: Account | null; onClose: () => void }) {
  const { t } = useI18n()
  const create = useCreateCustom()
  const change = useChangeCustom(account?.id ?? '')
  const active = account ? change : create
  const [shown, setShown] = useState<Shown | null>(null)
  const settings = account?.settings as CustomSettings | undefined

  function submit(data: FormData) {
    const hours = Number(textOf(data, 'window')) || 0
    const draft = { name: textOf(data, 'name'), address: textOf(data, 'address') }
    if (account) {
      change.mutate(
        { ...draft, window_hours: hours },
        {
          onSuccess: () => {
            toast('ok', t('channels.saved'))
            onClose()
          },
        },
      )
      return
    }
    create.mutate(
      { ...draft, ...(hours > 0 && { window_hours: hours }) },
      { onSuccess: (made) => setShown({ kind: 'key', value: made.key, then: { kind: 'secret', value: made.secret } }) },
    )
  }

  if (shown) {
    return (
      <SecretOnce
        key={shown.kind}
        title={shown.kind === 'key' ? t('channels.keyTitle') : t('channels.secretTitle')}
        description={shown.kind === 'key' ? t('channels.keyText') : t('channels.secretText')}
        secret={shown.value}
        onSaved={() => {
          if (shown.then) setShown(shown.then)
          else if (account) setShown(null)
          else onClose()
        }}
      />
    )
  }
  return (
    <FormDrawer
      title={account ? account.name : t('channels.addCustom')}
      description={t('channels.customLead')}
      action={account ? t('common.save') : t('channels.create')}
      busy={active.isPending}
      error={active.error}
      fields={['name', 'address', 'window_hours']}
      onSubmit={submit}
      onClose={onClose}
      after={
        account && (
          <>
            <InboundTest id={account.id} />
            <Secrets account={account} onShow={setShown} />
          </>
        )
      }
    >
      <Step number={1} title={t('channels.custom.step1')}>
        <Field label={t('channels.name')} error={fieldText(active.error, 'name')}>
          <Input name="name" autoComplete="off" defaultValue={account?.name} />
        </Field>
      </Step>
      <Step number={2} title={t('channels.custom.step2')} text={t('channels.custom.step2Text')}>
        <Field
          label={t('channels.address')}
          hint={t('channels.addressHint')}
          error={fieldText(active.error, 'address', { invalid_address: 'channels.addressWrong', https_required: 'channels.addressWrong', inside_address: 'channels.addressInside' })}
        >
          <Input name="address" type="url" autoComplete="off" defaultValue={settings?.address} placeholder="https://example.com/konak" />
        </Field>
        <Field label={t('channels.window')} hint={t('channels.windowHint')} optional error={fieldText(active.error, 'window_hours')}>
          <Input name="window" type="number" min={0} max={8760} defaultValue={settings?.window_hours ?? ''} />
        </Field>
      </Step>
      <Step number={3} title={t('channels.custom.step3')} text={account ? t('channels.custom.step3Text') : t('channels.custom.step3New')}>
        {account && <CodeBlock label={t('channels.custom.sample')} code={sampleRequest(account.id)} />}
      </Step>
    </FormDrawer>
  )
}

/** A customer's first message, as the other software posts it. */
function sampleRequest(id: string): string {
  return [
    `curl -X POST ${location.origin}/api/crm/public/v1/channels/custom/${id}/messages`,
    `-H "Authorization: Bearer $KONAK_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify({ message_id: '1', body: t('channels.custom.sampleBody'), contact: { external_id: '42', name: 'Elif Kaya' } })}'`,
  ].join(' \\\n  ')
}

function Secrets({ account, onShow }: { account: Account; onShow: (shown: Shown) => void }) {
  const { t } = useI18n()
  const key = useRotateKey(account.id)
  const secret = useRotateSecret(account.id)
  const ping = usePing(account.id)
  const [asked, setAsked] = useState<'key' | 'secret' | null>(null)
  return (
    <section aria-labelledby="channel-secrets" className="mt-7 flex flex-col gap-3 border-t border-line pt-5 text-sm">
      <h3 id="channel-secrets" className="font-semibold">
        {t('channels.access')}
      </h3>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-5 gap-y-2">
        <dt className="text-ink-3">{t('channels.id')}</dt>
        <dd className="break-all">
          <Code>{account.id}</Code>
        </dd>
        <dt className="text-ink-3">{t('channels.key')}</dt>
        <dd>
          <Code>{`…${account.key_last4 ?? ''}`}</Code>
        </dd>
      </dl>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={Send}
          busy={ping.isPending}
          onClick={() =>
            ping.mutate(undefined, {
              onSuccess: (sent) => toast('ok', t('channels.pinged', { count: sent.retried })),
              onError: (error) => toast('danger', t('channels.failed'), errorText(error)),
            })
          }
        >
          {t('channels.ping')}
        </Button>
        <Button size="sm" icon={KeyRound} onClick={() => setAsked('key')}>
          {t('channels.rotateKey')}
        </Button>
        <Button size="sm" icon={RotateCcw} onClick={() => setAsked('secret')}>
          {t('channels.rotateSecret')}
        </Button>
      </div>
      {asked && (
        <ConfirmAct
          act={asked === 'key' ? key : secret}
          on={undefined}
          title={asked === 'key' ? t('channels.rotateKey') : t('channels.rotateSecret')}
          action={t('channels.rotate')}
          onDone={(value) => onShow({ kind: asked, value })}
          onClose={() => setAsked(null)}
        >
          {asked === 'key' ? t('channels.rotateKeyText') : t('channels.rotateSecretText')}
        </ConfirmAct>
      )}
    </section>
  )
}
