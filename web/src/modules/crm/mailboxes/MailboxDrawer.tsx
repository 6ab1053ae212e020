import { lazy, Suspense, useId, useState, type FormEvent } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { formatAgo, useI18n, withTexts, type PlainKey } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { CodeBlock } from '@/ui/CodeBlock'
import { Drawer } from '@/ui/Dialog'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import { Skeleton } from '@/ui/Skeleton'
import { Step } from '@/ui/Step'
import { toast } from '@/ui/Toast'
import {
  useMailbox,
  useSaveMailbox,
  useTestMailbox,
  type Mailbox,
  type MailboxBody,
  type ServerBody,
  type Trial,
} from './mailboxes'
import { SenderVerification } from './SenderVerification'

const InboundTest = lazy(() => withTexts(() => import('../../channels/InboundTest'), 'channels')().then((m) => ({ default: m.InboundTest })))

interface Props {
  /** The mailbox to show, or null to create one. */
  id: string | null
  canManage: boolean
  onClose: () => void
  onMade: (id: string) => void
}

export function MailboxDrawer({ id, ...rest }: Props) {
  return id ? <Existing key={id} id={id} {...rest} /> : <MailboxForm start={null} {...rest} />
}

function Existing({ id, ...rest }: Props & { id: string }) {
  const { t } = useI18n()
  const one = useMailbox(id)
  if (one.data) return <MailboxForm start={one.data} {...rest} />
  return (
    <Drawer open onOpenChange={rest.onClose} title={t('mailboxes.change')} description={t('mailboxes.changeLead')}>
      {one.error ? <Notice tone="danger">{errorText(one.error)}</Notice> : <Skeleton className="h-40" />}
    </Drawer>
  )
}

const shown = ['name', 'address', 'imap.host', 'imap.port', 'imap.password', 'smtp.host', 'smtp.port', 'smtp.password', 'auto_reply', 'sender_name']

function MailboxForm({ start, canManage, onClose, onMade }: Omit<Props, 'id'> & { start: Mailbox | null }) {
  const { t } = useI18n()
  const formId = useId()
  const save = useSaveMailbox(start?.id ?? null)
  const test = useTestMailbox()
  const form = useFocusOnError(save.error)
  const [fetches, setFetches] = useState(start?.imap != null)
  const [sends, setSends] = useState(start?.smtp != null)

  function read(element: HTMLFormElement): MailboxBody {
    const data = new FormData(element)
    return {
      name: textOf(data, 'name'),
      address: start?.address ?? textOf(data, 'address'),
      sender_name: textOf(data, 'sender_name') || undefined,
      auto_reply: textOf(data, 'auto_reply') || undefined,
      group_id: start?.group_id ?? undefined,
      continue_open: data.get('continue_open') === 'on',
      subject_token: data.get('subject_token') === 'on',
      imap: fetches ? serverOf(data, 'imap') : undefined,
      smtp: sends ? serverOf(data, 'smtp') : undefined,
    }
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    save.mutate(read(event.currentTarget), {
      onSuccess: (box) => {
        toast('ok', t('mailboxes.saved', { name: box.name }))
        if (start) onClose()
        else onMade(box.id)
      },
    })
  }

  function tryNow() {
    if (!form.current) return
    const { imap, smtp } = read(form.current)
    test.mutate({ id: start?.id, imap, smtp })
  }

  const taken = asApiError(save.error)?.code === 'conflict' ? t('mailboxes.taken') : null
  return (
    <Drawer
      open
      asks
      onOpenChange={onClose}
      title={start ? t('mailboxes.change') : t('mailboxes.add')}
      description={start ? t('mailboxes.changeLead') : t('mailboxes.addLead')}
      footer={
        canManage && (
          <>
            {(fetches || sends) && (
              <Button onClick={tryNow} busy={test.isPending} className="mr-auto">
                {t('mailboxes.test')}
              </Button>
            )}
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button look="primary" type="submit" form={formId} busy={save.isPending}>
              {start ? t('common.save') : t('mailboxes.addAction')}
            </Button>
          </>
        )
      }
    >
      {start && <SenderVerification box={start} canManage={canManage} />}
      {start && canManage && (
        <Suspense fallback={<Skeleton className="mb-5 h-24" />}>
          <InboundTest id={start.id} />
        </Suspense>
      )}
      {save.error && !taken && !isAboutFields(save.error, shown) && (
        <Notice tone="danger" className="mb-4">
          {errorText(save.error)}
        </Notice>
      )}
      <form
        id={formId}
        ref={form}
        onSubmit={submit}
        noValidate
        className="flex flex-col gap-4"
      >
        <Step number={1} title={t('mailboxes.step1')}>
          <Field label={t('mailboxes.name')} error={fieldText(save.error, 'name')}>
            <Input name="name" autoComplete="off" defaultValue={start?.name} required />
          </Field>
          <Field label={t('mailboxes.address')} hint={t('mailboxes.addressHint')} error={taken ?? fieldText(save.error, 'address')}>
            <Input name="address" type="email" autoComplete="off" defaultValue={start?.address} disabled={start !== null} required />
          </Field>
          <Field label={t('mailboxes.sender')} hint={t('mailboxes.senderHint')} optional error={fieldText(save.error, 'sender_name')}>
            <Input name="sender_name" autoComplete="off" defaultValue={start?.sender_name} />
          </Field>
        </Step>
        <Step number={2} title={t('mailboxes.step2')} text={start ? t('mailboxes.step2Text') : t('mailboxes.step2New')}>
          {start && <Where box={start} />}
          <Checkbox label={t('mailboxes.imap')} detail={t('mailboxes.imapHint')} checked={fetches} onChange={(event) => setFetches(event.target.checked)} />
          {fetches && <ServerFields of="imap" start={start?.imap ?? null} known={start !== null} error={save.error ?? test.error} trial={test.data?.imap ?? null} />}
        </Step>
        <Step number={3} title={t('mailboxes.step3')} text={t('mailboxes.step3Text')}>
          <Checkbox label={t('mailboxes.smtp')} detail={t('mailboxes.smtpHint')} checked={sends} onChange={(event) => setSends(event.target.checked)} />
          {sends && <ServerFields of="smtp" start={start?.smtp ?? null} known={start !== null} error={save.error ?? test.error} trial={test.data?.smtp ?? null} />}
        </Step>
        {test.error && !isAboutFields(test.error, shown) && <Notice tone="danger">{errorText(test.error)}</Notice>}
        <Step number={4} title={t('mailboxes.step4')}>
          <Field label={t('mailboxes.autoReply')} hint={t('mailboxes.autoReplyHint')} optional error={fieldText(save.error, 'auto_reply')}>
            <Textarea name="auto_reply" defaultValue={start?.auto_reply} />
          </Field>
          <Checkbox name="continue_open" label={t('mailboxes.continue')} detail={t('mailboxes.continueHint')} defaultChecked={start?.continue_open} />
          <Checkbox name="subject_token" label={t('mailboxes.token')} detail={t('mailboxes.tokenHint')} defaultChecked={start?.subject_token} />
        </Step>
      </form>
    </Drawer>
  )
}

