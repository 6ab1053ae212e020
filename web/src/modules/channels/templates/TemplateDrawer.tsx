import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { languageName } from '@/lib/languageName'
import { Button, IconButton } from '@/ui/Button'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import type { Account } from '../channels'
import { componentsOf, draftOf, freshButton, placeOf, type ButtonDraft, type Draft, type HeaderKind } from './draft'
import { nextVariable, variablesIn } from './fill'
import { TemplatePreview } from './TemplatePreview'
import { categories, useSample, useSaveTemplate, type Category, type Template, type TemplateButton } from './templates'

/** The problems of a part, as texts for its author. */
const complaints: Record<string, PlainKey> = {
  sample_missing: 'templates.wrong.sample',
  invalid_variable: 'templates.wrong.variable',
  variable_at_edge: 'templates.wrong.edge',
  too_many_variables: 'templates.wrong.oneVariable',
  no_variables: 'templates.wrong.noVariables',
  one_line: 'templates.wrong.oneLine',
  too_many_lines: 'templates.wrong.lines',
  too_many: 'templates.wrong.buttons',
  invalid_address: 'templates.wrong.address',
  invalid_name: 'templates.wrong.name',
  invalid_language: 'templates.wrong.language',
}

const languages = ['tr', 'en', 'en_US', 'de', 'fr', 'ar', 'ru'] as const
const headers: Record<HeaderKind, PlainKey> = {
  NONE: 'templates.header.none',
  TEXT: 'templates.header.text',
  IMAGE: 'templates.header.image',
  VIDEO: 'templates.header.video',
  DOCUMENT: 'templates.header.document',
  LOCATION: 'templates.header.location',
}
const buttonKinds = {
  QUICK_REPLY: 'templates.button.reply',
  URL: 'templates.button.url',
  PHONE_NUMBER: 'templates.button.phone',
  COPY_CODE: 'templates.button.copyCode',
} as const satisfies Partial<Record<TemplateButton['type'], PlainKey>>
const maxButtons = 10

interface TemplateDrawerProps {
  template: Template | null
  numbers: readonly Account[]
  onClose: () => void
}

/**
 * Edits a template part by part, with a preview for the customer below; the provider reviews it.
 */
