import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import { LanguageField } from './NewArticleDialog'
import { categoryName, useImport, type Category, type Language } from './helpcenter'

interface ImportDialogProps {
  categories: Category[]
  onClose: () => void
}

export function ImportDialog({ categories, onClose }: ImportDialogProps) {
  const { t, tCount, language: lang } = useI18n()
  const load = useImport()
  const failed = load.data?.files.filter((file) => file.error) ?? []

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
          <Notice tone={failed.length > 0 ? 'warn' : 'ok'} title={tCount('helpcenter.imported', load.data.created)}>
            {failed.length > 0 && (
              <ul className="mt-1 list-disc ps-5">
                {failed.map((file) => (
                  <li key={file.file} className="break-all">
                    {t('helpcenter.notImported', { file: file.file })}
                  </li>
                ))}
              </ul>
            )}
          </Notice>
        )
      }
    >
      <Field label={t('helpcenter.file')} hint={t('helpcenter.fileHint')}>
        <Input name="file" type="file" accept=".md,.zip,text/markdown,application/zip" required />
      </Field>
      <LanguageField initial={lang} />
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
