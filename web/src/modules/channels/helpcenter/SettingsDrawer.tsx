import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FileInput } from '@/ui/FileInput'
import { FormDrawer } from '@/ui/FormLayer'
import { Select } from '@/ui/Select'
import { toast } from '@/ui/Toast'
import { languages, useRemoveLogo, useSaveSettings, useSetLogo, type Language, type Summary } from './helpcenter'

interface SettingsDrawerProps {
  summary: Summary
  onClose: () => void
}

export function SettingsDrawer({ summary, onClose }: SettingsDrawerProps) {
  const { t } = useI18n()
  const save = useSaveSettings()
  const logo = useSetLogo()
  const remove = useRemoveLogo()
  const [chosen, setChosen] = useState(summary.languages as Language[])
  const failed = (error: unknown) => toast('danger', t('helpcenter.failed'), errorText(error))

  function submit(data: FormData) {
    save.mutate(
      {
        enabled: data.has('enabled'),
        title: textOf(data, 'title'),
        languages: chosen,
        default_language: textOf(data, 'default_language') as Language,
        colours: { accent: textOf(data, 'accent'), header: textOf(data, 'header') },
        contact_form: data.has('contact_form'),
        widget_search: data.has('widget_search'),
      },
      {
        onSuccess: () => {
          toast('ok', t('helpcenter.saved'))
          onClose()
        },
      },
    )
  }

  return (
    <FormDrawer
      title={t('helpcenter.settings')}
      description={summary.url ?? t('helpcenter.noAddress')}
      busy={save.isPending}
      error={save.error}
      fields={['title', 'languages', 'default_language', 'colours.accent', 'colours.header']}
      onSubmit={submit}
      onClose={onClose}
      after={
        summary.url && (
          <section className="mt-6 space-y-3">
            <h3 className="text-sm font-medium">{t('helpcenter.logo')}</h3>
            <Field label={t('helpcenter.logoFile')} hint={t('helpcenter.logoHint')}>
              <FileInput
                accept="image/png,image/jpeg,image/webp"
                disabled={logo.isPending}
                onChange={(file) => {
                  if (file) logo.mutate(file, { onSuccess: () => toast('ok', t('helpcenter.logoSet')), onError: failed })
                }}
              />
            </Field>
            {summary.logo_url && (
              <Button busy={remove.isPending} onClick={() => remove.mutate(undefined, { onError: failed })}>
                {t('helpcenter.logoRemove')}
              </Button>
            )}
          </section>
        )
      }
    >
      <Checkbox name="enabled" label={t('helpcenter.enabled')} detail={t('helpcenter.enabledHint')} defaultChecked={summary.enabled || !summary.url} />
      <Field label={t('helpcenter.siteTitle')} error={fieldText(save.error, 'title')}>
        <Input name="title" autoComplete="off" maxLength={100} defaultValue={summary.title} required />
      </Field>
      <fieldset className="space-y-1.5">
        <legend className="mb-1.5 text-sm font-medium">{t('helpcenter.siteLanguages')}</legend>
        {(Object.keys(languages) as Language[]).map((code) => (
          <Checkbox
            key={code}
            label={<span lang={code}>{languages[code]}</span>}
            checked={chosen.includes(code)}
            onChange={(event) => setChosen(event.target.checked ? [...chosen, code] : chosen.filter((one) => one !== code))}
          />
        ))}
      </fieldset>
      <Field label={t('helpcenter.defaultLanguage')} hint={t('helpcenter.defaultLanguageHint')} error={fieldText(save.error, 'default_language', { not_listed: 'helpcenter.notListed' })}>
        <Select name="default_language" defaultValue={summary.default_language}>
          {chosen.map((code) => (
            <option key={code} value={code}>
              {languages[code]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('helpcenter.accent')} hint={t('helpcenter.accentHint')} error={fieldText(save.error, 'colours.accent', { low_contrast: 'helpcenter.lowContrast' })}>
        <Input name="accent" type="color" defaultValue={summary.colours.accent} />
      </Field>
      <Field label={t('helpcenter.header')} error={fieldText(save.error, 'colours.header')}>
        <Input name="header" type="color" defaultValue={summary.colours.header} />
      </Field>
      <Checkbox name="contact_form" label={t('helpcenter.contactForm')} detail={t('helpcenter.contactFormHint')} defaultChecked={summary.contact_form} />
      <Checkbox name="widget_search" label={t('helpcenter.widgetSearch')} detail={t('helpcenter.widgetSearchHint')} defaultChecked={summary.widget_search} />
    </FormDrawer>
  )
}
