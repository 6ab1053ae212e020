import { KeyRound, Plus, RefreshCw, ShieldCheck, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState, type FormEvent } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useMe } from '@/api/session'
import { formatAgo, formatDateTime, useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { canUsePasskeys, wasCancelled } from '@/lib/webauthn'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { QueryState } from '@/ui/QueryState'
import { SecretOnce } from '@/ui/SecretOnce'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { NewPassword } from './NewPassword'
import {
  useAddPasskey,
  useChangePassword,
  useChangeProfile,
  useDropPasskey,
  useDropTotp,
  useNewRecoveryCodes,
  usePasskeys,
  type Passkey,
} from './profile'

const TotpDialog = lazy(() => import('./TotpDialog').then((m) => ({ default: m.TotpDialog })))

export function Security() {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <SecondStepCard />
        <PasskeysCard />
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <ProfileCard />
        <PasswordCard />
      </div>
    </div>
  )
}

function ProfileCard() {
  const { t } = useI18n()
  const me = useMe()
  const change = useChangeProfile()
  const form = useFocusOnError(change.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    change.mutate(
      { name: textOf(data, 'name'), language: textOf(data, 'language') === 'tr' ? 'tr' : 'en' },
      { onSuccess: () => toast('ok', t('profile.saved')) },
    )
  }

  return (
    <Card title={t('profile.about')}>
      {change.error && !isAboutFields(change.error, ['name']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(change.error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label={t('signUp.name')} hint={t('profile.nameHint')} error={fieldText(change.error, 'name')}>
          <Input name="name" autoComplete="name" defaultValue={me.user.name} maxLength={100} required />
        </Field>
        <Field label={t('profile.language')} hint={t('profile.languageHint')}>
          <Select name="language" defaultValue={me.user.language}>
            <option value="tr">Türkçe</option>
            <option value="en">English</option>
          </Select>
        </Field>
        <div>
          <Button type="submit" look="primary" busy={change.isPending}>
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function SecondStepCard() {
  const { t } = useI18n()
  const on = useMe().user.two_factor
  const [layer, setLayer] = useState<'setup' | 'off' | 'codes' | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const drop = useDropTotp()
  const renew = useNewRecoveryCodes()
  return (
    <Card
      title={t('totp.title')}
      action={
        <Badge dot tone={on ? 'ok' : 'warn'}>
          {on ? t('totp.on') : t('totp.off')}
        </Badge>
      }
    >
      <p className="text-sm text-ink-2">{on ? t('totp.onText') : t('totp.offText')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        {on ? (
          <>
            <Button icon={RefreshCw} onClick={() => setLayer('codes')}>
              {t('totp.newCodes')}
            </Button>
            <Button onClick={() => setLayer('off')}>{t('totp.switchOff')}</Button>
          </>
        ) : (
          <Button look="primary" icon={ShieldCheck} onClick={() => setLayer('setup')}>
            {t('totp.setUp')}
          </Button>
        )}
      </div>
      {layer === 'setup' && (
        <Suspense>
          <TotpDialog
            onClose={() => setLayer(null)}
            onDone={(fresh) => {
              setLayer(null)
              setCodes(fresh)
            }}
          />
        </Suspense>
      )}
      {layer === 'off' && (
        <ConfirmAct
          act={drop}
          on={undefined}
          title={t('totp.offTitle')}
          action={t('totp.switchOff')}
          done={t('totp.offDone')}
          onClose={() => setLayer(null)}
        >
          {t('totp.offWarning')}
        </ConfirmAct>
      )}
      {layer === 'codes' && (
        <ConfirmAct
          act={renew}
          on={undefined}
          title={t('totp.newCodesTitle')}
          action={t('totp.newCodesAction')}
          onDone={setCodes}
          onClose={() => setLayer(null)}
        >
          {t('totp.newCodesText')}
        </ConfirmAct>
      )}
      {codes && (
        <SecretOnce title={t('totp.codesTitle')} description={t('totp.codesText')} secret={codes} onSaved={() => setCodes(null)} />
      )}
    </Card>
  )
}

function PasskeysCard() {
  const { t } = useI18n()
  const list = usePasskeys()
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Passkey | null>(null)
  return (
    <Card
      title={t('passkeys.title')}
      action={
        canUsePasskeys() && (
          <Button size="sm" icon={Plus} onClick={() => setAdding(true)}>
            {t('passkeys.add')}
          </Button>
        )
      }
    >
      <p className="mb-3 text-sm text-ink-2">{canUsePasskeys() ? t('passkeys.text') : t('passkeys.unsupported')}</p>
      <QueryState {...list} isEmpty={list.rows.length === 0} empty={<p className="text-sm text-ink-3">{t('passkeys.none')}</p>}>
        <ul aria-label={t('passkeys.title')} className="divide-y divide-line">
          {list.rows.map((row) => (
            <li key={row.id} className="flex items-center gap-3 py-2">
              <KeyRound aria-hidden className="size-4.5 shrink-0 text-ink-3" />
              <div className="min-w-0 flex-1 text-sm">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  {row.name}
                  {row.synced && <Badge>{t('passkeys.synced')}</Badge>}
                </p>
                <p className="text-sm text-ink-3">
                  {row.last_used_at ? t('passkeys.used', { ago: formatAgo(row.last_used_at) }) : t('passkeys.added', { date: formatDateTime(row.created_at) })}
                </p>
              </div>
              <IconButton icon={Trash2} tone="danger" label={t('passkeys.removeOne', { name: row.name })} onClick={() => setDoomed(row)} />
            </li>
          ))}
        </ul>
      </QueryState>
      {adding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
      {doomed && <RemovePasskey row={doomed} onClose={() => setDoomed(null)} />}
    </Card>
  )
}

function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddPasskey()
  const cancelled = wasCancelled(add.error)

  function submit(data: FormData) {
    add.mutate(textOf(data, 'name') || t('passkeys.defaultName'), {
      onSuccess: () => {
        toast('ok', t('passkeys.addedToast'))
        onClose()
      },
    })
  }

  return (
    <FormDialog
      title={t('passkeys.add')}
      description={t('passkeys.addLead')}
      action={t('passkeys.go')}
      busy={add.isPending}
      error={add.error}
      fields={['name']}
      said={cancelled}
      onSubmit={submit}
      onClose={onClose}
    >
      {cancelled && <Notice tone="warn">{t('passkeys.cancelled')}</Notice>}
      <Field label={t('passkeys.name')} hint={t('passkeys.nameHint')} error={fieldText(add.error, 'name')}>
        <Input name="name" autoComplete="off" placeholder={t('passkeys.defaultName')} maxLength={100} />
      </Field>
    </FormDialog>
  )
}

function RemovePasskey({ row, onClose }: { row: Passkey; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDropPasskey()}
      on={row.id}
      title={t('passkeys.removeTitle')}
      action={t('passkeys.remove')}
      done={t('passkeys.removed', { name: row.name })}
      onClose={onClose}
    >
      {t('passkeys.removeText', { name: row.name })}
    </ConfirmAct>
  )
}

function PasswordCard() {
  const { t } = useI18n()
  const me = useMe()
  const change = useChangePassword()
  const form = useFocusOnError(change.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const target = event.currentTarget
    const data = new FormData(target)
    change.mutate(
      { current_password: String(data.get('current_password') ?? ''), new_password: String(data.get('new_password') ?? '') },
      {
        onSuccess: () => {
          target.reset()
          toast('ok', t('password.changed'), t('password.changedDetail'))
        },
      },
    )
  }

  const wrong = asApiError(change.error)?.code === 'wrong_password' ? errorText(change.error) : null
  return (
    <Card title={t('password.title')}>
      <p className="mb-4 text-sm text-ink-2">{t('password.text')}</p>
      {change.error && !wrong && !isAboutFields(change.error, ['current_password', 'new_password']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(change.error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <input type="hidden" name="username" autoComplete="username" value={me.user.email} readOnly />
        <Field label={t('password.current')} error={wrong ?? fieldText(change.error, 'current_password')}>
          <Input name="current_password" type="password" autoComplete="current-password" required />
        </Field>
        <NewPassword name="new_password" label={t('reset.password')} error={change.error} short={me.user.two_factor} />
        <div>
          <Button type="submit" look="primary" busy={change.isPending}>
            {t('password.change')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
