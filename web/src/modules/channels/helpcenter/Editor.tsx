import { useState, type FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { useSettled } from '@/lib/settled'
import { Button } from '@/ui/Button'
import { Field, Input, Textarea } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { usePreview, useSaveText, type Language, type Text } from './helpcenter'
import { renderedNodes } from './rendered'

interface EditorProps {
  id: string
  language: Language
  text: Text | undefined
  canWrite: boolean
}

/** What an article says in one language, beside what the site would show of it. */
export function Editor({ id, language, text, canWrite }: EditorProps) {
  const { t } = useI18n()
  const save = useSaveText(id, language)
  const [title, setTitle] = useState(text?.title ?? '')
  const [summary, setSummary] = useState(text?.summary ?? '')
  const [body, setBody] = useState(text?.body ?? '')
  const changed = title !== (text?.title ?? '') || summary !== (text?.summary ?? '') || body !== (text?.body ?? '')

  function submit(event: FormEvent) {
    event.preventDefault()
    // The editor begins anew with the version that was saved, so it does not wait to be told.
    save.mutateAsync({ title, summary, body, based_on: text?.version ?? 0 }).then(
      () => toast('ok', t('helpcenter.textSaved')),
      () => undefined,
    )
  }

  return (
    <div className="grid gap-6 xl:grid-cols-2">
      <form onSubmit={submit} className="space-y-4">
        {save.error && !isAboutFields(save.error, ['title', 'summary', 'body']) && <Notice tone="danger">{errorText(save.error)}</Notice>}
        <Field label={t('helpcenter.articleTitle')} error={fieldText(save.error, 'title')}>
          <Input value={title} onChange={(event) => setTitle(event.target.value)} lang={language} dir="auto" maxLength={200} required readOnly={!canWrite} />
        </Field>
        <Field label={t('helpcenter.summary')} hint={t('helpcenter.summaryHint')} optional error={fieldText(save.error, 'summary')}>
          <Input value={summary} onChange={(event) => setSummary(event.target.value)} lang={language} dir="auto" maxLength={300} readOnly={!canWrite} />
        </Field>
        <Field label={t('helpcenter.body')} hint={t('helpcenter.bodyHint')} error={fieldText(save.error, 'body', { too_complex: 'helpcenter.tooComplex' })}>
          <Textarea value={body} onChange={(event) => setBody(event.target.value)} lang={language} dir="auto" rows={22} maxLength={100_000} readOnly={!canWrite} className="font-mono text-sm" />
        </Field>
        {!changed && text?.warnings.includes('html_left_out') && <Notice tone="warn">{t('helpcenter.htmlLeftOut')}</Notice>}
        {canWrite && (
          <Button look="primary" type="submit" busy={save.isPending} disabled={!changed}>
            {t('helpcenter.saveDraft')}
          </Button>
        )}
      </form>
      <Preview language={language} title={title} body={body} />
    </div>
  )
}

function Preview({ language, title, body }: { language: Language; title: string; body: string }) {
  const { t } = useI18n()
  const settled = useSettled(body)
  const preview = usePreview(settled, settled.trim() !== '')
  return (
    <section aria-label={t('helpcenter.preview')} className="min-w-0 rounded-md border border-line bg-surface p-5">
      <h2 className="mb-3 text-sm font-medium text-ink-3">{t('helpcenter.preview')}</h2>
      {preview.error ? (
        <Notice tone="danger">{errorText(preview.error)}</Notice>
      ) : (
        <div lang={language} dir={language === 'ar' ? 'rtl' : undefined} className="article break-words">
          <h3 className="mb-3 text-xl font-semibold">{title}</h3>
          {settled.trim() ? renderedNodes(preview.data ?? '') : <p className="text-ink-3">{t('helpcenter.previewEmpty')}</p>}
        </div>
      )}
    </section>
  )
}
