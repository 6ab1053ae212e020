import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import { categoryName, languages, useCreateArticle, type Category, type Language } from './helpcenter'

interface NewArticleDialogProps {
  categories: Category[]
  onMade: (id: string) => void
  onClose: () => void
}

export function NewArticleDialog({ categories, onMade, onClose }: NewArticleDialogProps) {
  const { t, language: lang } = useI18n()
  const create = useCreateArticle()

  function submit(data: FormData) {
    create.mutate(
      { category_id: textOf(data, 'category'), language: textOf(data, 'language') as Language, title: textOf(data, 'title'), body: '' },
      { onSuccess: (article) => onMade(article.id) },
    )
  }

  return (
    <FormDialog
      title={t('helpcenter.add')}
      action={t('helpcenter.create')}
      busy={create.isPending}
      disabled={categories.length === 0}
      error={create.error}
      fields={['title']}
      onSubmit={submit}
      onClose={onClose}
    >
      {categories.length === 0 && <Notice>{t('helpcenter.categoryFirst')}</Notice>}
      <Field label={t('helpcenter.articleTitle')} error={fieldText(create.error, 'title')}>
        <Input name="title" autoComplete="off" maxLength={200} required />
      </Field>
      <Field label={t('helpcenter.category')}>
        <Select name="category" defaultValue={categories[0]?.id}>
          {categories.map((one) => (
            <option key={one.id} value={one.id}>
              {categoryName(one, lang)}
            </option>
          ))}
        </Select>
      </Field>
      <LanguageField initial={lang} />
    </FormDialog>
  )
}

/** Selects the language of an article. */
export function LanguageField({ initial }: { initial: Language }) {
  const { t } = useI18n()
  return (
    <Field label={t('helpcenter.language')}>
      <Select name="language" defaultValue={initial}>
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  )
}
