import { useState, type FormEvent } from 'react'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { CodeBlock } from '@/ui/CodeBlock'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { Step } from '@/ui/Step'
import { toast } from '@/ui/Toast'
import { HoursFields } from './HoursFields'
import { InboundTest } from './InboundTest'
import { WidgetPreview } from './WidgetPreview'
import { useSaveWidget, useWidget, type Account, type Look } from './channels'

const fresh: Look = {
  color: '#0b6e4f',
  position: 'right',
  language: 'auto',
  tr: { title: '', greeting: '', away: '' },
  en: { title: '', greeting: '', away: '' },
  prechat: { enabled: false, name_required: false, email_required: false, phone: false },
  origins: [],
}

/** Reads the widget's name and its look from the form. */
function readForm(data: FormData): { name: string; look: Look } {
  const words = (language: string) => ({
    title: textOf(data, `${language}.title`),
    greeting: textOf(data, `${language}.greeting`),
    away: textOf(data, `${language}.away`),
  })
  return {
    name: textOf(data, 'name'),
    look: {
      color: textOf(data, 'color'),
      position: textOf(data, 'position') as Look['position'],
      language: textOf(data, 'language') as Look['language'],
      tr: words('tr'),
      en: words('en'),
      prechat: {
        enabled: data.has('prechat'),
        name_required: data.has('nameRequired'),
        email_required: data.has('emailRequired'),
        phone: data.has('phone'),
      },
      origins: textOf(data, 'origins').split(/\s+/).filter(Boolean),
    },
  }
}

/** A live-chat widget: its look, the sites that may include it, and the line of code for a page. */
export function WidgetDrawer({ account, onClose }: { account: Account | null; onClose: () => void }) {
  const { t } = useI18n()
  const [made, setMade] = useState<string | null>(null)
  const id = account?.id ?? made
  const widget = useWidget(id)
  const save = useSaveWidget(id)
  const look = (account?.settings as Look | undefined) ?? fresh
  const [hours, setHours] = useState(account?.business_hours ?? null)

  const [shown, setShown] = useState({ name: account?.name ?? '', look })

  /** Updates the preview with whatever is typed or chosen. */
  function follow(event: FormEvent<HTMLElement>) {
    const form = event.currentTarget.closest('form')
    if (form) setShown(readForm(new FormData(form)))
  }

  function submit(data: FormData) {
    save.mutate(
      { ...readForm(data), hours },
      {
        onSuccess: (saved) => {
          toast('ok', t('channels.saved'))
          setMade(saved.id)
        },
      },
    )
  }

  return (
    <FormDrawer
      title={account ? account.name : t('channels.addWidget')}
      description={t('channels.widgetLead')}
      action={id ? t('common.save') : t('channels.create')}
      dismiss={t('common.close')}
      busy={save.isPending}
      error={save.error}
      fields={['name', 'origins', 'color', 'look.origins', 'look.color', 'business_hours', 'business_hours.timezone', 'business_hours.spans']}
      onSubmit={submit}
      onClose={onClose}
      after={id && <InboundTest id={id} />}
    >
      <div className="flex flex-col gap-4.5" onInput={follow} onChange={follow}>
        <Step number={1} title={t('channels.step.site')} text={t('channels.step.siteText')}>
          <Field label={t('channels.name')} error={fieldText(save.error, 'name')}>
            <Input name="name" autoComplete="off" defaultValue={account?.name} />
          </Field>
          <Field label={t('channels.origins')} hint={t('channels.originsHint')} error={fieldText(save.error, 'origins', { invalid_origin: 'channels.originsWrong' })}>
            <Textarea name="origins" defaultValue={look.origins.join('\n')} placeholder="https://www.example.com" />
          </Field>
        </Step>
        <Step number={2} title={t('channels.step.look')} text={t('channels.step.lookText')}>
          <div className="grid gap-3 sm:grid-cols-3">
            <Field label={t('channels.color')} error={fieldText(save.error, 'color')}>
              <Input name="color" type="color" className="px-1" defaultValue={look.color} />
            </Field>
            <Field label={t('channels.position')}>
              <Select name="position" defaultValue={look.position}>
                <option value="right">{t('channels.right')}</option>
                <option value="left">{t('channels.left')}</option>
              </Select>
            </Field>
            <Field label={t('channels.language')}>
              <Select name="language" defaultValue={look.language}>
                <option value="auto">{t('channels.languageAuto')}</option>
                <option value="tr">Türkçe</option>
                <option value="en">English</option>
              </Select>
            </Field>
          </div>
          <WidgetPreview look={shown.look} name={shown.name} />
          {(['tr', 'en'] as const).map((language) => (
            <fieldset key={language} className="flex flex-col gap-3 rounded-lg border border-line px-4 py-3">
              <legend className="px-1 text-sm font-semibold">{language === 'tr' ? 'Türkçe' : 'English'}</legend>
              <Field label={t('channels.wordsTitle')} optional>
                <Input name={`${language}.title`} maxLength={80} defaultValue={look[language].title} />
              </Field>
              <Field label={t('channels.wordsGreeting')} optional>
                <Textarea name={`${language}.greeting`} rows={2} maxLength={500} defaultValue={look[language].greeting} />
              </Field>
              <Field label={t('channels.wordsAway')} optional>
                <Textarea name={`${language}.away`} rows={2} maxLength={500} defaultValue={look[language].away} />
              </Field>
            </fieldset>
          ))}
        </Step>
        <Step number={3} title={t('channels.step.people')} text={t('channels.step.peopleText')}>
          <fieldset className="flex flex-col gap-2 rounded-lg border border-line px-4 py-3">
            <legend className="px-1 text-sm font-semibold">{t('channels.prechat')}</legend>
            <Checkbox name="prechat" label={t('channels.prechatOn')} defaultChecked={look.prechat.enabled} />
            <Checkbox name="nameRequired" label={t('channels.prechatName')} defaultChecked={look.prechat.name_required} />
            <Checkbox name="emailRequired" label={t('channels.prechatEmail')} defaultChecked={look.prechat.email_required} />
            <Checkbox name="phone" label={t('channels.prechatPhone')} defaultChecked={look.prechat.phone} />
          </fieldset>
          <HoursFields
            hint={t('channels.hoursHint')}
            value={hours}
            onChange={setHours}
            error={fieldText(save.error, 'business_hours', { needed_by_assistant: 'channels.hoursNeeded' })}
            zoneError={fieldText(save.error, 'business_hours.timezone', { unknown_timezone: 'hours.timezoneWrong' })}
            spansError={fieldText(save.error, 'business_hours.spans', { out_of_range: 'channels.spansWrong' })}
          />
        </Step>
        <Step number={4} title={t('channels.step.paste')} text={widget.data ? t('channels.step.pasteText') : t('channels.step.pasteLater')}>
          {widget.data && (
            // After creating a widget, this is needed next.
            <div ref={(node) => void (made && node?.scrollIntoView({ block: 'nearest' }))}>
              <CodeBlock label={t('channels.snippet')} code={widget.data.snippet} />
            </div>
          )}
        </Step>
      </div>
    </FormDrawer>
  )
}
