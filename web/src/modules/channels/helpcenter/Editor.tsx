import type { FormEvent } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { useSettled } from '@/lib/settled'
import { Button } from '@/ui/Button'
import { Field, Input, Textarea } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { areSame, usePreview, useSaveText, warnings, wordsOf, type Language, type Text, type Words } from './helpcenter'
import { renderedNodes } from './rendered'

interface EditorProps {
  id: string
  language: Language
  text: Text | undefined
  /** The unsaved text, with the version that it is based on. */
  draft: Words | undefined
  onDraft: (draft: Words | undefined) => void
  /** Called when the server has saved these words as this version. */
  onSaved: (sent: Words, version: number) => void
  canWrite: boolean
}

/** Edits an article in one language, next to what the site would show of it. */
export function Editor({ id, language, text, draft, onDraft, onSaved, canWrite }: EditorProps) {
  const { t } = useI18n()
  const save = useSaveText(id, language)
  const saved = wordsOf(text)
  const words = draft ?? saved
  const refused = asApiError(save.error)?.fields.based_on !== undefined

  function change(part: Partial<Words>) {
    const next = { ...words, ...part }
    onDraft(areSame(next, saved) ? undefined : next)
  }

  function discard() {
    save.reset()
    onDraft(undefined)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    // If the tab is left, the mutation's callbacks end with it; a promise does not.
    save.mutateAsync(words).then(
      (article) => {
        toast('ok', t('helpcenter.textSaved'))
        onSaved(words, article.texts.find((one) => one.language === language)?.version ?? 0)
      },
      () => undefined,
    )
  }

  return (
    <div className="grid gap-6 xl:grid-cols-2">
      <form onSubmit={submit} className="space-y-4">
        {draft && (refused || (words.based_on !== saved.based_on && !save.isPending)) && (
          <Notice
            tone={refused ? 'danger' : 'warn'}
            action={
              <Button size="sm" onClick={discard}>
                {t('discard.yes')}
              </Button>
            }
          >
            {t('helpcenter.outdated')}
          </Notice>
        )}
        {save.error && !isAboutFields(save.error, ['title', 'summary', 'body', 'based_on']) && <Notice tone="danger">{errorText(save.error)}</Notice>}
        <Field label={t('helpcenter.articleTitle')} error={fieldText(save.error, 'title')}>
          <Input value={words.title} onChange={(event) => change({ title: event.target.value })} lang={language} dir="auto" maxLength={200} required readOnly={!canWrite} />
        </Field>
        <Field label={t('helpcenter.summary')} hint={t('helpcenter.summaryHint')} optional error={fieldText(save.error, 'summary')}>
          <Input value={words.summary} onChange={(event) => change({ summary: event.target.value })} lang={language} dir="auto" maxLength={300} readOnly={!canWrite} />
        </Field>
        <Field label={t('helpcenter.body')} hint={t('helpcenter.bodyHint')} error={fieldText(save.error, 'body', { too_complex: 'helpcenter.tooComplex' })}>
          <Textarea value={words.body} onChange={(event) => change({ body: event.target.value })} lang={language} dir="auto" rows={22} maxLength={100_000} readOnly={!canWrite} className="font-mono text-sm" />
        </Field>
        {!draft &&
          text?.warnings.map((warning) => (
            <Notice key={warning} tone="warn">
              {t(warnings[warning])}
            </Notice>
          ))}
        {canWrite && (
          <Button look="primary" type="submit" busy={save.isPending} disabled={!draft}>
            {t('helpcenter.saveDraft')}
          </Button>
        )}
      </form>
      <Preview language={language} title={words.title} body={words.body} />
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
