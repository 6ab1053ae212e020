import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field } from '@/ui/Field'
import { FileInput } from '@/ui/FileInput'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import { LanguageField } from './NewArticleDialog'
import { categoryName, useImport, warnings, type Category, type Language } from './helpcenter'

interface ImportDialogProps {
  categories: Category[]
  /** The language of files that do not name theirs. */
  language: Language
  onClose: () => void
}

export function ImportDialog({ categories, language, onClose }: ImportDialogProps) {
  const { t, tCount, language: lang } = useI18n()
  const load = useImport()
  const remarks = (load.data?.files ?? []).flatMap((file) =>
    file.error
      ? [{ file: file.file, text: t('helpcenter.notImported', { file: file.file }) }]
      : file.warnings.map((warning) => ({ file: file.file + warning, text: `${file.file}: ${t(warnings[warning])}` })),
  )

  function submit(data: FormData) {
    const file = data.get('file')
    if (!(file instanceof File)) return
    load.mutate({ file, language: textOf(data, 'language') as Language, category: textOf(data, 'category') || undefined })
  }

  return (
    <FormDialog
      title={t('helpcenter.import')}
      description={t('helpcenter.importLead')}
      action={t('helpcenter.importAction')}
      dismiss={load.data ? t('common.close') : undefined}
      busy={load.isPending}
      error={load.error}
      fields={[]}
      onSubmit={submit}
      onClose={onClose}
      after={
        load.data && (
          <Notice tone={remarks.length > 0 ? 'warn' : 'ok'} title={tCount('helpcenter.imported', load.data.created)}>
            {load.data.skipped > 0 && <p>{tCount('helpcenter.skipped', load.data.skipped)}</p>}
            {remarks.length > 0 && (
              <ul className="mt-1 list-disc ps-5">
                {remarks.map((remark) => (
                  <li key={remark.file} className="break-words">
                    {remark.text}
                  </li>
                ))}
              </ul>
            )}
          </Notice>
        )
      }
    >
      <Field label={t('helpcenter.file')} hint={t('helpcenter.fileHint')}>
        <FileInput name="file" accept=".md,.zip,text/markdown,application/zip" required />
      </Field>
      <LanguageField initial={language} />
      <Field label={t('helpcenter.category')} hint={t('helpcenter.importCategory')}>
        <Select name="category" defaultValue={categories[0]?.id ?? ''}>
          <option value="">{t('helpcenter.fromFile')}</option>
          {categories.map((one) => (
            <option key={one.id} value={one.id}>
              {categoryName(one, lang)}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  )
}
