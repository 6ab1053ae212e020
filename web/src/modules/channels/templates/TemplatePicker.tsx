import { useId, useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { filterByRank } from '@/lib/rank'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { partOf, samplesOf, type Values } from './fill'
import { TemplatePreview } from './TemplatePreview'
import { categories, type Category, type Template } from './templates'

/** The server's errors about the filled-in values. */
const complaints: Record<string, PlainKey> = { required: 'templates.valueMissing', one_line: 'templates.valueOneLine', too_long: 'field.tooLong' }

interface TemplatePickerProps {
  templates: readonly Template[]
  chosen: Template | null
  values: Values
  error: unknown
  onChoose: (template: Template | null) => void
  onChange: (values: Values) => void
}

/** Finds, chooses and fills in an approved template, with a preview for the customer next to it. */
export function TemplatePicker({ templates, chosen, values, error, onChoose, onChange }: TemplatePickerProps) {
  const { t } = useI18n()
  const group = useId()
  const [text, setText] = useState('')
  if (chosen) {
    return (
      <div className="flex flex-col gap-4.5">
        <div className="flex flex-wrap items-center gap-2">
          <Title template={chosen} />
          <Button size="sm" look="ghost" className="ml-auto" onClick={() => onChoose(null)}>
            {t('templates.other')}
          </Button>
        </div>
        <ValueFields template={chosen} values={values} error={error} onChange={onChange} />
        <TemplatePreview components={chosen.components} header={values.header} body={values.body} />
      </div>
    )
  }
  const found = filterByRank(templates, text, (one) => `${one.name} ${one.language} ${partOf(one.components, 'BODY')?.text ?? ''}`)
  return (
    <div className="flex flex-col gap-3">
      <Input type="search" aria-label={t('templates.search')} placeholder={t('templates.search')} value={text} onChange={(event) => setText(event.target.value)} />
      <ul aria-label={t('templates.title')} className="flex max-h-80 flex-col gap-1.5 overflow-y-auto">
        {found.map((template) => (
          <li key={template.id}>
            <button
              type="button"
              aria-describedby={`${group}-${template.id}`}
              onClick={() => onChoose(template)}
              className="flex w-full flex-col gap-1 rounded-md border border-line px-3 py-2.5 text-left text-sm hover:bg-sunken"
            >
              <Title template={template} />
              <span id={`${group}-${template.id}`} className="line-clamp-2 text-sm text-ink-2">
                {partOf(template.components, 'BODY')?.text}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="text-sm text-ink-2">{templates.length > 0 ? t('templates.noneFound') : t('templates.noneSendable')}</p>}
    </div>
  )
}

function Title({ template }: { template: Template }) {
  const { t } = useI18n()
  const category = categories[template.category as Category] as PlainKey | undefined
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="font-medium break-all">{template.name}</span>
      <Badge>{template.language}</Badge>
      <span className="text-sm text-ink-2">{category ? t(category) : template.category}</span>
    </span>
  )
}

interface ValueFieldsProps {
  template: Template
  values: Values
  error: unknown
  onChange: (values: Values) => void
}

/** A field for each variable; the reviewer's sample shows what belongs there. */
function ValueFields({ template, values, error, onChange }: ValueFieldsProps) {
  const { t } = useI18n()
  const { variables, components } = template
  const headerSamples = samplesOf(partOf(components, 'HEADER'), variables.header)
  const bodySamples = samplesOf(partOf(components, 'BODY'), variables.body)
  const hint = (sample: string | undefined) => (sample ? t('templates.sampleHint', { sample }) : undefined)
  const withAt = (list: readonly string[], at: number, value: string) => Array.from({ length: Math.max(list.length, at + 1) }, (_, index) => (index === at ? value : (list[index] ?? '')))
  return (
    <>
      {variables.header_media && (
        <Field label={t('templates.mediaAddress')} hint={t('templates.mediaHint')} error={fieldText(error, 'header_media', { required: 'templates.mediaMissing' })}>
          <Input name="header_media" type="url" autoComplete="off" value={values.media} onChange={(event) => onChange({ ...values, media: event.target.value })} placeholder="https://example.com/" />
        </Field>
      )}
      {variables.header_media === 'DOCUMENT' && (
        <Field label={t('templates.fileName')} optional error={fieldText(error, 'header_filename')}>
          <Input name="header_filename" autoComplete="off" value={values.fileName} onChange={(event) => onChange({ ...values, fileName: event.target.value })} />
        </Field>
      )}
      {variables.header.map((name, index) => (
        <Field key={name} label={t('templates.headerValue', { name })} hint={hint(headerSamples[index])} error={fieldText(error, `header.${index}`, complaints)}>
          <Input name={`header.${index}`} autoComplete="off" value={values.header[index] ?? ''} onChange={(event) => onChange({ ...values, header: withAt(values.header, index, event.target.value) })} />
        </Field>
      ))}
      {variables.body.map((name, index) => (
        <Field key={name} label={t('templates.bodyValue', { name })} hint={hint(bodySamples[index])} error={fieldText(error, `body.${index}`, complaints)}>
          <Input name={`body.${index}`} autoComplete="off" value={values.body[index] ?? ''} onChange={(event) => onChange({ ...values, body: withAt(values.body, index, event.target.value) })} />
        </Field>
      ))}
      {variables.buttons.map((button) => (
        <Field
          key={button.index}
          label={t(button.type === 'URL' ? 'templates.urlValue' : 'templates.codeValue', { name: button.text || t('templates.button.copyCode') })}
          error={fieldText(error, `buttons.${button.index}`, complaints)}
        >
          <Input
            name={`buttons.${button.index}`}
            autoComplete="off"
            value={values.buttons[button.index] ?? ''}
            onChange={(event) => onChange({ ...values, buttons: { ...values.buttons, [button.index]: event.target.value } })}
          />
        </Field>
      ))}
    </>
  )
}