export function TemplateDrawer({ template, numbers, onClose }: TemplateDrawerProps) {
  const { t } = useI18n()
  const [draft, setDraft] = useState(() => draftOf(template))
  const [account, setAccount] = useState(template?.channel_account_id ?? numbers[0]?.id ?? '')
  const [keep, setKeep] = useState(false)
  const save = useSaveTemplate(template)
  const { error } = save
  const named = template?.parameter_format === 'NAMED'
  const components = componentsOf(draft, named)
  const body = placeOf(components, 'BODY')
  const locked = template !== null && !template.editable
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const wrong = (field: string) => fieldText(error, field, complaints)
  const names = variablesIn(draft.body)
  const code = draft.category === 'AUTHENTICATION'
  const isDraft = template === null || template.status === 'DRAFT'

  function submit(data: FormData) {
    save.mutate(
      {
        channel_account_id: account,
        name: textOf(data, 'name'),
        language: textOf(data, 'language'),
        category: draft.category,
        components,
        draft: isDraft && keep,
      },
      {
        onSuccess: (saved) => {
          toast('ok', t(saved.status === 'DRAFT' ? 'templates.kept' : 'templates.submitted', { name: saved.name }))
          onClose()
        },
      },
    )
  }

  return (
    <FormDrawer
      title={template ? template.name : t('templates.add')}
      description={template ? t('templates.editLead') : t('templates.addLead')}
      action={isDraft && keep ? t('common.save') : t('templates.submit')}
      busy={save.isPending}
      disabled={locked || account === ''}
      error={error}
      fields={fieldsOf(error)}
      onSubmit={submit}
      onClose={onClose}
      before={locked && <Notice tone="warn" className="mb-4">{t('templates.lockedText')}</Notice>}
    >
      {numbers.length > 1 && !template && (
        <Field label={t('templates.number')} error={wrong('channel_account_id')}>
          <Select value={account} onChange={(event) => setAccount(event.target.value)}>
            {numbers.map((number) => (
              <option key={number.id} value={number.id}>
                {number.name}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <div className="grid gap-4.5 sm:grid-cols-[2fr_1fr]">
        <Field label={t('templates.name')} hint={t('templates.nameHint')} error={wrong('name')}>
          <Input name="name" autoComplete="off" spellCheck={false} maxLength={512} defaultValue={template?.name} readOnly={template !== null} className="font-mono" />
        </Field>
        <Field label={t('templates.language')} error={wrong('language')}>
          {template ? (
            <Input name="language" readOnly defaultValue={template.language} />
          ) : (
            <Select name="language" defaultValue="tr">
              {languages.map((value) => (
                <option key={value} value={value}>
                  {languageName(value)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Field label={t('templates.category')} hint={t(hints[draft.category])} error={wrong('category')}>
        <Select value={draft.category} onChange={(event) => change({ category: event.target.value as Category })}>
          {(Object.keys(categories) as Category[]).map((value) => (
            <option key={value} value={value}>
              {t(categories[value])}
            </option>
          ))}
        </Select>
      </Field>
      {code ? (
        <>
          <Checkbox label={t('templates.advice')} checked={draft.advice} onChange={(event) => change({ advice: event.target.checked })} />
          <Field label={t('templates.minutes')} optional error={wrong(`${placeOf(components, 'FOOTER')}.code_expiration_minutes`)}>
            <Input type="number" min={1} max={90} value={draft.minutes} onChange={(event) => change({ minutes: event.target.value })} />
          </Field>
        </>
      ) : (
        <>
          <HeaderFields draft={draft} at={placeOf(components, 'HEADER')} account={account} wrong={wrong} onChange={change} />
          <Field label={t('templates.body')} hint={t('templates.bodyHint')} error={wrong(`${body}.text`) ?? wrong('components')}>
            <Textarea name="body" rows={5} maxLength={1024} value={draft.body} onChange={(event) => change({ body: event.target.value })} />
          </Field>
          {!named && (
            <Button size="sm" icon={Plus} className="self-start" onClick={() => change({ body: `${draft.body}{{${nextVariable(draft.body)}}}` })}>
              {t('templates.addVariable')}
            </Button>
          )}
          {names.map((name, index) => (
            <Field key={name} label={t('templates.sample', { name })} error={index === firstMissing(names, draft.samples) ? wrong(`${body}.example`) : null}>
              <Input name={`sample.${name}`} autoComplete="off" value={draft.samples[name] ?? ''} onChange={(event) => change({ samples: { ...draft.samples, [name]: event.target.value } })} />
            </Field>
          ))}
          <Field label={t('templates.footer')} optional error={wrong(`${placeOf(components, 'FOOTER')}.text`)}>
            <Input name="footer" maxLength={60} value={draft.footer} onChange={(event) => change({ footer: event.target.value })} />
          </Field>
          <ButtonFields buttons={draft.buttons} at={placeOf(components, 'BUTTONS')} wrong={wrong} onChange={(buttons) => change({ buttons })} />
        </>
      )}
      <div>
        <h3 className="mb-2 text-sm font-semibold">{t('templates.preview')}</h3>
        <TemplatePreview components={components} header={[draft.headerSample]} body={code ? [t('templates.codeText')] : names.map((name) => draft.samples[name] ?? '')} />
      </div>
      {isDraft && <Checkbox label={t('templates.keep')} detail={t('templates.keepHint')} checked={keep} onChange={(event) => setKeep(event.target.checked)} />}
    </FormDrawer>
  )
}

const hints = {
  UTILITY: 'templates.categoryHint.utility',
  MARKETING: 'templates.categoryHint.marketing',
  AUTHENTICATION: 'templates.categoryHint.authentication',
} as const satisfies Record<Category, PlainKey>

/** The server names parts by their position; each error is shown at its field. */
function fieldsOf(error: unknown): string[] {
  const { fields } = (error ?? {}) as { fields?: Record<string, unknown> }
  return Object.keys(fields ?? {})
}

function firstMissing(names: readonly string[], samples: Record<string, string>): number {
  return Math.max(0, names.findIndex((name) => !samples[name]?.trim()))
}

interface HeaderFieldsProps {
  draft: Draft
  at: string
  account: string
  wrong: (field: string) => string | null
  onChange: (part: Partial<Draft>) => void
}

function HeaderFields({ draft, at, account, wrong, onChange }: HeaderFieldsProps) {
  const { t } = useI18n()
  const sample = useSample(account)
  const picker = useRef<HTMLInputElement>(null)
  const withFile = draft.header === 'IMAGE' || draft.header === 'VIDEO' || draft.header === 'DOCUMENT'

  function upload(file: File | undefined) {
    if (file) sample.mutate(file, { onSuccess: ({ handle }) => onChange({ headerHandle: handle }) })
  }

  return (
    <>
      <Field label={t('templates.header')} error={wrong(`${at}.format`)}>
        <Select value={draft.header} onChange={(event) => onChange({ header: event.target.value as HeaderKind, headerHandle: '' })}>
          {(Object.keys(headers) as HeaderKind[]).map((value) => (
            <option key={value} value={value}>
              {t(headers[value])}
            </option>
          ))}
        </Select>
      </Field>
      {draft.header === 'TEXT' && (
        <Field label={t('templates.headerText')} error={wrong(`${at}.text`)}>
          <Input name="header" maxLength={60} value={draft.headerText} onChange={(event) => onChange({ headerText: event.target.value })} />
        </Field>
      )}
      {draft.header === 'TEXT' && variablesIn(draft.headerText).length > 0 && (
        <Field label={t('templates.headerSample')} error={wrong(`${at}.example`)}>
          <Input name="headerSample" value={draft.headerSample} onChange={(event) => onChange({ headerSample: event.target.value })} />
        </Field>
      )}
      {withFile && (
        <div className="flex flex-col gap-1.5 text-sm">
          <input
            ref={picker}
            type="file"
            hidden
            accept={draft.header === 'IMAGE' ? 'image/jpeg,image/png' : draft.header === 'VIDEO' ? 'video/mp4' : 'application/pdf'}
            aria-label={t('templates.sampleFile')}
            onChange={(event) => {
              upload(event.target.files?.[0])
              event.target.value = ''
            }}
          />
          <div className="flex flex-wrap items-center gap-3">
            <Button size="sm" busy={sample.isPending} disabled={account === ''} onClick={() => picker.current?.click()}>
              {t('templates.sampleFile')}
            </Button>
            <span role="status" className="text-sm text-ink-2">
              {draft.headerHandle ? (sample.data ? t('templates.sampleReady', { name: sample.data.name }) : t('templates.sampleThere')) : t('templates.sampleFileHint')}
            </span>
          </div>
          {(sample.error != null || wrong(`${at}.example.header_handle`)) && (
            <p role="alert" className="text-sm text-danger-ink">
              {sample.error ? errorText(sample.error) : t('templates.wrong.file')}
            </p>
          )}
        </div>
      )}
    </>
  )
}

interface ButtonFieldsProps {
  buttons: ButtonDraft[]
  at: string
  wrong: (field: string) => string | null
  onChange: (buttons: ButtonDraft[]) => void
}

function ButtonFields({ buttons, at, wrong, onChange }: ButtonFieldsProps) {
  const { t } = useI18n()
  const change = (button: ButtonDraft, part: Partial<ButtonDraft>) => onChange(buttons.map((other) => (other === button ? { ...button, ...part } : other)))
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line px-4 py-3">
      <legend className="px-1 text-sm font-semibold">{t('templates.buttons')}</legend>
      {buttons.map((button, index) => {
        const place = `${at}.buttons.${index}`
        const name = t('templates.buttonNumber', { number: index + 1 })
        return (
          <div key={button.key} role="group" aria-label={name} className="flex flex-col gap-2.5 border-b border-line pb-3">
            <div className="flex items-end gap-2">
              <Field label={name} error={wrong(`${place}.type`)} className="min-w-0 flex-1">
                <Select value={button.type} onChange={(event) => change(button, { type: event.target.value as TemplateButton['type'] })}>
                  {Object.entries(buttonKinds).map(([value, label]) => (
                    <option key={value} value={value}>
                      {t(label)}
                    </option>
                  ))}
                </Select>
              </Field>
              <IconButton icon={X} label={t('templates.removeButton', { number: index + 1 })} onClick={() => onChange(buttons.filter((other) => other !== button))} />
            </div>
            {button.type !== 'COPY_CODE' && (
              <Field label={t('templates.buttonText')} error={wrong(`${place}.text`)}>
                <Input maxLength={25} value={button.text} onChange={(event) => change(button, { text: event.target.value })} />
              </Field>
            )}
            {button.type !== 'QUICK_REPLY' && (
              <Field
                label={t(button.type === 'URL' ? 'templates.buttonUrl' : button.type === 'PHONE_NUMBER' ? 'templates.buttonPhone' : 'templates.buttonCode')}
                hint={button.type === 'URL' ? t('templates.buttonUrlHint') : undefined}
                error={wrong(`${place}.${button.type === 'URL' ? 'url' : button.type === 'PHONE_NUMBER' ? 'phone_number' : 'example'}`)}
              >
                <Input value={button.target} onChange={(event) => change(button, { target: event.target.value })} />
              </Field>
            )}
            {button.type === 'URL' && variablesIn(button.target).length > 0 && (
              <Field label={t('templates.buttonSample')} error={wrong(`${place}.example`)}>
                <Input value={button.sample} onChange={(event) => change(button, { sample: event.target.value })} />
              </Field>
            )}
          </div>
        )
      })}
      {wrong(`${at}.buttons`) && (
        <p role="alert" className="text-sm text-danger-ink">
          {wrong(`${at}.buttons`)}
        </p>
      )}
      <Button size="sm" icon={Plus} className="self-start" disabled={buttons.length >= maxButtons} onClick={() => onChange([...buttons, freshButton('QUICK_REPLY')])}>
        {t('templates.addButton')}
      </Button>
    </fieldset>
  )
}
