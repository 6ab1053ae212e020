import { flushSync } from 'react-dom'
import { useEffect, useId, useRef, useState, type FormEvent, type KeyboardEvent } from 'react'
import { useCapabilities } from '@/api/capabilities'
import { ApiError, asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { fieldNames, noValues, toSend } from '@/modules/channels/templates/fill'
import { TemplatePicker } from '@/modules/channels/templates/TemplatePicker'
import { useTemplates, type Template } from '@/modules/channels/templates/templates'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { Field, Input, Select, Textarea } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { toast } from '@/ui/Toast'
import { ContactPicker } from '../contacts/ContactPicker'
import type { Contact } from '../contacts/contacts'
import { useBegin, useWriteDown, type Begun } from './begin'
import { channelName } from './channels'
import { useSources } from './conversations'
import { failureText } from './failures'
import { FormatBar } from './FormatBar'
import { applyFormat, formatByKey, linkByPaste, selectionOf, type, type Format } from './formatting'
import { useSignature } from './signature'
import { SignatureDialog } from './SignatureDialog'

const deliveries: Record<string, PlainKey> = {
  sent: 'inbox.begun.sent',
  queued: 'inbox.begun.queued',
  failed: 'inbox.begun.failed',
  none: 'inbox.begun.none',
}

type Source = NonNullable<ReturnType<typeof useSources>['data']>[number]

function byConnection(sources: readonly Source[]): Source[] {
  return [...sources].sort((a, b) => Number(b.connected) - Number(a.connected))
}

/** The server prefixes the template's fields here; this removes the prefix. */
function atTemplate(error: unknown): unknown {
  const refused = asApiError(error)
  if (!refused) return error
  const fields = Object.fromEntries(Object.entries(refused.fields).map(([name, codes]) => [name.replace(/^template\./, ''), codes]))
  return new ApiError({ status: refused.status, code: refused.code, message: refused.message, fields })
}

interface NewConversationProps {
  /** The contact, if already known. */
  start?: Contact
  onClose: () => void
  onBegun: (id: string) => void
}

export function NewConversation({ start, onClose, onBegun }: NewConversationProps) {
  const { t } = useI18n()
  const formId = useId()
  const [mode, setMode] = useState<'write' | 'down'>('write')
  const [contact, setContact] = useState<Contact | null>(start ?? null)
  const [missing, setMissing] = useState(false)
  const sources = useSources().data?.filter((source) => source.messaging || source.key === 'email') ?? []
  const [channel, setChannel] = useState('')
  const picked = channel || (byConnection(sources)[0]?.key ?? '')
  const canUse = meets(useMe(), { permission: 'crm.templates.view' })
  const hasTemplates = useCapabilities().data?.find((kind) => kind.kind === picked)?.templates === true
  // A customer who has not written recently can be reached only with an approved template.
  const [plain, setPlain] = useState(false)
  const templated = mode === 'write' && hasTemplates && canUse
  const byTemplate = templated && !plain
  const { rows: templates, more } = useTemplates({}, byTemplate)
  const [template, setTemplate] = useState<Template | null>(null)
  const [values, setValues] = useState(noValues)
  const [text, setText] = useState('')
  const area = useRef<HTMLTextAreaElement>(null)
  const byMail = mode === 'write' && picked === 'email' && !byTemplate
  const signature = useSignature(byMail)
  const [unsigned, setUnsigned] = useState(false)
  const [editingSignature, setEditingSignature] = useState(false)
  const signed = byMail && !unsigned && signature.text !== ''
  const begin = useBegin()
  const down = useWriteDown()
  const error = mode === 'write' ? begin.error : down.error
  const form = useFocusOnError(error)

  // All templates are loaded, because the picker searches among them.
  useEffect(() => {
    if (byTemplate && more && !more.loading) more.load()
  }, [byTemplate, more])

  const filledError = atTemplate(error)
  const own = ['subject', 'body', 'channel', ...(byTemplate && template ? fieldNames(template) : [])]

  /** An earlier attempt had reached the server: the list shows the conversation that it created. */
  function before() {
    toast('ok', t('inbox.begun.before'))
    onClose()
  }

  function told(answer: Begun | null) {
    if (!answer) {
      before()
      return
    }
    const fine = answer.delivery === 'sent' || answer.delivery === 'queued'
    const text = deliveries[answer.delivery]
    if (text) toast(fine ? 'ok' : 'danger', t(text), failureText(answer.delivery_error) || (answer.reused ? t('inbox.begun.reused') : undefined))
    onBegun(answer.data.id)
  }

  /**
   * After the choice the focus moves to the next field, which exists once the choice is rendered.
   */
  function choose(next: Contact | null) {
    flushSync(() => setContact(next))
    if (next) form.current?.querySelector<HTMLElement>('[name=subject]')?.focus()
  }

  function onKeyDown(event: KeyboardEvent<HTMLFormElement>) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.currentTarget.requestSubmit()
  }

  function format(wanted: Format) {
    if (area.current) type(area.current, applyFormat(wanted, selectionOf(area.current)))
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setMissing(!contact)
    if (!contact) return
    const data = new FormData(event.currentTarget)
    const about = { contact_id: contact.id, subject: textOf(data, 'subject') }
    if (byTemplate) {
      if (template) begin.mutate({ ...about, channel: picked, channel_account_id: template.channel_account_id, template: toSend(template, values) }, { onSuccess: told })
      return
    }
    const request = { ...about, body: text.trim() }
    if (mode === 'down') {
      down.mutate(request, { onSuccess: (next) => (next ? onBegun(next.id) : before()) })
      return
    }
    begin.mutate({ ...request, channel: picked, ...(byMail && { format: 'markdown', signature: signed }) }, { onSuccess: told })
  }

  return (
    <Drawer
      open
      asks
      refused={error != null}
      onOpenChange={onClose}
      title={t('inbox.new')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={begin.isPending || down.isPending} disabled={byTemplate && !template}>
            {mode === 'write' ? t('inbox.send') : t('inbox.writeDown')}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={submit} onKeyDown={onKeyDown} noValidate className="flex flex-col gap-5">
        {error && !isAboutFields(filledError, own) && <Notice tone="danger">{errorText(error)}</Notice>}
        <ContactPicker label={t('inbox.contact')} chosen={contact} onChoose={choose} error={missing && !contact ? t('inbox.contactMissing') : null} />
        <Segmented
          label={t('inbox.new.mode')}
          value={mode}
          options={[
            { value: 'write', label: t('inbox.new.write') },
            { value: 'down', label: t('inbox.new.down') },
          ]}
          onChange={setMode}
        />
        {mode === 'write' && (
          <Field label={t('inbox.route')} error={fieldText(error, 'channel')}>
            <Select name="channel" value={picked} onChange={(event) => setChannel(event.target.value)}>
              {byConnection(sources).map((source) => (
                <option key={source.key} value={source.key}>
                  {channelName(source.key)}
                  {!source.connected && ` · ${t('inbox.route.notConnected')}`}
                </option>
              ))}
            </Select>
          </Field>
        )}
        <Field label={t('inbox.subject')} optional error={fieldText(error, 'subject')}>
          <Input name="subject" maxLength={300} autoComplete="off" />
        </Field>
        {templated && (
          <Segmented
            label={t('inbox.new.what')}
            value={plain ? 'text' : 'template'}
            options={[
              { value: 'template', label: t('inbox.new.template') },
              { value: 'text', label: t('inbox.new.text') },
            ]}
            onChange={(value) => setPlain(value === 'text')}
          />
        )}
        {byTemplate ? (
          <TemplatePicker
            templates={templates.filter((one) => one.sendable)}
            chosen={template}
            values={values}
            error={filledError}
            onChoose={(next) => {
              setValues(noValues)
              setTemplate(next)
            }}
            onChange={setValues}
          />
        ) : (
          <Field label={mode === 'write' ? t('inbox.message') : t('inbox.request')} error={fieldText(error, 'body')}>
            <Textarea
              ref={area}
              name="body"
              rows={6}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => byMail && formatByKey(event)}
              onPaste={(event) => byMail && linkByPaste(event)}
            />
          </Field>
        )}
        {byMail && (
          <div className="-mt-3">
            <FormatBar text={text} signature={signature} signed={signed} onSign={(next) => setUnsigned(!next)} onEditSignature={() => setEditingSignature(true)} onFormat={format} />
          </div>
        )}
      </form>
      {/* Outside the form: a layer's own form must not submit this one. */}
      {editingSignature && <SignatureDialog signature={signature} onClose={() => setEditingSignature(false)} />}
    </Drawer>
  )
}
