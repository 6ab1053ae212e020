import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Skeleton } from '@/ui/Skeleton'
import { toast } from '@/ui/Toast'
import { useSaveApp, type App } from './apps'
import { rolesQuery } from './catalog'
import { CheckList } from './CheckList'

export function AppDrawer({ app, onClose }: { app: App | null; onClose: () => void }) {
  const { t } = useI18n()
  const catalog = useQuery(rolesQuery)
  const [scopes, setScopes] = useState<readonly string[]>(app?.scopes ?? [])
  const [noneChosen, setNoneChosen] = useState(false)
  const save = useSaveApp(app?.id)

  function submit(data: FormData) {
    setNoneChosen(scopes.length === 0)
    if (scopes.length === 0) return
    save.mutate(
      {
        name: textOf(data, 'name'),
        redirect_uris: textOf(data, 'redirects').split(/\s+/).filter(Boolean),
        scopes: [...scopes],
        public: data.has('public'),
      },
      {
        onSuccess: () => {
          toast('ok', t('apps.saved'))
          onClose()
        },
      },
    )
  }

  return (
    <FormDrawer
      title={app ? t('apps.change') : t('apps.add')}
      description={t('apps.addLead')}
      busy={save.isPending}
      error={save.error}
      fields={['name', 'redirect_uris', 'scopes']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('apps.name')} hint={t('apps.nameHint')} error={fieldText(save.error, 'name')}>
        <Input name="name" autoComplete="off" defaultValue={app?.name} required />
      </Field>
      <Field
        label={t('apps.redirects')}
        hint={t('apps.redirectsHint')}
        error={fieldText(save.error, 'redirect_uris', { invalid_address: 'apps.redirectInvalid', too_short: 'field.required' })}
      >
        <Textarea name="redirects" spellCheck={false} defaultValue={app?.redirect_uris.join('\n')} className="font-mono text-sm" required />
      </Field>
      <Checkbox name="public" label={t('apps.public')} detail={t('apps.publicHint')} defaultChecked={app?.public} />
      {catalog.error && <Notice tone="danger">{errorText(catalog.error)}</Notice>}
      {catalog.isPending && <Skeleton className="h-40 w-full" />}
      {catalog.data && (
        <CheckList
          label={t('apps.scopes')}
          entries={catalog.data.scopes}
          chosen={scopes}
          onChange={setScopes}
          error={noneChosen && scopes.length === 0 ? t('rights.pickOne') : fieldText(save.error, 'scopes')}
        />
      )}
    </FormDrawer>
  )
}
