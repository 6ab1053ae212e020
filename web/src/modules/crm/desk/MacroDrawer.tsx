import { Plus } from 'lucide-react'
import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Menu, MenuItem } from '@/ui/Menu'
import { toast } from '@/ui/Toast'
import { ActionFields } from './ActionFields'
import { actionKinds, actionOf, draftOf, freshAction, moved, useSaveMacro, type ActionDraft, type ActionType, type Macro } from './macros'

const values = ['body', 'agent', 'group_id', 'tags', 'priority', 'minutes']
const most = 20

export function MacroDrawer({ macro, onClose }: { macro: Macro | null; onClose: () => void }) {
  const { t } = useI18n()
  const save = useSaveMacro(macro?.id ?? null)
  const [drafts, setDrafts] = useState<readonly ActionDraft[]>(() => (macro ? macro.actions.map(draftOf) : [freshAction('reply')]))
  const [nothing, setNothing] = useState(false)

  function submit(data: FormData) {
    setNothing(drafts.length === 0)
    if (drafts.length === 0) return
    const name = textOf(data, 'name')
    save.mutate(
      { name, description: textOf(data, 'description') || undefined, actions: drafts.map(actionOf) },
      {
        onSuccess: () => {
          toast('ok', t('macros.saved', { name }))
          onClose()
        },
      },
    )
  }

  /** Errors name an action by its position, so they are cleared when the order changes. */
  function rearrange(next: readonly ActionDraft[]) {
    save.reset()
    setDrafts(next)
  }

  return (
    <FormDrawer
      title={macro ? t('macros.change') : t('macros.add')}
      description={t('macros.drawerLead')}
      busy={save.isPending}
      error={save.error}
      fields={['name', 'description', ...drafts.flatMap((_, index) => values.map((value) => `actions[${index}].${value}`))]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('macros.name')} hint={t('macros.nameHint')} error={fieldText(save.error, 'name', { taken: 'macros.taken' })}>
        <Input name="name" autoComplete="off" maxLength={100} defaultValue={macro?.name} required />
      </Field>
      <Field label={t('macros.description')} optional error={fieldText(save.error, 'description')}>
        <Input name="description" autoComplete="off" maxLength={500} defaultValue={macro?.description} />
      </Field>
      <section aria-label={t('macros.actions')} className="flex flex-col gap-3">
        <div>
          <h3 className="text-sm font-semibold">{t('macros.actions')}</h3>
          <p className="mt-0.5 text-sm text-ink-3">{t('macros.actionsHint')}</p>
        </div>
        <ol className="flex flex-col gap-3">
          {drafts.map((draft, index) => (
            <ActionFields
              key={draft.key}
              draft={draft}
              index={index}
              count={drafts.length}
              error={save.error}
              onChange={(next) => setDrafts(drafts.map((other) => (other.key === next.key ? next : other)))}
              onMove={(by) => rearrange(moved(drafts, index, by))}
              onRemove={() => rearrange(drafts.filter((other) => other.key !== draft.key))}
            />
          ))}
        </ol>
        <p role="alert" className="text-sm text-danger-ink empty:hidden">
          {nothing && drafts.length === 0 ? t('macros.pickOne') : ''}
        </p>
        {drafts.length < most && (
          <div>
            <Menu
              align="start"
              trigger={
                <Button size="sm" icon={Plus}>
                  {t('macros.addAction')}
                </Button>
              }
            >
              {(Object.keys(actionKinds) as ActionType[]).map((type) => (
                <MenuItem key={type} onSelect={() => rearrange([...drafts, freshAction(type)])}>
                  {t(actionKinds[type].label)}
                </MenuItem>
              ))}
            </Menu>
          </div>
        )}
      </section>
    </FormDrawer>
  )
}
