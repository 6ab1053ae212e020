import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Drawer } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { categoryName, languages, useDeleteCategory, useSaveCategory, useSummary, type Category, type Language } from './helpcenter'

interface CategoriesDrawerProps {
  categories: Category[]
  onClose: () => void
}

export function CategoriesDrawer({ categories, onClose }: CategoriesDrawerProps) {
  const { t, language: lang } = useI18n()
  const [edited, setEdited] = useState<Category | 'new' | null>(null)
  const [gone, setGone] = useState<Category | null>(null)
  const drop = useDeleteCategory()

  return (
    <Drawer open onOpenChange={(open) => !open && onClose()} title={t('helpcenter.categories')} description={t('helpcenter.categoriesLead')}>
      <ul className="mb-4 divide-y divide-line">
        {categories.map((one) => (
          <li key={one.id} className="flex items-center gap-2 py-2">
            <span className="min-w-0 flex-1">
              <span className="block font-medium break-words">{categoryName(one, lang)}</span>
              <span className="block text-sm break-all text-ink-3">/{one.slug}</span>
            </span>
            <IconButton icon={Pencil} label={t('helpcenter.editCategory', { name: categoryName(one, lang) })} onClick={() => setEdited(one)} />
            <IconButton icon={Trash2} label={t('helpcenter.deleteCategory', { name: categoryName(one, lang) })} onClick={() => setGone(one)} />
          </li>
        ))}
      </ul>
      <Button icon={Plus} onClick={() => setEdited('new')}>
        {t('helpcenter.addCategory')}
      </Button>
      {edited && <CategoryDialog category={edited === 'new' ? null : edited} position={categories.length + 1} onClose={() => setEdited(null)} />}
      {gone && (
        <ConfirmAct
          act={drop}
          on={gone.id}
          title={t('helpcenter.dropCategory.title')}
          action={t('helpcenter.dropCategory.action')}
          done={t('helpcenter.dropCategory.done', { name: categoryName(gone, lang) })}
          onClose={() => setGone(null)}
        >
          {t('helpcenter.dropCategory.text', { name: categoryName(gone, lang) })}
        </ConfirmAct>
      )}
    </Drawer>
  )
}

function CategoryDialog({ category, position, onClose }: { category: Category | null; position: number; onClose: () => void }) {
  const { t, language: lang } = useI18n()
  const save = useSaveCategory(category?.id ?? null)
  const site = useSummary(true).data
  const offered = [...new Set<Language>([...((site?.languages ?? [lang]) as Language[]), ...(category?.texts.map((text) => text.language) ?? [])])]

  function submit(data: FormData) {
    const texts = offered
      .map((language) => ({ language, name: textOf(data, `name-${language}`), description: textOf(data, `description-${language}`) || undefined }))
      .filter((text) => text.name !== '')
    save.mutate({ slug: textOf(data, 'slug') || undefined, position: category?.position ?? position, texts }, { onSuccess: onClose })
  }

  return (
    <FormDialog
      title={category ? t('helpcenter.changeCategory') : t('helpcenter.addCategory')}
      busy={save.isPending}
      error={save.error}
      fields={['slug']}
      onSubmit={submit}
      onClose={onClose}
    >
      {offered.map((language) => {
        const text = category?.texts.find((one) => one.language === language)
        return (
          <fieldset key={language} className="space-y-3">
            <legend className="text-sm font-medium text-ink-2">{languages[language]}</legend>
            <Field label={t('helpcenter.categoryName')}>
              <Input name={`name-${language}`} autoComplete="off" maxLength={100} defaultValue={text?.name} required={language === offered[0]} />
            </Field>
            <Field label={t('helpcenter.description')} optional>
              <Input name={`description-${language}`} autoComplete="off" maxLength={300} defaultValue={text?.description} />
            </Field>
          </fieldset>
        )
      })}
      <Field
        label={t('helpcenter.slug')}
        hint={t('helpcenter.slugHint')}
        optional
        error={fieldText(save.error, 'slug', { taken: 'helpcenter.slugTaken', invalid_format: 'helpcenter.slugInvalid' })}
      >
        <Input name="slug" autoComplete="off" spellCheck={false} maxLength={80} defaultValue={category?.slug} className="font-mono" />
      </Field>
    </FormDialog>
  )
}
