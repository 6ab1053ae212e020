import type { FormEvent } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { NewPassword } from './NewPassword'

export interface NewAccount {
  email: string
  password: string
  name: string
  workspace_name: string
}

const fields = ['email', 'password', 'name', 'workspace_name'] as const

/** The form for opening an account together with a workspace. */
export function AccountForm({ error, busy, onSubmit }: { error: Error | null; busy: boolean; onSubmit: (account: NewAccount) => void }) {
  const { t } = useI18n()
  const form = useFocusOnError(error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    onSubmit({
      email: textOf(data, 'email'),
      password: String(data.get('password') ?? ''),
      name: textOf(data, 'name'),
      workspace_name: textOf(data, 'workspace_name'),
    })
  }

  return (
    <>
      {error && !isAboutFields(error, fields) && (
        <Notice tone="danger" className="mb-5">
          {errorText(error)}
        </Notice>
      )}
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4.5">
        <Field label={t('signUp.name')} error={fieldText(error, 'name')}>
          <Input name="name" autoComplete="name" autoFocus required />
        </Field>
        <Field label={t('signUp.workspace')} hint={t('signUp.workspaceHint')} error={fieldText(error, 'workspace_name')}>
          <Input name="workspace_name" autoComplete="organization" required />
        </Field>
        <Field label={t('signIn.email')} error={fieldText(error, 'email', { invalid_address: 'field.email' })}>
          <Input name="email" type="email" autoComplete="username" required />
        </Field>
        <NewPassword name="password" error={error} />
        <Button type="submit" look="primary" busy={busy} className="mt-1 h-10.5">
          {t('signUp.submit')}
        </Button>
      </form>
    </>
  )
}