function serverOf(data: FormData, of: 'imap' | 'smtp'): ServerBody {
  return {
    host: textOf(data, `${of}_host`),
    port: Number(textOf(data, `${of}_port`)) || 0,
    security: textOf(data, `${of}_security`) as ServerBody['security'],
    user: textOf(data, `${of}_user`),
    password: textOf(data, `${of}_password`) || undefined,
    folder: of === 'imap' ? textOf(data, 'imap_folder') || undefined : undefined,
  }
}

/** The mailbox's addresses, and the result of its last poll. */
function Where({ box }: { box: Mailbox }) {
  const { t } = useI18n()
  return (
    <div className="flex flex-col gap-3">
      {box.forwarding_address && (
        <div>
          <CodeBlock label={t('mailboxes.forward')} code={box.forwarding_address} />
          <p className="mt-1.5 text-sm text-ink-3">{t('mailboxes.forwardHint')}</p>
        </div>
      )}
      {box.last_error && (
        <Notice tone="warn">
          {t('mailboxes.pollFailed')} {box.last_error}
        </Notice>
      )}
      {box.last_poll_at && !box.last_error && <p className="text-sm text-ink-3">{t('mailboxes.polled', { ago: formatAgo(box.last_poll_at) })}</p>}
    </div>
  )
}

interface ServerProps {
  of: 'imap' | 'smtp'
  start: Mailbox['imap']
  known: boolean
  error: unknown
  trial: Trial | null
}

const ports = { imap: '993', smtp: '465' } as const

function ServerFields({ of, start, known, error, trial }: ServerProps) {
  const { t } = useI18n()
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-semibold">{of === 'imap' ? 'IMAP' : 'SMTP'}</legend>
      <div className="grid gap-3 sm:grid-cols-[1fr_7rem]">
        <Field label={t('mailboxes.host')} error={fieldText(error, `${of}.host`, { invalid_host: 'mailboxes.hostInvalid' })}>
          <Input name={`${of}_host`} autoComplete="off" spellCheck={false} defaultValue={start?.host} />
        </Field>
        <Field label={t('mailboxes.port')} error={fieldText(error, `${of}.port`)}>
          <Input name={`${of}_port`} inputMode="numeric" defaultValue={start ? String(start.port) : ports[of]} />
        </Field>
      </div>
      <Field label={t('mailboxes.security')}>
        <Select name={`${of}_security`} defaultValue={start?.security ?? 'tls'}>
          <option value="tls">TLS</option>
          <option value="starttls">STARTTLS</option>
          <option value="none">{t('mailboxes.security.none')}</option>
        </Select>
      </Field>
      <Field label={t('mailboxes.user')}>
        <Input name={`${of}_user`} autoComplete="off" spellCheck={false} defaultValue={start?.user} />
      </Field>
      <Field
        label={t('mailboxes.password')}
        hint={known && start ? t('mailboxes.passwordKept') : undefined}
        error={fieldText(error, `${of}.password`, { password_needed: 'mailboxes.passwordNeeded' })}
      >
        <Input name={`${of}_password`} type="password" autoComplete="new-password" />
      </Field>
      {of === 'imap' && (
        <Field label={t('mailboxes.folder')} optional>
          <Input name="imap_folder" autoComplete="off" defaultValue={start?.folder ?? 'INBOX'} />
        </Field>
      )}
      {trial && <Outcome trial={trial} />}
    </fieldset>
  )
}

const classes: Record<Trial['class'], PlainKey> = {
  '': 'mailboxes.trial.protocol',
  dns: 'mailboxes.trial.dns',
  connect: 'mailboxes.trial.connect',
  tls: 'mailboxes.trial.tls',
  timeout: 'mailboxes.trial.timeout',
  refused_address: 'mailboxes.trial.refused',
  sign_in: 'mailboxes.trial.signIn',
  folder: 'mailboxes.trial.folder',
  protocol: 'mailboxes.trial.protocol',
}

function Outcome({ trial }: { trial: Trial }) {
  const { t } = useI18n()
  if (trial.ok) return <Notice tone="ok">{t('mailboxes.trial.ok')}</Notice>
  return (
    <Notice tone="danger">
      {t(classes[trial.class])} <span className="break-words text-sm">{trial.message}</span>
    </Notice>
  )
}
